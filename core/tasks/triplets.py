"""Two samples of one class and one of another: vectors, of which the first two should be near."""

from core.tasks.metric_sets import accuracy, correct
from core.tasks.pairs import COMPARED
from core.tasks.readout import Readout
from core.tasks.task import Metrics, Target, TargetKind, Task

_NEARER = correct(
    "(positive_distance < negative_distance)",
    "positive_distance = ({0} - {1}).norm(dim=1)",
    "negative_distance = ({0} - {2}).norm(dim=1)",
)
TASK = Task(
    "triplets",
    (
        TargetKind(
            "triplet",
            ("TripletMarginLoss",),
            Metrics(2, accuracy, _NEARER, rows="core.tasks.metrics:nearer"),
            outputs=3,
            arrays="core.tasks.metric_learning:triplets",
            readout=Readout(
                words="core.tasks.labeler:predicted_distances",
                missing=dict.fromkeys(("score", "web"), COMPARED),
            ),
        ),
    ),
    (
        Target(
            "triplet",
            "",
            "in triplets, two of one class and one of another",
            "which of two samples has the same class",
            inputs=("anchor", "positive", "negative"),
            per_sample=2,
            functions=("core.data.reading:partners", "core.data.reading:triplets"),
        ),
    ),
    compares=True,
)
