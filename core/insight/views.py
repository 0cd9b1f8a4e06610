"""Data for the pages about a finished or untrained network. Runs in a worker process, with torch.

A `NetworkRef` of `core.insight.load_model` names the network; its stamp changes with the
weights, so that what is cached here never outlives them.
"""

from dataclasses import replace
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from core.data import DataError, Dataset
from core.data.dataset import Rows
from core.engine.objective import LossTerm, objective_of
from core.engine.trainer import whole_objective
from core.errors import TrainingError
from core.insight.confusion import Judgement, confusion, judge, mistakes, worst
from core.insight.confusion_scores import Confusion
from core.insight.features import capture, first
from core.insight.filters import filter_layers, filters, linear_as_filters
from core.insight.live import answer
from core.insight.load_model import NetworkRef, Opened, allowed, open_network
from core.insight.summary import ENDS, summary
from core.insight.summary_table import write_table
from core.insight.thumbnails import (
    FilterShot,
    Miss,
    Sample,
    Shot,
    filter_shot,
    sample,
    sample_picture,
    shoot,
)
from core.settings.validate import resolve
from core.source.paths import node_paths
from core.tasks.labeler import Labeler
from core.tasks.registry import reads_logits


@lru_cache(maxsize=3)
def _remembered(ref: NetworkRef) -> Opened:
    return open_network(ref)


def _opened(ref: NetworkRef) -> Opened:
    return allowed(_remembered(ref))


@lru_cache(maxsize=3)
def _validation(ref: NetworkRef) -> tuple[Dataset, Tensor, Tensor]:
    dataset = _opened(ref).dataset
    return dataset, *dataset.validation()


@lru_cache(maxsize=3)
def _whole(ref: NetworkRef) -> Rows:
    """What all Inputs receive and all losses compare with."""
    return _opened(ref).dataset.all_validation()


@lru_cache(maxsize=3)
def _aim(ref: NetworkRef) -> LossTerm:
    """The loss term that measures single samples."""
    opened = _opened(ref)
    dataset, info = opened.dataset, opened.dataset.info
    try:
        training = resolve(opened.project.training, info.task, info.losses)
        return whole_objective(training, dataset, dataset.all_training()[1]).main
    except TrainingError:  # a drawing may have settings that no run would take: it can be seen
        usual = {"loss": info.losses[0], "loss_settings": {}}
        return objective_of(info.terms, usual, dataset.target_std, None, dataset.target_mean).main


@lru_cache(maxsize=3)
def _naming(ref: NetworkRef) -> Labeler:
    return Labeler(_opened(ref).dataset.info, _aim(ref).measure)


@lru_cache(maxsize=3)
def _judged(ref: NetworkRef) -> Judgement:
    opened, aim = _opened(ref), _aim(ref)
    inputs, targets = _whole(ref)
    return judge(opened.module, inputs, None if aim.target is None else targets[aim.target], aim)


def overview(ref: NetworkRef) -> dict[str, Any]:
    """Blocks in order, how many samples there are, the task; `problem` where data is missing.

    classes: those that each sample is one of; none for pairs, labels and texts.

    Raises NotReady for a drawing with errors.
    """
    opened = _opened(ref)
    nodes = [n for n in opened.report.nodes.values() if n.block != "Output"]
    blocks = [(n.path, n.block, n.depth) for n in nodes if n.block not in ENDS or n.depth == 1]
    fields: dict[str, Any] = {"blocks": blocks, "task": "", "classes": (), "samples": 0}
    try:
        dataset, inputs, _ = _validation(ref)
    except DataError as error:
        return {**fields, "problem": str(error)}
    classes = tuple(dataset.classes) if dataset.labels is not None else ()
    sizes = {"samples": len(inputs), "classes": classes}
    return {**fields, **sizes, "task": dataset.task, "problem": ""}


def table(ref: NetworkRef, batch: int) -> dict[str, Any]:
    """The summary as JSON, with its text table under "text"."""
    opened = _opened(ref)
    summed = summary(opened.report, batch, opened.project.training)
    return {**summed.json(), "text": write_table(summed)}


def samples(ref: NetworkRef, label: str, start: int, count: int) -> list[Sample]:
    """Validation samples from the `start`-th on, of one class if `label` is not ""."""
    dataset, inputs, _ = _validation(ref)
    chosen = torch.arange(len(inputs))
    if label and dataset.labels is not None:
        labels = dataset.labels[dataset.validation_indices]
        chosen = chosen[labels == list(dataset.classes).index(label)]
    return [_sample(ref, int(i)) for i in chosen[start : start + count]]


def _sample(ref: NetworkRef, index: int) -> Sample:
    naming = _naming(ref)
    one = slice(index, index + 1)
    value = naming.sample([x[one] for x in _whole(ref)[0]])[0]
    answer = _answer(ref, index)
    if words := naming.words(value):
        return Sample(index, b"", answer, (), words)
    return sample(index, value.numpy(), answer)


