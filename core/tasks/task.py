"""The declaration of a task. No torch: `core.tasks.readings` has what calculates, by kind.

What a training script shows is named, "module:function", as its text is read, not called.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Protocol

from core.common.errors import DataError
from core.tasks.losses import Loss
from core.tasks.readout import NO_READOUT, Readout

Shape = tuple[int, ...]


class TaskSource(Protocol):
    """What the task reads of a data set, see `core.data.sources.source`."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def shape(self) -> Shape: ...
    @property
    def classes(self) -> tuple[str, ...]: ...
    @property
    def alphabet(self) -> str: ...
    @property
    def answer(self) -> int: ...
    @property
    def longest(self) -> int: ...
    @property
    def ahead(self) -> int: ...
    @property
    def targets(self) -> tuple[str, ...]: ...


def always(_source: TaskSource) -> bool:
    """A target that is of one task, whatever the data."""
    return True


@dataclass(frozen=True)
class Target:
    """What `data.target` may name.

    column: what Outputs are compared with, "" for nothing. describe: how the samples are used, for
    a sentence; {classes} is their number, {target_name} what is told. words: what the network
    should tell, on a form. inputs: columns that the Inputs receive, in the order of the file. when:
    whether the name has this meaning for a data set. offered_with: the target beside which it is
    offered, where data sets do not name it themselves. beside: whether the column may be compared
    beside others of the same samples. per_sample: how many rows are made of each sample. functions:
    whose text makes the columns in a script, "module:function".
    """

    name: str
    column: str
    describe: str
    words: str
    inputs: tuple[str, ...] = ("input",)
    when: Callable[[TaskSource], bool] = always
    offered_with: str = ""
    beside: bool = False
    per_sample: int = 1
    functions: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScriptMetrics:
    """How a training script adds up and calculates metrics.

    lines: of a batch, where {0}, {1} and {2} stand for the outputs, {target} for their target,
    {classes} for the number of classes, {threshold} for the output above (of distances: below)
    which it is a yes, {sign} for > where outputs are held against 1 and <= where against 0,
    {probability} for the first output between 0 and 1, {number} for it as targets are given. sums:
    names of what is added up. metrics: by name, the expression of each; {unit} multiplies by the
    target's unit. right: of a batch, which samples are right, where each sample is right or wrong.
    """

    lines: tuple[str, ...]
    sums: tuple[str, ...]
    metrics: Mapping[str, str]
    right: str = ""


@dataclass(frozen=True)
class Metrics:
    """Metrics of outputs, as sums over samples, so that batches and epochs just add up.

    width: how many sums there are, the count first; `core.tasks.measure.Measure.rows` has what each
    sample adds. values: metrics by name from the sums; measure has the unit.
    """

    width: int
    values: Callable[[Any, list[float]], dict[str, float]]
    script: ScriptMetrics


@dataclass(frozen=True)
class TargetKind:
    """How outputs are compared with one target.

    losses: names of torch's, the usual one first. outputs: how many of them are compared. integer:
    whether targets are class numbers (int64), not floats. threshold: which setting of the loss is
    twice the distance of a yes, "" where a yes is above 0 for logits and else above 0.5. in_unit:
    whether numbers are told in the target's unit. readout: what an output means. no_target: what is
    right where a constant stands for the target. functions: whose text measures in a script,
    "module:function".

    one_class: whether a sample has exactly one of the classes. names_classes: whether the classes
    of the data are those of the output. per_position: whether each position of a text has scores
    of its own, (N, L, C). reads_lengths: whether the loss needs the lengths of sequences (CTC).
    has_neighbours: whether samples with alike outputs are worth showing. draws_input: whether the
    output is the sample itself, drawn again. per_pixel: whether the target is a mask, a value for
    each pixel of the picture. class_at_pixel: whether that is one of the classes of the data, so
    that its metrics are of pixels and of each class. each_class: whether metrics are of each class
    or label, too, so that they need to know how many there are. of_windows: whether it is what
    follows a window of a series.
    """

    name: str
    losses: tuple[str, ...]
    metrics: Metrics | None = None
    outputs: int = 1
    integer: bool = False
    threshold: str = ""
    in_unit: bool = False
    readout: Readout = NO_READOUT
    no_target: str = ""
    functions: tuple[str, ...] = ()
    one_class: bool = False
    names_classes: bool = False
    per_position: bool = False
    reads_lengths: bool = False
    has_neighbours: bool = False
    draws_input: bool = False
    per_pixel: bool = False
    class_at_pixel: bool = False
    each_class: bool = False
    of_windows: bool = False


Fit = Callable[[TaskSource, str, Shape, Shape], tuple[Shape, str]]


@dataclass(frozen=True)
class Task:
    """What a network can be trained for.

    targets: of the data; none where the losses alone say it. kinds: how outputs may be compared,
    the usual one first. fit: (source, column, input shape, output shape) -> the shape of one target
    and its kind; raises DataError where the output does not suit. best_by: what usually chooses the
    best checkpoint. chosen_by_accuracy: whether val_accuracy may choose it. losses: those that no
    other task has. weighed: losses that take a weight for each class. class_count: of all
    data of the task, 0 where the data says it. class_word: what the classes are called. compares:
    whether samples are compared with each other. one_class: whether each sample has one class, by
    which it can be drawn. adversarial: whether networks play against each other, so that one of
    them makes the samples.
    """

    name: str
    kinds: tuple[TargetKind, ...]
    targets: tuple[Target, ...] = ()
    fit: Fit | None = None
    best_by: str = "val_loss"
    chosen_by_accuracy: bool = False
    losses: tuple[Loss, ...] = ()
    weighed: tuple[str, ...] = ()
    class_count: int = 0
    class_word: str = "class"
    compares: bool = False
    one_class: bool = False
    adversarial: bool = False


@cache
def function_of(name: str) -> Callable[..., Any]:
    """The function or class that a declaration names, "module:function"."""
    module, _, function = name.partition(":")
    return getattr(import_module(module), function)


def show(shape: Shape) -> str:
    """Write a shape with its batch, as everywhere else: (N, 1, 28, 28)."""
    return f"({', '.join(['N', *map(str, shape)])})" if shape else "(N,)"


def wrong_output(source: TaskSource, needs: str, size: int, output: Shape) -> DataError:
    """The error of a network whose output is not one row of `size` numbers."""
    hint = f"Set out_features of the last Linear to {size}."
    if len(output) > 1:  # a Linear acts along the last dimension alone
        hint = f"Add a Flatten, or a mean, and then a Linear to {size}."
    return DataError(
        f"{source.name} needs {needs}, (N, {size}), but the network outputs {show(output)}.", hint
    )
