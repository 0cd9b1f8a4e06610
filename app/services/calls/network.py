"""What Look inside shows of one network: its blocks, samples, weights and training steps.

Each function runs in a worker process. Samples count from 0 in the validation part.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from core.common.network_ref import NetworkRef

if TYPE_CHECKING:
    from core.insight.confusion_scores import Confusion
    from core.insight.look.view import LookRequest, LookResult
    from core.insight.profiling.cost import Profile
    from core.insight.representation.results import Faces, Map, Probes, Similarity
    from core.insight.sample_detail import Neighbour, SampleDetail
    from core.insight.thumbnails import HookLines, Miss, Sample, Shot
    from core.insight.weight_detail import (
        Exciting,
        FilterDetail,
        FilterTile,
        MadeInput,
        WeightLayer,
    )


def overview(ref: NetworkRef) -> dict[str, Any]:
    """Blocks in order, the number of samples, the task, and the classes."""
    from core.insight import views

    return views.overview(ref)


def table(ref: NetworkRef, batch: int) -> dict[str, Any]:
    """The summary as JSON, with its text table under "text"."""
    from core.insight import views

    return views.table(ref, batch)


def samples(ref: NetworkRef, label: str, start: int, count: int) -> "list[Sample]":
    """Samples to choose from, of one class if `label` is not ""."""
    from core.insight import views

    return views.samples(ref, label, start, count)


def strip(ref: NetworkRef, index: int, nodes: list[str]) -> "list[Shot]":
    """Small pictures of the outputs of these nodes for one sample."""
    from core.insight import views

    return views.strip(ref, index, nodes)


def maps(ref: NetworkRef, index: int, node: str) -> "Shot":
    """A large picture of the output of one node for one sample."""
    from core.insight import views

    return views.maps(ref, index, node)


def hook_lines(ref: NetworkRef, node: str) -> "HookLines | None":
    """The hook on a block's module, or the statement of a block that has no module."""
    from core.insight import views

    return views.hook_lines(ref, node)


def confusion_of(ref: NetworkRef) -> "Confusion | None":
    """The confusion matrix over the validation part; None where there are no classes."""
    from core.insight import views

    return views.confusion_of(ref)


def misses(ref: NetworkRef, count: int, true: str = "", predicted: str = "") -> "list[Miss]":
    """The samples with the highest loss; of a classification, wrong predictions only."""
    from core.insight import views

    return views.misses(ref, count, true, predicted)


def detail(ref: NetworkRef, index: int, blocks: Sequence[str]) -> "SampleDetail":
    """Everything about one sample, with pictures of the outputs of `blocks`."""
    from core.insight import sample_views

    return sample_views.detail(ref, index, blocks)


def numbers(ref: NetworkRef) -> tuple[list[float], list[float]]:
    """Targets and predictions of all samples of a regression, in the unit of the target."""
    from core.insight import sample_views

    return sample_views.numbers(ref)


def neighbours(ref: NetworkRef, index: int) -> "list[Neighbour]":
    """The training samples nearest to a sample by the input of the last block."""
    from core.insight import sample_views

    return sample_views.neighbours(ref, index)


def layers(ref: NetworkRef) -> "list[WeightLayer]":
    """Layers with weights to look at, the first layer first."""
    from core.insight import weight_views

    return weight_views.layers(ref)


def tiles(ref: NetworkRef, node: str, channel: int, start: int, count: int) -> "list[FilterTile]":
    """Filters of a layer from the `start`-th on, small."""
    from core.insight import weight_views

    return weight_views.tiles(ref, node, channel, start, count)


def one_filter(ref: NetworkRef, node: str, number: int, channel: int) -> "FilterDetail":
    """One filter with its numbers."""
    from core.insight import weight_views

    return weight_views.one_filter(ref, node, number, channel)


def heat_map(ref: NetworkRef, node: str) -> bytes:
    """All weights of a Linear as one picture, a row for each output."""
    from core.insight import weight_views

    return weight_views.heat_map(ref, node)


def exciting(ref: NetworkRef, node: str, number: int) -> "Exciting":
    """The samples in which a channel is largest."""
    from core.insight import weight_views

    return weight_views.exciting(ref, node, number)


def make_input(ref: NetworkRef, node: str, channel: int) -> "MadeInput":
    """An input made to excite one channel."""
    from core.insight.representation import channel_input

    return channel_input.made(ref, node, channel)


def blocks(ref: NetworkRef) -> list[str]:
    """The blocks whose outputs can be compared, in order."""
    from core.insight.representation import api

    return api.blocks(ref)


def probes(ref: NetworkRef) -> "Probes":
    """A linear probe on every block."""
    from core.insight.representation import api

    return api.probes(ref)


def embedding(ref: NetworkRef, node: str, method: str) -> "Map":
    """The samples by the output of a block, on a plane. method: "pca" or "tsne"."""
    from core.insight.representation import api

    return api.embedding(ref, node, method)


def similarity(ref: NetworkRef, other: NetworkRef | None) -> "Similarity":
    """CKA of all blocks with each other, or with those of another network."""
    from core.insight.representation import api

    return api.similarity(ref, other)


def faces(ref: NetworkRef, count: int) -> "Faces":
    """Pictures and words of the first `count` samples, for a map of them."""
    from core.insight.representation import faces

    return faces.faces(ref, count)


def look(ref: NetworkRef, request: "LookRequest") -> "LookResult":
    """One of the declared pictures."""
    from core.insight.look import catalogue

    return catalogue.look(ref, request)


def profile(ref: NetworkRef, batch: int) -> "Profile":
    """Profile training steps. batch: 0 for the project's own."""
    from core.insight.profiling import api

    return api.profile(ref, batch)


def trace(ref: NetworkRef, batch: int) -> str:
    """The trace of the same steps, for Chrome and Perfetto."""
    from core.insight.profiling import api

    return api.trace(ref, batch)


def expected_memory(ref: NetworkRef, batch: int) -> dict[str, Any]:
    """What the summary expects of memory: {"weights", "gradients", "optimizer", "kept"}."""
    from core.insight.profiling import api

    return api.predicted(ref, batch)
