"""Weights of a network's layers as pictures and numbers, and the samples that excite them.

Runs in a worker process, with torch.
"""

import time
from functools import lru_cache
from math import prod

import numpy as np
from torch import Tensor, nn

from blocks import has
from core.analyse.report import Report
from core.common.network_ref import NetworkRef
from core.data import DataError
from core.graph.model import Graph
from core.insight.features import capture, first
from core.insight.filters import Filters, filter_layers, filters, linear_as_filters
from core.insight.images import DIVERGING, Array, arrange, colour, png, scale
from core.insight.load_model import OpenedNetwork
from core.insight.network_cache import (
    inputs_of,
    labeler,
    opened,
    sample_of,
    validation,
    validation_rows,
)
from core.insight.peaks import Bounds, Peaks, channels_first, peaks, receptive_field, strongest
from core.insight.thumbnails import in_colour
from core.insight.weight_detail import (
    Exciting,
    ExcitingSample,
    FilterDetail,
    FilterTile,
    WeightLayer,
)
from core.source.paths import node_paths
from core.tasks.tensor_values import nested, norm

TILE_PX, LARGE_PX, CHANNEL_PX, SAMPLE_PX = 76, 300, 64, 150
MOST_CHANNELS, MOST_SAMPLES, MOST_S = 64, 2000, 10.0
UNMOVED = ("elementwise", "per_channel", "dropout")
"""Traits of blocks that leave every value at its place."""
ALL = -1


def layers(ref: NetworkRef) -> list[WeightLayer]:
    """Layers with weights to look at, first layer first."""
    return list(_layers(ref))


@lru_cache(maxsize=4)
def _layers(ref: NetworkRef) -> tuple[WeightLayer, ...]:
    network, names = opened(ref), _names(opened(ref))
    return tuple(_layer(ref, network, node, own) for node, own in names.items())


def _layer(ref: NetworkRef, network: OpenedNetwork, node: str, own: str) -> WeightLayer:
    count, channels, height, width = _filters(ref, node).weight.shape
    module = network.module.get_submodule(own)
    reported = network.report.nodes.get(node)
    return WeightLayer(
        node,
        reported.block if reported else type(module).__name__,
        (count, channels, height, width),
        not isinstance(module, nn.Linear) or (channels, height) != (1, 1),
        isinstance(module, nn.Conv2d) and channels == 3 and _reads_input(network, node),
        reported is not None,
    )


def _names(network: OpenedNetwork) -> dict[str, str]:
    """Path in the module of every layer with weights, by its path in the drawing."""
    paths = node_paths(network.module, network.report.lines)
    return {paths.get(name, name): name for name in filter_layers(network.module)}


def _reads_input(network: OpenedNetwork, node: str) -> bool:
    """Whether a layer receives what an Input of the network does, whose channels are colours."""
    graph = network.project.graph
    sources = [graph.nodes[edge.source].block for edge in graph.into(node)]
    return sources == ["Input"]


@lru_cache(maxsize=8)
def _filters(ref: NetworkRef, node: str) -> Filters:
    network = opened(ref)
    own = _names(network)[node]
    if not isinstance(network.module.get_submodule(own), nn.Linear):
        return filters(network.module, own)
    return linear_as_filters(network.module, own, flattened_shape(network, node))


def graph_of(network: OpenedNetwork, path: str) -> Graph | None:
    """The graph that a node stands in; None for a layer that is no node."""
    whole = graph = network.project.graph
    for part in path.split(".")[:-1]:
        if part.isdigit():  # a repetition of the node before
            continue
        composite = whole.composites.get(graph.nodes[part].block) if part in graph.nodes else None
        if composite is None:
            return None
        graph = composite.graph
    return graph if path.rpartition(".")[2] in graph.nodes else None


def flattened_shape(network: OpenedNetwork, path: str) -> tuple[int, ...]:
    """The picture (C, H, W) whose values a Linear reads in a row; () where it reads none."""
    graph, outer = graph_of(network, path), path.rpartition(".")[0]
    name = path.rpartition(".")[2]
    while graph is not None and len(wires := graph.into(name)) == 1:
        name = wires[0].source
        block, node = graph.nodes[name].block, f"{outer}.{name}".lstrip(".")
        if has(block, "reshapes"):
            return _shape_into(network.report, node)
        if block == "Input" and not outer:
            return _shape_of_data(network)
        if not has(block, *UNMOVED):
            break
    return ()


def _shape_into(report: Report, node: str) -> tuple[int, ...]:
    inputs = [s for s in report.nodes[node].inputs.values() if not isinstance(s, tuple)]
    sizes = tuple(d for d in inputs[0].shape[1:] if isinstance(d, int)) if inputs else ()
    return (1, *sizes) if len(sizes) == 2 else sizes


def _shape_of_data(network: OpenedNetwork) -> tuple[int, ...]:
    """The shape of a picture that the Input receives in one row."""
    try:
        sizes = tuple(network.info.sample_shape) if network.info.kind == "image" else ()
    except DataError:
        return ()
    return (1, *sizes) if len(sizes) == 2 else sizes


def tiles(ref: NetworkRef, node: str, channel: int, start: int, count: int) -> list[FilterTile]:
    """Filters from the `start`-th on, each on a scale of its own.

    channel: the one to draw; ALL draws colours, or the mean over the channels.
    """
    shown = _filters(ref, node)
    coloured = _layer_of(ref, node).coloured
    return [
        FilterTile(k, _picture(shown.weight[k], channel, coloured, TILE_PX), *_size(shown, k))
        for k in range(start, min(start + count, len(shown.weight)))
    ]


