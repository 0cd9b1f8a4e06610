"""One class of each sample: scores for every class, or one number where there are two."""

from core.tasks.losses import ONE_OF_TWO, SCORES
from core.tasks.metric_sets import ABOVE, correct, right_or_wrong
from core.tasks.readout import Readout
from core.tasks.task import Shape, Target, TargetKind, Task, TaskSource, wrong_output

WEIGHED = (*SCORES, "MultiMarginLoss")
"""Losses that take torch's `weight`, one number for each class."""


def has_classes(source: TaskSource) -> bool:
    """Whether a label is a class, not a number."""
    return bool(source.classes)


def _fit(source: TaskSource, _column: str, _input: Shape, output: Shape) -> tuple[Shape, str]:
    count = len(source.classes)
    if output == (count,):
        return (), "classes"
    if count == 2 and output == (1,):
        return output, "yes_no"
    raise wrong_output(source, f"a score for each of {count} classes", count, output)


_CARD = "a score for each of {classes}"
CLASSES = TargetKind(
    "classes",
    WEIGHED,
    right_or_wrong(correct("({0}.argmax(1) == {target})")),
    integer=True,
    readout=Readout(
        score="class",
        words=True,
        web="classes",
        card=_CARD,
    ),
    one_class=True,
    names_classes=True,
    has_neighbours=True,
)
YES_NO = TargetKind(
    "yes_no",
    ONE_OF_TWO,
    right_or_wrong(correct(f"(({ABOVE}) == {{target}}.bool())")),
    readout=Readout(
        score="class",
        words=True,
        web="yes_no",
        card=_CARD,
    ),
    one_class=True,
    names_classes=True,
    has_neighbours=True,
)
TASK = Task(
    "classification",
    (CLASSES, YES_NO),
    (
        Target(
            "label",
            "label",
            "in {classes} classes",
            "its class or number",
            when=has_classes,
            beside=True,
        ),
    ),
    _fit,
    best_by="val_accuracy",
    chosen_by_accuracy=True,
    weighed=WEIGHED,
    one_class=True,
)
