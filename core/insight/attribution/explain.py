"""Explain validation samples. Runs in a worker process, with torch.

A `NetworkRef` names the network. Samples count from 0 in the
validation part.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import torch
from torch import Tensor

from core.common.network_ref import NetworkRef
from core.insight.attribution import attention_maps as attention
from core.insight.attribution.block_gradients import block_gradients
from core.insight.attribution.grad_cam import puts_out_maps
from core.insight.attribution.methods import METHODS, Method
from core.insight.attribution.pictures import heat, overlaid
from core.insight.attribution.results import Aim, Attention, Explained, Heads
from core.insight.attribution.sample_kinds import PICTURE, ROW, SERIES, TOKENS
from core.insight.attribution.sanity_check import Stage, sanity_check
from core.insight.attribution.subject import NoSuch, NotExplained, ScoredSample, score_of
from core.insight.eval_context import quiet
from core.insight.load_model import OpenedNetwork
from core.insight.network_cache import (
    aim,
    inputs_of,
    labeler,
    opened,
    sample_of,
    target_of,
    validation,
)
from core.tasks.measure import Measure
from core.tasks.metrics import as_tuple

LARGE_PX = 320
UNMEASURED = "No loss of this network measures single samples."


def subject_of(
    ref: NetworkRef, index: int, score_name: str = "", position: int = -1, feed: int = -1
) -> tuple[ScoredSample, Aim]:
    """A score of a network for one validation sample.

    score_name: class, label, character or number of the output; "" for the prediction. position:
    of a token or step, -1 for the last that counts. feed: the Input to explain, -1 for the one that
    the sample looks like. Raises NotExplained.
    """
    network, inputs = opened(ref), inputs_of(ref, index, index + 1)
    measure = _measure(ref)
    with quiet(network.module):
        output = as_tuple(network.module(*inputs))[aim(ref).outputs[0]][0]
    goal = target_of(ref, index)
    position = _position(measure, goal, output, position)
    number, name = _number(ref, measure, output, position, score_name)
    score = score_of(measure, aim(ref).outputs[0], number, position)
    feed = _feed(ref) if feed < 0 else feed
    subject = ScoredSample(
        network.module, network.report, inputs, score, feed, _kind_of_sample(ref, inputs[feed])
    )
    with quiet(network.module):
        value = float(score(network.module(*inputs))[0])
    predicted = _number(ref, measure, output, position, "")[1]
    true = _true(ref, measure, goal, position)
    kind, what = measure.kind, measure.readout.score
    return subject, Aim(kind, what, name, predicted, true, value, number, position)


def _measure(ref: NetworkRef) -> Measure:
    """Of the loss that samples are explained by, whose outputs have a score."""
    term = aim(ref)
    if not term.measure or not term.readout.score:
        raise NotExplained(
            f"There is no score to explain. {term.readout.why('score') or UNMEASURED}",
            "Feature maps show the outputs of its blocks; attention needs no score.",
        )
    return term.measure


def _feed(ref: NetworkRef) -> int:
    feeds = labeler(ref).info.feeds
    return next((i for i, feed in enumerate(feeds) if feed.column != "noise"), 0)


def _kind_of_sample(ref: NetworkRef, value: Tensor) -> str:
    if not value.is_floating_point():
        return TOKENS
    if value.ndim == 2:
        return ROW
    return PICTURE if validation(ref)[0].info.kind == "image" else SERIES


def _position(measure: Measure, goal: Tensor | None, output: Tensor, position: int) -> int:
    if not measure.readout.positions:
        return -1
    length = len(output)
    if position >= length:
        raise NoSuch(f"There is no position {position}: positions go from 0 to {length - 1}.")
    return position if position >= 0 else measure.position(output, goal)


def _number(
    ref: NetworkRef, measure: Measure, output: Tensor, position: int, score_name: str
) -> tuple[int, str]:
    """Index and name of the requested score in the output."""
    names = measure.names(labeler(ref), output)
    if not score_name:
        number = measure.likeliest(output, position)
    elif score_name in names:
        number = names.index(score_name)
    else:
        few = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
        raise NoSuch(
            f"There is no {measure.readout.score} called {score_name!r}.", f"There are: {few}."
        )
    return number, names[number] if number < len(names) else str(number)


def _true(ref: NetworkRef, measure: Measure, goal: Tensor | None, position: int) -> str:
    if goal is None:
        return ""
    if measure.declared.per_position:
        token = goal.reshape(-1)[position]
        return labeler(ref).letters(token[None]) if token >= 0 else ""
    return labeler(ref).describe_target(goal)


def explain(
    ref: NetworkRef,
    index: int,
    method: str,
    node: str = "",
    score_name: str = "",
    position: int = -1,
    feed: int = -1,
) -> Explained:
    """Explain one validation sample. node: for Grad-CAM, "" for the last block with maps.

    Raises NotExplained.
    """
    declared = METHODS[method]
    subject, explained_score = subject_of(ref, index, score_name, position, feed)
    node = _checked(declared, opened(ref), subject, node)
    result = declared.function(subject, node)
    sample = sample_of(ref, index, LARGE_PX)
    values = result.values.detach().cpu()
    shown = _as_picture(ref, subject, values)
    seen = _as_picture(ref, subject, subject.inputs[subject.input_index][0])
    return Explained(
        method,
        node,
        sample,
        explained_score,
        values.numpy(),
        dict(result.facts),
        labels_of(ref, subject),
        heat(shown.numpy(), declared.signed, LARGE_PX) if shown is not None else b"",
        overlaid(seen.numpy(), shown.numpy(), declared.signed, LARGE_PX)
        if shown is not None and seen is not None
        else b"",
    )


def _checked(method: Method, network: OpenedNetwork, subject: ScoredSample, node: str) -> str:
    """The block that a method is about, "" for none. Raises NotExplained."""
    if subject.kind not in method.takes:
        raise NotExplained(
            f"{method.title} is for pictures and sequences, but this Input receives "
            f"{tuple(subject.inputs[subject.input_index].shape)}.",
            "Saliency, integrated gradients and occlusion work on every sample.",
        )
    if method.needs != "maps":
        return ""
    names = map_blocks(network, subject.kind)
    if node and node not in network.report.nodes:
        raise NoSuch(f"There is no block called {node}.", f"There are: {', '.join(names)}.")
    if not node and not names:
        raise NotExplained(
            "Grad-CAM needs a block with feature maps (N, C, H, W) or (N, C, L), and this network "
            "has none.",
            "Saliency, integrated gradients and occlusion work on every sample.",
        )
    return node or _last_reached(subject, names)


def _last_reached(subject: ScoredSample, names: Sequence[str]) -> str:
    """The last of some blocks that the score depends on."""

    def score(returned: Any) -> Tensor:
        return subject.score(returned).sum()

    arguments = (subject.module, subject.report, subject.inputs, score, frozenset(names))
    _, reached = block_gradients(*arguments)
    return next((name for name in reversed(names) if name in reached), names[-1])


def map_blocks(network: OpenedNetwork, kind: str = PICTURE) -> list[str]:
    """Paths of the blocks with maps of more than one position, in order. kind: of sample."""
    nodes = network.report.nodes.items()
    return [path for path, node in nodes if puts_out_maps(node, kind == PICTURE)]


def _as_picture(ref: NetworkRef, subject: ScoredSample, values: Tensor) -> Tensor | None:
    """Values (H, W) to draw: the largest over channels; a picture in one row as it was."""
    shape = tuple(validation(ref)[0].info.sample_shape)
    if subject.kind == ROW and validation(ref)[0].info.kind == "image":
        values = values.reshape(shape) if values.numel() == torch.Size(shape).numel() else values
    if values.ndim < 2 or subject.kind in (TOKENS, SERIES):
        return None
    while values.ndim > 2:
        strongest = values.abs().argmax(dim=0, keepdim=True)
        values = values.gather(0, strongest)[0]
    return values


def labels_of(ref: NetworkRef, subject: ScoredSample) -> tuple[str, ...]:
    """What the places of a sample are called: its tokens, or the columns of a row."""
    info, given = validation(ref)[0].info, subject.inputs[subject.input_index][0]
    if subject.kind == TOKENS:
        return tuple(labeler(ref).letters(token[None]) for token in given.reshape(-1))
    if subject.kind != ROW or info.kind != "table":
        return ()
    names, feed = info.origin.columns, info.feeds[subject.input_index]
    places = list(feed.picks) or range(given.numel())
    return tuple(names[k] if k < len(names) else f"column {k + 1}" for k in places)


def choices(ref: NetworkRef, index: int) -> dict[str, Any]:
    """What can be explained of one sample: {"problem", "attention"} and, where there is a score,
    {"aim", "names", "maps", "inputs", "kind", "places", "feed"}.

    problem: why there is no score, "" where there is one. attention: whether there is any.
    """
    network, inputs = opened(ref), inputs_of(ref, index, index + 1)
    basics: dict[str, Any] = {"problem": "", "attention": True}
    try:
        attention.attention_maps(network.module, network.report, inputs)
    except NotExplained:
        basics["attention"] = False
    try:
        subject, explained_score = subject_of(ref, index)
    except NotExplained as error:
        return {**basics, "problem": f"{error.message} {error.hint}"}
    measure = _measure(ref)
    with quiet(network.module):
        output = as_tuple(network.module(*inputs))[aim(ref).outputs[0]][0]
    return {
        **basics,
        "aim": asdict(explained_score),
        "names": measure.names(labeler(ref), output),
        "maps": map_blocks(network, subject.kind) if subject.kind != ROW else [],
        "inputs": [name for name, _ in network.report.inputs],
        "kind": subject.kind,
        "places": len(output) if measure.readout.positions else 0,
        "feed": subject.input_index,
    }


def check(
    ref: NetworkRef,
    index: int,
    method: str,
    node: str = "",
    score_name: str = "",
    position: int = -1,
    feed: int = -1,
) -> list[Stage]:
    """The sanity check of one explanation; see `sanity_check`. Raises NotExplained."""
    declared = METHODS[method]
    subject, _ = subject_of(ref, index, score_name, position, feed)
    node = _checked(declared, opened(ref), subject, node)
    return sanity_check(declared.function, subject, node)


def attention_of(ref: NetworkRef, index: int) -> Attention:
    """All attentions for one validation sample. Raises NotExplained for a network without."""
    network, inputs = opened(ref), inputs_of(ref, index, index + 1)
    maps = attention.attention_maps(network.module, network.report, inputs)
    rolled, why_not = None, ""
    try:
        rolled = attention.rollout(maps).numpy()
    except NotExplained as error:
        why_not = error.message
    return Attention(
        sample_of(ref, index, LARGE_PX),
        tuple(_heads(each) for each in maps),
        _token_labels(ref, inputs),
        rolled,
        why_not,
    )


def _heads(attention_map: attention.AttentionMap) -> Heads:
    pictures = tuple(heat(head.numpy(), False, 160) for head in attention_map.weights)
    return Heads(attention_map.node, attention_map.call, attention_map.weights.numpy(), pictures)


def _token_labels(ref: NetworkRef, inputs: Sequence[Tensor]) -> tuple[str, ...]:
    tokens = inputs[_feed(ref)][0]
    if tokens.is_floating_point():
        return ()
    return tuple(labeler(ref).letters(token[None]) for token in tokens.reshape(-1))