def _answer(ref: NetworkRef, index: int) -> str:
    dataset, _, _ = _validation(ref)
    if dataset.labels is not None:
        label = dataset.labels[dataset.validation_indices][index]
        return answer(label.numpy(), list(dataset.classes))
    return _naming(ref).describe_target(_target(ref, index))


def _target(ref: NetworkRef, index: int) -> Tensor | None:
    """What the loss compares one sample with; None where it compares outputs with each other."""
    aim = _aim(ref)
    return None if aim.target is None else _whole(ref)[1][aim.target][index]


def strip(ref: NetworkRef, index: int, nodes: list[str]) -> list[Shot]:
    """Small pictures of what these nodes put out for one validation sample."""
    return _shots(ref, index, nodes, 132, 12)


def maps(ref: NetworkRef, index: int, node: str) -> Shot:
    """A large picture of what one node puts out."""
    return _shots(ref, index, [node], 680, 256)[0]


def _shots(ref: NetworkRef, index: int, nodes: list[str], width_px: int, limit: int) -> list[Shot]:
    opened = _opened(ref)
    inputs = tuple(x[index : index + 1] for x in _whole(ref)[0])
    values = capture(opened.module, opened.report, inputs, nodes).values
    return [
        shoot(n, opened.report.nodes[n].block, first(values[n], n)[0].numpy(), width_px, limit)
        for n in nodes
        if n in values
    ]


def filter_names(ref: NetworkRef) -> list[str]:
    """Layers whose filters can be drawn, first layer first."""
    opened = _opened(ref)
    names = node_paths(opened.module, opened.report.lines)
    return [names.get(name, name) for name in filter_layers(opened.module)]


def filter_picture(ref: NetworkRef, name: str) -> FilterShot | None:
    """Filters of a layer; without a name, of a first linear layer that reads an image."""
    opened = _opened(ref)
    if name:
        layers = node_paths(opened.module, opened.report.lines)
        layer = next((own for own, node in layers.items() if node == name), name)
        return filter_shot(name, filters(opened.module, layer).weight.numpy())
    shape = opened.report.inputs[0][1].shape[1:]
    sizes = [d for d in shape if isinstance(d, int)]
    sizes = [1, *sizes] if len(sizes) == 2 else sizes
    rows = linear_as_filters(opened.module, sizes) if len(sizes) == 3 else None
    return filter_shot(rows.name, rows.weight.numpy()) if rows else None


def confusion_of(ref: NetworkRef) -> Confusion | None:
    """The confusion matrix over the validation part; None where there are no classes."""
    dataset, _, _ = _validation(ref)
    if dataset.task != "classification":
        return None
    judged = _judged(ref)
    if judged.predicted is None or judged.targets is None:
        return None
    return confusion(judged.targets, judged.predicted, dataset.classes)


def misses(ref: NetworkRef, count: int = 24) -> list[Miss]:
    """The validation samples with the highest loss; of a classification, wrong ones only."""
    dataset, _, _ = _validation(ref)
    aim = _aim(ref)
    if not aim.measure or aim.constant == 0:  # what is made by a GAN is no sample
        return []
    judged = _judged(ref)
    if dataset.task == "classification":
        return [
            Miss(_sample(ref, m.index), str(dataset.classes[m.predicted]), m.confidence, m.loss)
            for m in mistakes(judged, count)
        ]
    return [_worst(ref, index, loss) for index, loss in worst(judged, count) if loss > 0]


def _worst(ref: NetworkRef, index: int, loss: float) -> Miss:
    aim, judged, target = _aim(ref), _judged(ref), _target(ref, index)
    outputs = [output[index] for output in judged.outputs]
    predicted = _naming(ref).describe_prediction(outputs, target)
    task, sample = _validation(ref)[0].task, _sample(ref, index)
    if task == "gan":  # the discriminator tells real from made, not classes
        sample = replace(sample, answer=_naming(ref).describe_target(None))
    shown = Miss(sample, predicted, None, loss)
    if target is None or task not in ("image", "segmentation", "series"):
        return shown
    output = outputs[0]
    if task == "series":
        return replace(shown, lines=(target.flatten().tolist(), output.flatten().tolist()))
    if task == "segmentation":
        above = aim.measure.threshold if aim.measure else 0.0
        output = output.argmax(0)[None] if output.shape[0] > 1 else (output > above).float()
    elif reads_logits(type(aim.criterion).__name__):
        output = output.sigmoid()
    shape = _validation(ref)[1].shape[1:]
    return replace(
        shown, more=tuple(sample_picture(t.reshape(shape).numpy()) for t in (output, target))
    )
