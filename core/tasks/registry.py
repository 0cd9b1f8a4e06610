"""All tasks, and look-ups in their declarations. No torch is imported here."""

from collections.abc import Mapping
from typing import Any

from core.tasks import (
    classification,
    forecast,
    gan,
    image,
    labels,
    pairs,
    quantiles,
    regression,
    segmentation,
    semantic,
    sequence,
    series,
    text,
    triplets,
)
from core.tasks.losses import COMMON, Loss, Trait
from core.tasks.readout import Readout
from core.tasks.task import Target, TargetKind, Task, TaskSource

TASKS: dict[str, Task] = {
    room.TASK.name: room.TASK
    for room in (
        classification,
        regression,
        quantiles,
        image,
        segmentation,
        semantic,
        labels,
        text,
        sequence,
        series,
        forecast,
        pairs,
        triplets,
        gan,
    )
}
LOSSES: dict[str, Loss] = COMMON | {
    loss.name: loss for task in TASKS.values() for loss in task.losses
}
KINDS: dict[str, TargetKind] = {k.name: k for task in TASKS.values() for k in task.kinds}
TASK_OF_KIND: dict[str, Task] = {k.name: task for task in TASKS.values() for k in task.kinds}
UNKNOWN = TargetKind("", ())
BESIDE = frozenset(t.column for task in TASKS.values() for t in task.targets if t.beside)
"""Columns that may be compared beside each other, as they are of the same samples."""


def task_of(target: str, source: TaskSource) -> Task:
    """The task of data with a target that it has."""
    return next(
        task
        for task in TASKS.values()
        for each in task.targets
        if each.name == target and each.when(source)
    )


def target_of(target: str, source: TaskSource) -> Target:
    """What a target means for a data set."""
    return next(t for t in task_of(target, source).targets if t.name == target)


def targets_of(source: TaskSource) -> tuple[str, ...]:
    """The tasks of a network that learns from a data set, the usual one first."""
    every = (target for task in TASKS.values() for target in task.targets)
    further = (t.name for t in every if t.offered_with in source.targets and t.when(source))
    return (*source.targets, *further)


def made_per_sample(target: str) -> int:
    """How many rows are made of each sample: more than one where samples are compared."""
    every = (t for task in TASKS.values() for t in task.targets)
    return next((t.per_sample for t in every if t.name == target), 1)


def task_of_column(column: str, source: TaskSource) -> Task:
    """The task of comparing outputs with a column that the data has."""
    return next(
        task
        for task in TASKS.values()
        for target in task.targets
        if target.column == column and target.when(source)
    )


def outputs_of(loss: str) -> int:
    """How many Outputs a loss reads."""
    return LOSSES[loss].outputs if loss in LOSSES else 1


def reads_logits(loss: str) -> bool:
    """Whether a yes is an output above 0, and not a probability above a half."""
    return loss in LOSSES and LOSSES[loss].logits


def losses_with(trait: Trait) -> tuple[str, ...]:
    """The names of all losses with a trait."""
    return tuple(name for name, declared in LOSSES.items() if trait in declared.traits)


def has_trait(loss: str, trait: Trait) -> bool:
    """Whether a loss has a trait; no for what is none."""
    return loss in LOSSES and trait in LOSSES[loss].traits


def reads_logarithms(loss: str, settings: Mapping[str, Any]) -> bool:
    """Whether outputs are logarithms of the predicted numbers."""
    return has_trait(loss, "counts") and bool(settings.get("log_input", True))


def module_of(loss: str) -> str:
    """The class of a loss that torch has not, "module:Class"; "" for one of torch.nn."""
    return LOSSES[loss].module if loss in LOSSES else ""


def suitable_losses(task: str) -> tuple[str, ...]:
    """Losses that some Output can be trained with in a task, in the order of `LOSSES`."""
    suitable = {name for kind in TASKS[task].kinds for name in kind.losses}
    return tuple(name for name in LOSSES if name in suitable)


def exchangeable(kind: TargetKind) -> tuple[str, ...]:
    """Losses that `training.loss` may name: of as many Outputs as the usual one reads."""
    usual = outputs_of(kind.losses[0])
    return tuple(name for name in kind.losses if outputs_of(name) == usual)


def kind_of(name: str) -> TargetKind:
    """A kind of target; one without any trait for "" and for what nobody declares."""
    return KINDS.get(name, UNKNOWN)


def readout_of(kind: str) -> Readout:
    """What outputs of a kind of target mean."""
    return kind_of(kind).readout


def has_one_class(task: str) -> bool:
    """Whether each sample of a task has one class, which the network predicts."""
    return task in TASKS and TASKS[task].one_class


def predicts_number(task: str) -> bool:
    """Whether a task predicts one number of each sample."""
    return task in TASKS and any(kind.readout.number for kind in TASKS[task].kinds)


def is_adversarial(task: str) -> bool:
    """Whether networks play against each other in a task."""
    return task in TASKS and TASKS[task].adversarial


def draws_input(task: str) -> bool:
    """Whether a task draws the sample itself again."""
    return task in TASKS and any(kind.draws_input for kind in TASKS[task].kinds)


def of_windows(task: str) -> bool:
    """Whether a task predicts what follows a window of a series."""
    return task in TASKS and any(kind.of_windows for kind in TASKS[task].kinds)


def per_pixel(task: str) -> bool:
    """Whether the targets of a task are masks: a value for each pixel."""
    return task in TASKS and any(kind.per_pixel for kind in TASKS[task].kinds)


def counts_pixels(task: str) -> bool:
    """Whether each pixel has one of the classes of the data."""
    return task in TASKS and any(kind.class_at_pixel for kind in TASKS[task].kinds)


def in_unit(task: str) -> bool:
    """Whether a task tells numbers in their own unit, so that they may be standardised."""
    return task in TASKS and any(kind.in_unit for kind in TASKS[task].kinds)


def default_best_by(task: str) -> str:
    """The metric that chooses the best checkpoint where the settings name none."""
    return TASKS[task].best_by if task in TASKS else "val_loss"
