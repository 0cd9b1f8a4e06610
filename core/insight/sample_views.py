"""Details of one validation sample: scores, columns, tokens, block outputs, neighbours.

Runs in a worker process, with torch. Samples count from 0 in the validation part.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import torch
from torch import Tensor

from core.common.network_ref import NetworkRef
from core.engine.feature_maps import losses_per_sample
from core.engine.objective import LossTerm
from core.insight.features import capture, first
from core.insight.load_model import OpenedNetwork
from core.insight.network_cache import (
    aim,
    inputs_of,
    judged,
    labeler,
    objective,
    opened,
    sample_of,
    validation,
    validation_rows,
)
from core.insight.peaks import BATCH
from core.insight.sample_detail import Cell, Head, Neighbour, SampleDetail, Token
from core.insight.thumbnails import Shot, sample_picture, shoot
from core.insight.views import miss_of, pictures_of
from core.tasks.labeler import Labeler
from core.tasks.measure import Measure
from core.tasks.metrics import as_tuple
from core.tasks.readout import Score
from core.tasks.tensor_values import distance, floats, ints, split

LARGE_PX, BLOCK_PX, BLOCK_MAPS = 300, 160, 16
NEAREST_AMONG = 2000


def detail(ref: NetworkRef, index: int, blocks: Sequence[str]) -> SampleDetail:
    """Everything about one sample. blocks: paths of the nodes to picture, in one forward pass."""
    network, inputs = opened(ref), inputs_of(ref, index, index + 1)
    caught = capture(network.module, network.report, inputs, list(blocks))
    shots = tuple(_shot(network, n, caught.values[n]) for n in blocks if n in caught.values)
    miss = replace(miss_of(ref, index), sample=sample_of(ref, index, LARGE_PX))
    outputs = as_tuple(caught.output)
    return SampleDetail(
        miss, _heads(ref, index, outputs), _cells(ref, index), _tokens(ref, index, outputs), shots
    )


def _shot(network: OpenedNetwork, node: str, value: object) -> Shot:
    block = network.report.nodes[node].block
    return shoot(node, block, first(value, node)[0].numpy(), BLOCK_PX, BLOCK_MAPS)


def _heads(ref: NetworkRef, index: int, outputs: Sequence[Tensor]) -> tuple[Head, ...]:
    """All loss terms that are measured, each with the outputs that it reads."""
    dataset, _, _ = validation(ref)
    targets = validation_rows(ref)[1]
    heads: list[Head] = []
    for term in objective(ref).terms:
        if term.measure is None or term.constant is not None:
            continue
        read = [outputs[k].detach().float() for k in term.outputs]
        target = None if term.target is None else targets[term.target][index : index + 1]
        head = _head(Labeler(dataset.info, term.measure), term, read, target)
        heads.append(_drawn(ref, index, head, term, read[0][0], target))
    return tuple(heads)


def _head(naming: Labeler, term: LossTerm, read: Sequence[Tensor], target: Tensor | None) -> Head:
    goal = None if target is None else target[0]
    scores = class_scores(naming, read[0][0], goal)
    predicted = naming.describe_prediction([r[0] for r in read], goal)
    best = [score.name for score in scores if score.predicted]
    return Head(
        name=term.name,
        target=naming.describe_target(goal),
        predicted=predicted or " ".join(best),
        loss=float(losses_per_sample(term, read, target).reshape(-1)[0]),
        error=number_error(term.measure, read[0][0], goal),
        scores=scores,
    )


def _drawn(
    ref: NetworkRef, index: int, head: Head, term: LossTerm, output: Tensor, target: Tensor | None
) -> Head:
    """Add pictures of prediction and target, or lines, where the target is one."""
    if target is None:
        return head
    picture = term.measure.picture(output) if term.measure else None
    shape = validation(ref)[1].shape[1:]
    drawn = term.declared.class_at_pixel or target[0].numel() == math.prod(shape)
    if picture is not None and drawn:
        return replace(head, pictures=pictures_of(ref, index, (picture, target[0])))
    if term.readout.lines and term.measure and (output.numel() > 1 or not term.readout.words):
        return replace(head, lines=term.measure.lines(target, output))
    return head


def number_error(measure: Measure | None, output: Tensor, goal: Tensor | None) -> float | None:
    """How much too large a number is, in its own unit."""
    if measure is None or not measure.readout.number or goal is None:
        return None
    return float((measure.numbers(output).reshape(-1)[0] - goal.reshape(-1)[0]) * measure.unit)


def numbers(ref: NetworkRef) -> tuple[list[float], list[float]]:
    """Targets and predictions of all validation samples of a regression, in the target's unit."""
    judgement, measure = judged(ref), aim(ref).measure
    assert measure is not None
    assert judgement.targets is not None
    targets = judgement.targets.reshape(len(judgement.targets), -1)[:, 0]
    predicted = measure.in_unit(judgement.outputs[0])
    return floats(targets * measure.unit + measure.middle), floats(predicted)


