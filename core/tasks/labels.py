"""Any of several labels of each sample."""

from core.tasks.losses import ONE_OF_TWO
from core.tasks.metric_sets import LABEL_SUMS
from core.tasks.readout import Readout
from core.tasks.task import Shape, Target, TargetKind, Task, TaskSource, wrong_output

LOSSES = (*ONE_OF_TWO, "MultiLabelSoftMarginLoss")


def _fit(source: TaskSource, _column: str, _input: Shape, output: Shape) -> tuple[Shape, str]:
    count = len(source.classes)
    if output == (count,):
        return output, "labels"
    raise wrong_output(source, f"a score for each of {count} labels", count, output)


LABELS = TargetKind(
    "labels",
    LOSSES,
    LABEL_SUMS,
    readout=Readout(
        score="label",
        words=True,
        web="labels",
        card="a label for each of {classes}",
    ),
    names_classes=True,
    has_neighbours=True,
)
TASK = Task(
    "labels",
    (LABELS,),
    (
        Target(
            "labels",
            "labels",
            "with up to {classes} labels each",
            "which labels it has, none to all",
            beside=True,
        ),
    ),
    _fit,
    weighed=LOSSES,
    class_word="label",
)
