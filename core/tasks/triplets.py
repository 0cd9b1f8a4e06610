"""Two samples of one class and one of another: vectors, of which the first two should be near."""

from core.tasks.metric_sets import correct, right_or_wrong
from core.tasks.pairs import COMPARED
from core.tasks.readout import Readout
from core.tasks.task import Target, TargetKind, Task

_NEARER = correct(
    "(positive_distance < negative_distance)",
    "positive_distance = ({0} - {1}).norm(dim=1)",
    "negative_distance = ({0} - {2}).norm(dim=1)",
)
TRIPLET = TargetKind(
    "triplet",
    ("TripletMarginLoss",),
    right_or_wrong(_NEARER),
    outputs=3,
    readout=Readout(
        words=True,
        missing=dict.fromkeys(("score", "web"), COMPARED),
    ),
)
TASK = Task(
    "triplets",
    (TRIPLET,),
    (
        Target(
            "triplet",
            "",
            "in triplets, two of one class and one of another",
            "which of two samples has the same class",
            inputs=("anchor", "positive", "negative"),
            per_sample=2,
            functions=(
                "core.data.batches.reading:partners",
                "core.data.batches.reading:triplets",
            ),
        ),
    ),
    compares=True,
)
