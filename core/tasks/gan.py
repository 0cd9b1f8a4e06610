"""Adversarial training: a generator makes samples, a discriminator tells them from real ones."""

from core.tasks.losses import ONE_OF_TWO
from core.tasks.metric_sets import accuracy
from core.tasks.readout import Readout
from core.tasks.task import Metrics, ScriptMetrics, TargetKind, Task

_SCRIPT = ScriptMetrics(
    ("right += ({0} {sign} {threshold}).sum().item()", "count += {0}.numel()"),
    ("right", "count"),
    {"accuracy": "right / count"},
)
TASK = Task(
    "gan",
    (
        TargetKind(
            "judged",
            (*ONE_OF_TWO, "MSELoss"),
            Metrics(2, accuracy, _SCRIPT, hits="core.tasks.metrics:right_yes_or_no"),
            no_target="real",
            readout=Readout(
                score="score",
                select="core.tasks.readouts:flat_score",
                names="core.tasks.readouts:numbered_names",
                likeliest="core.tasks.readouts:first_score",
                words="core.tasks.labeler:predicted_score",
                missing={"web": "The output is the score of a discriminator, which has no unit."},
            ),
        ),
    ),
    best_by="last",
    adversarial=True,
)
