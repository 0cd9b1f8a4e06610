"""Any of several labels of each sample."""

from core.tasks.losses import ONE_OF_TWO
from core.tasks.metric_sets import LABELS
from core.tasks.readout import Readout
from core.tasks.task import Shape, Target, TargetKind, Task, TaskSource, wrong_output

LOSSES = (*ONE_OF_TWO, "MultiLabelSoftMarginLoss")


def _fit(source: TaskSource, _column: str, _input: Shape, output: Shape) -> tuple[Shape, str]:
    count = len(source.classes)
    if output == (count,):
        return output, "labels"
    raise wrong_output(source, f"a score for each of {count} labels", count, output)


TASK = Task(
    "labels",
    (
        TargetKind(
            "labels",
            LOSSES,
            LABELS,
            arrays="core.tasks.class_predictions:labels",
            true_words="core.tasks.labeler:true_labels",
            readout=Readout(
                score="label",
                select="core.tasks.readouts:flat_score",
                names="core.tasks.readouts:class_names",
                likeliest="core.tasks.readouts:likeliest_class",
                scores="core.tasks.readouts:label_scores",
                words="core.tasks.labeler:predicted_labels",
                probabilities="core.tasks.readouts:label_probabilities",
                drawn="core.tasks.readouts:drawn_probabilities",
                web="labels",
                card="a label for each of {classes}",
            ),
            names_classes=True,
            has_neighbours=True,
        ),
    ),
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
