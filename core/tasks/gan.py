"""Adversarial training: a generator makes samples, a discriminator tells them from real ones."""

from core.tasks.losses import ONE_OF_TWO
from core.tasks.metric_sets import right_or_wrong
from core.tasks.readout import Readout
from core.tasks.task import ScriptMetrics, TargetKind, Task

_SCRIPT = ScriptMetrics(
    ("right += ({0} {sign} {threshold}).sum().item()", "count += {0}.numel()"),
    ("right", "count"),
    {"accuracy": "right / count"},
)
JUDGED = TargetKind(
    "judged",
    (*ONE_OF_TWO, "MSELoss"),
    right_or_wrong(_SCRIPT),
    no_target="real",
    readout=Readout(
        score="score",
        words=True,
        missing={"web": "The output is the score of a discriminator, which has no unit."},
    ),
)
TASK = Task(
    "gan",
    (JUDGED,),
    best_by="last",
    adversarial=True,
)
