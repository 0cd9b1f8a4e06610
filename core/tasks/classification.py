"""One class of each sample: scores for every class, or one number where there are two."""

from core.tasks.losses import ONE_OF_TWO, SCORES
from core.tasks.metric_sets import ABOVE, correct, hits
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


_ARRAYS, _TRUE = "core.tasks.class_predictions:classes", "core.tasks.labeler:class_name"
_CARD = "a score for each of {classes}"
CLASSES = TargetKind(
    "classes",
    WEIGHED,
    hits("right_classes", correct("({0}.argmax(1) == {target})")),
    integer=True,
    arrays=_ARRAYS,
    readout=Readout(
        score="class",
        select="core.tasks.readouts:flat_score",
        names="core.tasks.readouts:class_names",
        likeliest="core.tasks.readouts:likeliest_class",
        scores="core.tasks.readouts:class_scores",
        probabilities="core.tasks.readouts:class_probabilities",
        web="classes",
        card=_CARD,
    ),
    true_words=_TRUE,
    one_class=True,
    names_classes=True,
    has_neighbours=True,
)
YES_NO = TargetKind(
    "yes_no",
    ONE_OF_TWO,
    hits("right_yes_or_no", correct(f"(({ABOVE}) == {{target}}.bool())")),
    arrays=_ARRAYS,
    readout=Readout(
        score="class",
        select="core.tasks.readouts:yes_score",
        names="core.tasks.readouts:class_names",
        likeliest="core.tasks.readouts:yes_or_no",
        scores="core.tasks.readouts:two_scores",
        probabilities="core.tasks.readouts:two_probabilities",
        web="yes_no",
        card=_CARD,
    ),
    true_words=_TRUE,
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
