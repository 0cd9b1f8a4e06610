"""Data for the pages about a finished or untrained network. Runs in a worker process, with torch.

A `NetworkRef` names the network; its stamp changes with the weights, so that what is cached here
never outlives them.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from torch import Tensor

from blocks import has
from core.common.network_ref import NetworkRef
from core.data import DataError
from core.data.facts.class_colours import colours_of
from core.insight.confusion import confusion, mistakes, worst
from core.insight.confusion_scores import Confusion, scored
from core.insight.features import capture, first, hook_lines_of
from core.insight.network_cache import (
    aim,
    chosen_samples,
    inputs_of,
    judged,
    labeler,
    opened,
    sample_of,
    target_of,
    validation,
)
from core.insight.summary import summary
from core.insight.summary_table import write_table
from core.insight.thumbnails import (
    HookLines,
    Miss,
    Sample,
    Shot,
    class_picture,
    sample_picture,
    shoot,
)
from core.tasks.readings.pictures import pixel_counts
from core.tasks.registry import has_one_class, is_adversarial
from core.tasks.tensor_values import nested


def overview(ref: NetworkRef) -> dict[str, Any]:
    """Blocks in order, how many samples there are, the task; `problem` where data is missing.

    classes: those that each sample is one of; none for pairs, labels and texts.

    Raises NotReady for a drawing with errors.
    """
    nodes = [n for n in opened(ref).report.nodes.values() if n.block != "Output"]
    blocks = [(n.path, n.block, n.depth) for n in nodes if not has(n.block, "end") or n.depth == 1]
    fields: dict[str, Any] = {"blocks": blocks, "task": "", "classes": (), "samples": 0}
    try:
        dataset, inputs, _ = validation(ref)
    except DataError as error:
        return {**fields, "problem": str(error)}
    classes = tuple(dataset.classes) if dataset.labels is not None else ()
    sizes = {"samples": len(inputs), "classes": classes}
    return {**fields, **sizes, "task": dataset.task, "problem": ""}


def table(ref: NetworkRef, batch: int) -> dict[str, Any]:
    """The summary as JSON, with its text table under "text"."""
    network = opened(ref)
    summed = summary(network.report, batch, network.project.training)
    return {**summed.json(), "text": write_table(summed)}


def samples(ref: NetworkRef, label: str, start: int, count: int) -> list[Sample]:
    """Validation samples from the `start`-th on, of one class if `label` is not ""."""
    return [sample_of(ref, int(i)) for i in chosen_samples(ref, label)[start : start + count]]


def strip(ref: NetworkRef, index: int, nodes: list[str]) -> list[Shot]:
    """Small pictures of these nodes' outputs for one validation sample."""
    return _shots(ref, index, nodes, 132, 12)


def maps(ref: NetworkRef, index: int, node: str) -> Shot:
    """A large picture of one node's output."""
    return _shots(ref, index, [node], 680, 256)[0]


def hook_lines(ref: NetworkRef, node: str) -> HookLines | None:
    """How the output of a block of the network is caught, see `hook_lines_of`."""
    network = opened(ref)
    return hook_lines_of(network.module, network.report, node)


def _shots(ref: NetworkRef, index: int, nodes: list[str], width_px: int, limit: int) -> list[Shot]:
    network = opened(ref)
    values = capture(network.module, network.report, inputs_of(ref, index, index + 1), nodes).values
    return [
        shoot(n, network.report.nodes[n].block, first(values[n], n)[0].numpy(), width_px, limit)
        for n in nodes
        if n in values
    ]


def confusion_of(ref: NetworkRef) -> Confusion | None:
    """The confusion matrix over the validation part; None where there are no classes."""
    dataset, _, _ = validation(ref)
    if aim(ref).declared.class_at_pixel:
        return pixel_confusion(ref)
    if not has_one_class(dataset.task):
        return None
    judgement = judged(ref)
    if judgement.predicted is None or judgement.targets is None:
        return None
    return confusion(judgement.targets, judgement.predicted, dataset.classes)


def pixel_confusion(ref: NetworkRef) -> Confusion:
    """Classes of pixels against those that are predicted, over the validation part."""
    judgement, classes = judged(ref), validation(ref)[0].classes
    assert judgement.targets is not None
    counts = pixel_counts(judgement.outputs[0], judgement.targets, len(classes))
    return replace(scored(nested(counts), classes), things="pixels")


def misses(ref: NetworkRef, count: int = 24, true: str = "", predicted: str = "") -> list[Miss]:
    """The validation samples with the highest loss; of a classification, wrong ones only.

    true, predicted: names of classes, to keep those of the one that were taken for the other; ""
    for any.
    """
    dataset, _, _ = validation(ref)
    term = aim(ref)
    if not term.measure or term.constant == 0:  # what is made by a GAN is no sample
        return []
    if has_one_class(dataset.task):
        places = {name: k for k, name in enumerate(dataset.classes)}
        pair = (places.get(true), places.get(predicted))
        return [
            Miss(sample_of(ref, m.index), str(dataset.classes[m.predicted]), m.confidence, m.loss)
            for m in mistakes(judged(ref), count, *pair)
        ]
    return [_worst(ref, index, loss) for index, loss in worst(judged(ref), count) if loss > 0]


def miss_of(ref: NetworkRef, index: int) -> Miss:
    """One validation sample as `misses` has it, whether it is a mistake or not."""
    judgement, dataset = judged(ref), validation(ref)[0]
    loss = float(judgement.losses[index])
    if not has_one_class(dataset.task):
        return _worst(ref, index, loss)
    assert judgement.predicted is not None
    assert judgement.confidence is not None
    name = str(dataset.classes[int(judgement.predicted[index])])
    return Miss(sample_of(ref, index), name, float(judgement.confidence[index]), loss)


def _worst(ref: NetworkRef, index: int, loss: float) -> Miss:
    term, target = aim(ref), target_of(ref, index)
    outputs = [output[index] for output in judged(ref).outputs]
    predicted = labeler(ref).describe_prediction(outputs, target)
    readout, sample = term.readout, sample_of(ref, index)
    if is_adversarial(
        validation(ref)[0].task
    ):  # the discriminator tells real from made, not classes
        sample = replace(sample, answer=labeler(ref).describe_target(None))
    shown = Miss(sample, predicted, None, loss)
    drawn = readout.lines and (outputs[0].numel() > 1 or not readout.words)
    if target is not None and drawn and term.measure:
        return replace(shown, lines=term.measure.lines(target, outputs[0]))
    picture = term.measure.picture(outputs[0]) if term.measure else None
    if target is None or picture is None:
        return shown
    return replace(shown, more=pictures_of(ref, index, (picture, target)))


def pictures_of(ref: NetworkRef, index: int, values: Sequence[Tensor]) -> tuple[bytes, ...]:
    """Prediction and target of one sample, as pictures in its shape; classes of pixels over it."""
    dataset, inputs, _ = validation(ref)
    if aim(ref).declared.class_at_pixel:
        seen = labeler(ref).sample(inputs_of(ref, index, index + 1))[0]
        colours = colours_of(dataset.info)
        return tuple(class_picture(seen.numpy(), each.numpy(), colours) for each in values)
    shape = tuple(inputs.shape[1:])
    return tuple(sample_picture(each.reshape(shape).numpy()) for each in values)