def class_scores(naming: Labeler, output: Tensor, goal: Tensor | None) -> tuple[Score, ...]:
    """Probabilities of all classes or labels from one sample's output; () for other targets.

    goal: what is right, None for a sample of which nobody knows.
    """
    return naming.measure.scores(naming, output, goal) if naming.measure else ()


def _cells(ref: NetworkRef, index: int) -> tuple[Cell, ...]:
    """The columns of a table's row in their own units, of all Inputs in their order."""
    dataset = validation(ref)[0]
    if dataset.info.kind != "table":
        return ()
    names = dataset.info.origin.columns
    cells: list[Cell] = []
    rows = zip(
        dataset.info.feeds, dataset.all_inputs, inputs_of(ref, index, index + 1), strict=True
    )
    for feed, every, row in rows:
        if feed.noise:
            continue
        columns = list(feed.picks) or list(range(row.numel()))
        mean, std = (None if m is None else m.reshape(-1) for m in (dataset.mean, dataset.std))
        learned = every[dataset.train_indices].reshape(len(dataset.train_indices), -1)
        middle, spread = learned.mean(dim=0), learned.std(dim=0, correction=0)
        for k, (column, value) in enumerate(zip(columns, floats(row.reshape(-1)), strict=True)):
            own = (
                value
                if mean is None or std is None
                else value * float(std[column]) + float(mean[column])
            )
            far = (value - float(middle[k])) / float(spread[k]) if spread[k] > 0 else None
            name = names[column] if column < len(names) else f"column {column + 1}"
            cells.append(Cell(name, own, far))
    return tuple(cells)


def _tokens(ref: NetworkRef, index: int, outputs: Sequence[Tensor]) -> tuple[Token, ...]:
    """The places of a text; of what is to be predicted, with the likeliest character there."""
    dataset, naming = validation(ref)[0], labeler(ref)
    if dataset.info.kind != "text":
        return ()
    tokens = naming.sample(inputs_of(ref, index, index + 1))[0].reshape(-1)
    term, places = aim(ref), [Token(naming.letters(t[None])) for t in tokens]
    if not term.measure or not term.measure.declared.per_position or term.target is None:
        return tuple(place for place in places if place.text)
    target = validation_rows(ref)[1][term.target][index].reshape(-1)
    predicted = outputs[term.outputs[0]][0].argmax(dim=-1).reshape(-1)
    if not len(places) == len(target) == len(predicted):
        return tuple(places)
    return tuple(
        replace(place, true=naming.letters(t[None]), predicted=naming.letters(p[None]))
        if t >= 0
        else place
        for place, t, p in zip(places, target, predicted, strict=True)
    )


def neighbours(ref: NetworkRef, index: int, count: int = 6) -> list[Neighbour]:
    """The training samples nearest to a validation sample by what enters the last block.

    Euclidean distance of the values, among the first NEAREST_AMONG training samples; [] where the
    last block is not known, and where targets are no classes, labels or numbers.
    """
    measure = aim(ref).measure
    codes, node = (
        _training_codes(ref) if measure and measure.declared.has_neighbours else (None, "")
    )
    if codes is None or not node:
        return []
    network = opened(ref)
    own = capture(network.module, network.report, inputs_of(ref, index, index + 1), [node])
    far = distance(codes, first(own.values[node], node).flatten(1), dim=1)
    order = ints(far.argsort(stable=True)[:count])
    return [_neighbour(ref, k, float(far[k])) for k in order if math.isfinite(far[k])]


def _neighbour(ref: NetworkRef, k: int, distance: float) -> Neighbour:
    dataset, naming = validation(ref)[0], labeler(ref)
    row = int(dataset.train_indices[k])
    value = naming.sample([x[row : row + 1] for x in dataset.all_inputs])[0]
    answer = ""
    if dataset.labels is not None:
        answer = str(dataset.classes[int(dataset.labels[row])])
    elif aim(ref).target is not None:
        answer = naming.describe_target(dataset.all_targets[aim(ref).target or 0][row])
    words = naming.words(value)
    return Neighbour(b"" if words else sample_picture(value.numpy()), words, answer, distance)


@lru_cache(maxsize=2)
def _training_codes(ref: NetworkRef) -> tuple[Tensor, str]:
    """What enters the last block for the first training samples, (S, F), and the node it is of."""
    network, dataset = opened(ref), validation(ref)[0]
    node = before_last(network, network.report.outputs[aim(ref).outputs[0]][0])
    if not node:
        return torch.zeros(0), ""
    rows = dataset.train_indices[:NEAREST_AMONG]
    parts: list[Tensor] = []
    for some in split(rows, 4 * BATCH):
        inputs = [x[some] for x in dataset.all_inputs]
        values = capture(network.module, network.report, inputs, [node]).values
        if node not in values:
            return torch.zeros(0), ""
        parts.append(first(values[node], node).flatten(1).float())
    return torch.cat(parts), node


def before_last(network: OpenedNetwork, output: str) -> str:
    """The node whose values go into the block before an Output; "" where that is the Input."""
    graph = network.project.graph
    for _ in range(2):
        wires = graph.into(output)
        if not wires:
            return ""
        output = wires[0].source
    return "" if graph.nodes[output].block == "Input" else output
