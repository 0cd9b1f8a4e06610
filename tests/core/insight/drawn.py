"""Small drawings for the tests of this room."""

from itertools import pairwise
from typing import Any

from core.analyse import Report, analyse
from core.insight.summary import Summary
from core.project import graph_from_json


def chain(shape: list[int], *blocks: tuple[str, str, dict[str, Any]], **more: Any) -> Report:
    """Analyse Input -> blocks -> Output, each block wired to the one before."""
    nodes: dict[str, Any] = {"image": {"block": "Input", "settings": {"shape": shape, **more}}}
    nodes |= {name: {"block": block, "settings": settings} for name, block, settings in blocks}
    nodes["logits"] = {"block": "Output"}
    ids = list(nodes)
    edges = [f"{a} -> {b}" for a, b in pairwise(ids)]
    return report(nodes, edges)


def report(
    nodes: dict[str, Any], edges: list[str], composites: dict[str, Any] | None = None
) -> Report:
    """Analyse a drawing and insist that it is free of errors."""
    drawing = {"nodes": nodes, "edges": edges}
    found = analyse(graph_from_json({**drawing, "composites": composites or {}}), "Net")
    assert found.ok, [error.message for error in found.errors]
    return found


def lenet() -> Report:
    """LeNet-5 for 28 x 28 pixels (LeCun et al., 1998), with flatten as a function."""
    return chain(
        [1, 28, 28],
        ("conv1", "Conv2d", {"out_channels": 6, "kernel_size": 5, "padding": 2}),
        ("tanh1", "Tanh", {}),
        ("pool1", "AvgPool2d", {"kernel_size": 2}),
        ("conv2", "Conv2d", {"out_channels": 16, "kernel_size": 5}),
        ("tanh2", "Tanh", {}),
        ("pool2", "AvgPool2d", {"kernel_size": 2}),
        ("flat", "flatten", {"start_dim": 1}),
        ("fc1", "Linear", {"out_features": 120}),
        ("tanh3", "Tanh", {}),
        ("fc2", "Linear", {"out_features": 84}),
        ("tanh4", "Tanh", {}),
        ("fc3", "Linear", {"out_features": 10}),
    )


RESIDUAL = {
    "settings": {"channels": 4},
    "nodes": {
        "input": {"block": "Input"},
        "conv1": {
            "block": "Conv2d",
            "settings": {"out_channels": "=channels", "kernel_size": 3, "padding": 1},
        },
        "relu1": {"block": "ReLU", "settings": {"inplace": True}},
        "join": {"block": "add"},
        "output": {"block": "Output"},
    },
    "edges": [
        "input -> conv1",
        "conv1 -> relu1",
        "relu1 -> join.input",
        "input -> join.other",
        "join -> output",
    ],
}


def resnet() -> Report:
    """A stem, a composite repeated twice, the same composite once more, a head."""
    nodes = {
        "image": {"block": "Input", "settings": {"shape": [1, 8, 8]}},
        "stem": {"block": "Conv2d", "settings": {"out_channels": 4, "kernel_size": 3}},
        "stage": {"block": "Residual", "settings": {"channels": 4}, "repeat": 2},
        "last": {"block": "Residual", "settings": {"channels": 4}},
        "flat": {"block": "flatten", "settings": {"start_dim": 1}},
        "fc": {"block": "Linear", "settings": {"out_features": 3}},
        "logits": {"block": "Output"},
    }
    edges = ["image -> stem", "stem -> stage", "stage -> last", "last -> flat", "flat -> fc"]
    return report(nodes, [*edges, "fc -> logits"], {"Residual": RESIDUAL})


def shared() -> Report:
    """One layer called twice."""
    nodes = {
        "image": {"block": "Input", "settings": {"shape": [4]}},
        "fc1": {"block": "Linear", "settings": {"out_features": 4}},
        "relu": {"block": "ReLU"},
        "again": {"weights_of": "fc1"},
        "logits": {"block": "Output"},
    }
    return report(nodes, ["image -> fc1", "fc1 -> relu", "relu -> again", "again -> logits"])


def sequence(name: str, block: str, settings: dict[str, Any]) -> Report:
    """Rows of 8 numbers through one layer, averaged over the steps."""
    return chain(
        [5, 8],
        (name, block, settings),
        ("average", "mean", {"dim": [1]}),
        ("fc", "Linear", {"out_features": 3}),
    )


def unet() -> Report:
    """One step down and up, with a concatenation."""
    nodes = {
        "image": {"block": "Input", "settings": {"shape": [1, 8, 8]}},
        "down": {
            "block": "Conv2d",
            "settings": {"out_channels": 4, "kernel_size": 3, "padding": 1},
        },
        "pool": {"block": "MaxPool2d", "settings": {"kernel_size": 2}},
        "up": {
            "block": "ConvTranspose2d",
            "settings": {"out_channels": 4, "kernel_size": 2, "stride": 2},
        },
        "join": {"block": "cat", "settings": {"dim": 1}},
        "out": {"block": "Conv2d", "settings": {"out_channels": 1, "kernel_size": 1}},
        "mask": {"block": "Output"},
    }
    edges = ["image -> down", "down -> pool", "pool -> up"]
    joins = ["down -> join.tensors.0", "up -> join.tensors.1", "join -> out", "out -> mask"]
    return report(nodes, edges + joins)


def tokens() -> Report:
    """Words by number, averaged."""
    return chain(
        [6],
        ("words", "Embedding", {"num_embeddings": 11, "embedding_dim": 4}),
        ("average", "mean", {"dim": [1]}),
        ("fc", "Linear", {"out_features": 2}),
        dtype="int64",
    )


DRAWINGS = {
    "lenet": lenet,
    "resnet": resnet,
    "shared": shared,
    "gru": lambda: sequence("gru", "GRU", {"hidden_size": 6, "batch_first": True}),
    "lstm": lambda: sequence(
        "lstm", "LSTM", {"hidden_size": 6, "num_layers": 2, "batch_first": True}
    ),
    "transformer": lambda: sequence(
        "encoder",
        "TransformerEncoderLayer",
        {"nhead": 2, "dim_feedforward": 16, "batch_first": True},
    ),
    "unet": unet,
    "tokens": tokens,
}

PROJECT = """{
  "layerloom": 1,
  "name": "small <b>net</b>",
  "graph": {
    "nodes": {
      "image": {"block": "Input", "settings": {"shape": [1, 8, 8]}},
      "conv1": {"block": "Conv2d", "settings": {"out_channels": 8, "kernel_size": 3}},
      "relu1": {"block": "ReLU", "settings": {"inplace": true}},
      "flat": {"block": "flatten", "settings": {"start_dim": 1}},
      "fc1": {"block": "Linear", "settings": {"out_features": 10}},
      "logits": {"block": "Output"}
    },
    "edges": ["image -> conv1", "conv1 -> relu1", "relu1 -> flat", "flat -> fc1", "fc1 -> logits"]
  },
  "data": {"source": "digits"},
  "training": {"loss": "CrossEntropyLoss", "optimizer": "Adam", "lr": 0.01, "epochs": 3,
               "batch_size": 64, "seed": 0, "threads": 1}
}"""
"""A project file: a small convolution on the digits, three epochs."""


def same_totals(got: Summary, truth: Any) -> None:
    """Insist that a summary ends as torchinfo's does, to the digit."""
    assert (got.total_params, got.trainable_params, got.torchinfo_mult_adds) == (
        truth.total_params,
        truth.trainable_params,
        truth.total_mult_adds,
    )
    assert got.sizes.forward_backward == truth.total_output_bytes
    assert got.sizes.params == truth.total_param_bytes