def _layer_of(ref: NetworkRef, node: str) -> WeightLayer:
    return next(layer for layer in _layers(ref) if layer.node == node)


def _size(shown: Filters, k: int) -> tuple[float, float | None]:
    """L2 norm and bias of a filter."""
    bias = None if shown.bias is None else float(shown.bias[k])
    return float(norm(shown.weight[k])), bias


def _picture(weight: Tensor, channel: int, coloured: bool, width_px: int) -> bytes:
    if channel == ALL and coloured:
        return in_colour(weight[None].numpy(), width_px)
    return _signed(weight.mean(dim=0) if channel == ALL else weight[channel], width_px)


def _signed(value: Tensor, width_px: int, reach: float = 0.0) -> bytes:
    """One map (H, W), zero in the middle of the scale; reach: what is darkest, 0 for its own."""
    array: Array = value.numpy().astype(np.float64)
    shown = array / (2 * reach) + 0.5 if reach > 0 else scale(array[None], signed=True)[0]
    return png(arrange(colour(shown, DIVERGING)[None], 1, max(width_px, array.shape[1]) + 2))


def one_filter(ref: NetworkRef, node: str, number: int, channel: int) -> FilterDetail:
    """One filter with its numbers. Raises IndexError for one that the layer has not."""
    shown = _filters(ref, node)
    weight = shown.weight[number]
    reach = float(weight.abs().max())
    small = tuple(_signed(part, CHANNEL_PX, reach) for part in weight[:MOST_CHANNELS])
    norm, bias = _size(shown, number)
    mean = weight.mean(dim=0) if channel == ALL else weight[channel]
    return FilterDetail(
        number=number,
        channel=channel,
        picture=_picture(weight, channel, _layer_of(ref, node).coloured, LARGE_PX),
        channels=small if len(weight) > 1 else (),
        reads=tuple(shown.reads(number)),
        values=tuple(tuple(row) for row in nested(mean)),
        norm=norm,
        bias=bias,
    )


def heat_map(ref: NetworkRef, node: str) -> bytes:
    """All weights of a Linear as one picture: a row for each output, a column for each input."""
    rows = _filters(ref, node).weight.flatten(1)[:512, :1024]
    return _signed(rows, 560)


def exciting(
    ref: NetworkRef, node: str, number: int, count: int = 8, most_s: float = MOST_S
) -> Exciting:
    """The validation samples in which a channel is largest, among the first MOST_SAMPLES.

    Raises DataError.
    """
    until = time.monotonic() + most_s
    largest, total = _peaks(ref, node, most_s), len(validation(ref)[1])
    shown: list[ExcitingSample] = []
    for index in strongest(largest, number, count):
        position = largest.place(index, number)
        spare = time.monotonic() < until
        field = _field(ref, node, index, (number, *position)) if spare else None
        size = tuple(_main(ref, index).shape[d] for d in _dims(_main(ref, index)))
        sample = sample_of(ref, index, SAMPLE_PX)
        value = float(largest.values[index, number])
        shown.append(ExcitingSample(sample, value, position, field, size))
    return Exciting(tuple(shown), len(largest.values), total)


@lru_cache(maxsize=4)
def _peaks(ref: NetworkRef, node: str, most_s: float) -> Peaks:
    network = opened(ref)
    inputs = [column[:MOST_SAMPLES] for column in validation_rows(ref)[0]]
    return peaks(network.module, network.report, inputs, node, _channels_last(ref, node), most_s)


def _channels_last(ref: NetworkRef, node: str) -> bool:
    network = opened(ref)
    return isinstance(network.module.get_submodule(_names(network)[node]), nn.Linear)


def _place_of_main(ref: NetworkRef) -> int:
    """Which Input receives what a sample looks like."""
    feeds = labeler(ref).info.feeds
    return next((i for i, feed in enumerate(feeds) if feed.column != "noise"), 0)


def _main(ref: NetworkRef, index: int) -> Tensor:
    """What that Input receives of one sample."""
    return inputs_of(ref, index, index + 1)[_place_of_main(ref)][0]


def _dims(sample: Tensor) -> tuple[int, ...]:
    """The dimensions of a sample that places count in: rows and columns of a picture, steps."""
    return (sample.ndim - 2, sample.ndim - 1) if sample.ndim > 1 else (0,)


def _field(ref: NetworkRef, node: str, index: int, position: tuple[int, ...]) -> Bounds | None:
    """The receptive field of one value of a block; None for tokens, and where it is not known."""
    network, main, sample = opened(ref), _place_of_main(ref), _main(ref, index)
    if not sample.is_floating_point() or prod(sample.shape) < 2:
        return None
    rest, last = inputs_of(ref, index, index + 1), _channels_last(ref, node)

    def run(variants: Tensor) -> Tensor:
        inputs = [x.expand(len(variants), *x.shape[1:]) for x in rest]
        inputs[main] = variants
        values = capture(network.module, network.report, inputs, [node]).values
        return channels_first(first(values[node], node), last)[(slice(None), *position)]

    try:
        return receptive_field(run, sample, _dims(sample))
    except RuntimeError:  # a block that refuses NaN: its receptive field is not known
        return None
