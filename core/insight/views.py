"""What the pages show of a finished or untrained network. Runs in a worker process, with torch.

A place says what to look at, as `core.insight.opened` has it; its stamp changes with the weights,
so that what is remembered here never outlives them.
"""

from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from core.data import DataError, Dataset
from core.insight.confusion import Judgement, confusion, judge, mistakes, worst
from core.insight.features import capture, first
from core.insight.filters import filter_layers, filters, linear_as_filters
from core.insight.live import answer
from core.insight.opened import Opened, Place, open_place
from core.insight.scores import Confusion
from core.insight.shots import (
    FilterShot,
    Miss,
    Sample,
    Shot,
    filter_shot,
    sample,
    sample_picture,
    shoot,
)
from core.insight.summary import ENDS, summary
from core.insight.table import write_table
from core.source.paths import node_paths

YES_IF_ABOVE = {"BCELoss": 0.5}


@lru_cache(maxsize=3)
def _opened(place: Place) -> Opened:
    return open_place(place)


@lru_cache(maxsize=3)
def _validation(place: Place) -> tuple[Dataset, Tensor, Tensor]:
    dataset = _opened(place).dataset
    return dataset, *dataset.validation()


@lru_cache(maxsize=3)
def _judged(place: Place) -> Judgement:
    opened = _opened(place)
    dataset, _, targets = _validation(place)
    term, inputs = dataset.info.terms[0], dataset.all_validation()[0]
    if dataset.task != "classification" or not targets.is_floating_point():
        return judge(opened.module, inputs, targets, output=term.outputs[0])
    threshold = YES_IF_ABOVE.get(str(opened.project.training.get("loss")), 0.0)
    return judge(opened.module, inputs, targets.reshape(-1).long(), yes_if_above=threshold)


def overview(place: Place) -> dict[str, Any]:
    """Blocks in order, how many samples there are, the task; `problem` where data is missing.

    Raises NotReady for a drawing with errors.
    """
    opened = _opened(place)
    nodes = [n for n in opened.report.nodes.values() if n.block != "Output"]
    blocks = [(n.path, n.block, n.depth) for n in nodes if n.block not in ENDS or n.depth == 1]
    found: dict[str, Any] = {"blocks": blocks, "task": "", "classes": (), "samples": 0}
    try:
        dataset, inputs, _ = _validation(place)
    except DataError as error:
        return {**found, "problem": str(error)}
    sizes = {"samples": len(inputs), "classes": tuple(dataset.classes)}
    return {**found, **sizes, "task": dataset.task, "problem": ""}


def table(place: Place, batch: int) -> dict[str, Any]:
    """The summary as JSON, with its text table under "text"."""
    opened = _opened(place)
    found = summary(opened.report, batch, opened.project.training)
    return {**found.json(), "text": write_table(found)}


def samples(place: Place, label: str, start: int, count: int) -> list[Sample]:
    """Validation samples from the `start`-th on, of one class if `label` is not ""."""
    dataset, inputs, targets = _validation(place)
    chosen = torch.arange(len(inputs))
    if label and dataset.labels is not None:
        labels = dataset.labels[dataset.validation_indices]
        chosen = chosen[labels == list(dataset.classes).index(label)]
    return [_sample(dataset, inputs, targets, int(i)) for i in chosen[start : start + count]]


def _sample(dataset: Dataset, inputs: Tensor, targets: Tensor, index: int) -> Sample:
    if dataset.info.kind == "text":
        answer = _answer(dataset, targets, index)
        return Sample(index, b"", answer, (), _words(dataset, inputs[index]))
    value = inputs[index]
    if dataset.task == "pairs":
        value = torch.cat([x[index] for x in dataset.all_validation()[0]], dim=-1)
    return sample(index, value.numpy(), _answer(dataset, targets, index))


def _words(dataset: Dataset, tokens: Tensor) -> str:
    """Tokens as the text they stand for; what is covered as a block."""
    alphabet = dataset.info.origin.alphabet + "\u2588"
    return "".join(alphabet[token] for token in tokens.tolist() if token >= 0).replace("\0", "")


def _answer(dataset: Dataset, targets: Tensor, index: int) -> str:
    if dataset.labels is not None:
        label = dataset.labels[dataset.validation_indices][index]
        return answer(label.numpy(), list(dataset.classes))
    if dataset.info.kind == "text":
        return _words(dataset, targets[index])
    if dataset.task == "labels":
        return _labels(dataset, targets[index] > 0.5)
    if dataset.task == "pairs":
        return "one class" if float(targets[index]) > 0 else "two classes"
    if targets[index].numel() != 1:
        return ""
    return f"{float(targets[index]) * dataset.target_std + dataset.target_mean:.3g}"


