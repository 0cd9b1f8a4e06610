"""First networks that are drawn here rather than taken from a template: chains of blocks."""

from collections.abc import Mapping
from itertools import pairwise

from core.data.facts.input_columns import TOKENS
from core.graph import Edge, Graph, Node
from core.project import Project

STEP = 312  # pixels from one block of a drawing to the next
WIDTH, DROPPED = 64, 0.3
"""Of the vector of a word, and the share of it that dropout hides (tests/bench/texts.md)."""
SPECTROGRAM_CHANNELS = (16, 32, 64)
WAVE_CHANNELS = (32, 32, 64, 64)
FIRST_KERNEL, FIRST_STRIDE, POOLED = 80, 4, 4
"""Of a wave: the first filters are as wide as a sound is slow (Dai et al. 2017)."""
ROOM = POOLED * FIRST_STRIDE
"""Samples of a wave to which one pixel belongs after the first convolution and pooling."""


def bag_of_words() -> Project:
    """The sum of the vectors of a text's tokens, brought to one size, and a linear layer (after
    Joulin et al. 2016). The vector of what pads a text is 0, so that it does not count."""
    return _chain(
        {
            "text": Node("Input", {"dtype": TOKENS}),
            "embed": Node("Embedding", {"embedding_dim": WIDTH, "padding_idx": 0}),
            "sum": Node("sum", {"dim": (1,)}),
            "norm": Node("LayerNorm"),
            "drop": Node("Dropout", {"p": DROPPED}),
            "fc": Node("Linear"),
            "logits": Node("Output"),
        }
    )


def spectrogram_network() -> Project:
    """Convolutions over a spectrogram; the average over time and pitch makes it no matter when a
    sound begins."""
    nodes = {"sound": Node("Input")}
    for place, channels in enumerate(SPECTROGRAM_CHANNELS, 1):
        nodes[f"conv{place}"] = Node(
            "Conv2d", {"out_channels": channels, "kernel_size": 3, "padding": 1}
        )
        nodes |= {f"bn{place}": Node("BatchNorm2d"), f"relu{place}": Node("ReLU")}
        nodes[f"pool{place}"] = Node("MaxPool2d", {"kernel_size": 2})
    return _headed(nodes, "AdaptiveAvgPool2d", (1, 1))


def wave_network(samples: int) -> Project:
    """Convolutions over a wave, as many as its length has room for (after Dai et al. 2017, M5)."""
    nodes, left = {"sound": Node("Input")}, samples
    for place, channels in enumerate(WAVE_CHANNELS, 1):
        needed = (ROOM if place == 1 else 1) * POOLED
        if place > 1 and left < needed:
            break
        first = {"kernel_size": FIRST_KERNEL, "stride": FIRST_STRIDE, "padding": FIRST_KERNEL // 2}
        rest = {"kernel_size": 3, "padding": 1}
        settings = {"out_channels": channels, **(first if place == 1 else rest)}
        nodes[f"conv{place}"] = Node("Conv1d", settings)
        nodes |= {f"bn{place}": Node("BatchNorm1d"), f"relu{place}": Node("ReLU")}
        nodes[f"pool{place}"] = Node("MaxPool1d", {"kernel_size": POOLED})
        left //= ROOM if place == 1 else POOLED
    return _headed(nodes, "AdaptiveAvgPool1d", 1)


def _headed(nodes: dict[str, Node], average: str, size: int | tuple[int, ...]) -> Project:
    """A chain that ends with the average of each channel and a linear layer."""
    nodes |= {
        "average": Node(average, {"output_size": size}),
        "flat": Node("flatten", {"start_dim": 1}),
        "fc": Node("Linear"),
        "logits": Node("Output"),
    }
    return _chain(nodes)


def _chain(nodes: Mapping[str, Node]) -> Project:
    """Nodes one after the other."""
    names = list(nodes)
    wires = tuple(Edge(a, "output", b, "input") for a, b in pairwise(names))
    layout = {name: (STEP * place, 0) for place, name in enumerate(names)}
    return Project(graph=Graph(dict(nodes), wires), layout=layout)