def _labels(dataset: Dataset, chosen: Tensor) -> str:
    """Names of the labels that are chosen."""
    names = zip(dataset.classes, chosen.tolist(), strict=True)
    return " ".join(name for name, yes in names if yes) or "none"


def strip(place: Place, index: int, nodes: list[str]) -> list[Shot]:
    """Small pictures of what these nodes put out for one validation sample."""
    return _shots(place, index, nodes, 132, 12)


def maps(place: Place, index: int, node: str) -> Shot:
    """A large picture of what one node puts out."""
    return _shots(place, index, [node], 680, 256)[0]


def _shots(place: Place, index: int, nodes: list[str], width_px: int, limit: int) -> list[Shot]:
    opened = _opened(place)
    inputs = tuple(x[index : index + 1] for x in _validation(place)[0].all_validation()[0])
    values = capture(opened.module, opened.report, inputs, nodes).values
    return [
        shoot(n, opened.report.nodes[n].block, first(values[n], n)[0].numpy(), width_px, limit)
        for n in nodes
        if n in values
    ]


def filter_names(place: Place) -> list[str]:
    """Layers whose filters can be drawn, first layer first."""
    opened = _opened(place)
    names = node_paths(opened.module, opened.report.lines)
    return [names.get(name, name) for name in filter_layers(opened.module)]


def filter_picture(place: Place, name: str) -> FilterShot | None:
    """Filters of a layer; without a name, of a first linear layer that reads an image."""
    opened = _opened(place)
    if name:
        layers = node_paths(opened.module, opened.report.lines)
        layer = next((own for own, node in layers.items() if node == name), name)
        return filter_shot(name, filters(opened.module, layer).weight.numpy())
    shape = opened.report.inputs[0][1].shape[1:]
    sizes = [d for d in shape if isinstance(d, int)]
    sizes = [1, *sizes] if len(sizes) == 2 else sizes
    rows = linear_as_filters(opened.module, sizes) if len(sizes) == 3 else None
    return filter_shot(rows.name, rows.weight.numpy()) if rows else None


def confusion_of(place: Place) -> Confusion | None:
    """The confusion matrix over the validation part; None where there are no classes."""
    dataset, _, _ = _validation(place)
    if dataset.task != "classification":
        return None
    judged = _judged(place)
    if judged.predicted is None:
        return None
    return confusion(judged.targets, judged.predicted, dataset.classes)


def misses(place: Place, count: int = 24) -> list[Miss]:
    """The validation samples with the highest loss; of a classification, wrong ones only."""
    dataset, inputs, targets = _validation(place)
    if dataset.task == "triplets":
        return []
    judged = _judged(place)
    if dataset.task == "gan":
        return _doubted(place, judged.outputs.reshape(-1), count)
    if dataset.task == "classification":
        return [
            Miss(
                _sample(dataset, inputs, targets, m.index),
                str(dataset.classes[m.predicted]),
                m.confidence,
                m.loss,
            )
            for m in mistakes(judged, count)
        ]
    return [_worst(place, index, loss) for index, loss in worst(judged, count)]


def _doubted(place: Place, scores: Tensor, count: int) -> list[Miss]:
    """Real samples that the discriminator of a GAN takes for made ones."""
    dataset, inputs, targets = _validation(place)
    losses = torch.nn.functional.softplus(-scores)
    chosen = scores.argsort(stable=True)[:count].tolist()
    shown = [_sample(dataset, inputs, targets, i) for i in chosen]
    said = [f"a score of {float(scores[i]):.2f}" for i in chosen]
    return [Miss(s, t, None, float(losses[i])) for s, t, i in zip(shown, said, chosen, strict=True)]


def _worst(place: Place, index: int, loss: float) -> Miss:
    judged = _judged(place)
    dataset, inputs, targets = _validation(place)
    shown = _sample(dataset, inputs, targets, index)
    output = judged.outputs[index]
    if dataset.task == "regression":
        said = float(output.reshape(-1)[0]) * dataset.target_std + dataset.target_mean
        return Miss(shown, f"{said:.3g}", None, loss)
    if dataset.task == "text":
        return Miss(shown, _words(dataset, output.argmax(dim=-1)), None, loss)
    if dataset.task == "labels":
        return Miss(shown, _labels(dataset, output > 0), None, loss)
    if dataset.task == "pairs":
        return Miss(shown, f"a distance of {float(output.reshape(-1)[0]):.2f}", None, loss)
    if dataset.task == "series":
        return Miss(shown, "", None, loss)
    if dataset.task == "segmentation":
        output = output.argmax(0)[None] if output.shape[0] > 1 else (output > 0).float()
    pictures = [
        sample_picture(t.reshape(inputs.shape[1:]).numpy()) for t in (output, targets[index])
    ]
    return Miss(shown, "", None, loss, tuple(pictures))
