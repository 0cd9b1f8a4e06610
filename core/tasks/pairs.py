"""Whether two samples are of one class: a distance of the network, or a vector of each."""

from math import prod

from core.tasks.metric_sets import correct, right_or_wrong
from core.tasks.readout import Readout
from core.tasks.task import Shape, Target, TargetKind, Task, TaskSource, wrong_output


def _fit(source: TaskSource, _column: str, _input: Shape, output: Shape) -> tuple[Shape, str]:
    if prod(output) == 1:
        return output, "pair"
    raise wrong_output(source, "one distance for each pair", 1, output)


COMPARED = "Outputs are compared with each other, so none is a prediction by itself."
_ALIKE = correct(
    "(predicted == ({target} > 0))",
    "predicted = nn.CosineSimilarity()({0}, {1}) > 0.5",
)
PAIR = TargetKind(
    "pair",
    ("HingeEmbeddingLoss",),
    right_or_wrong(correct("(({0} < {threshold}) == ({target} > 0))")),
    threshold="margin",
    readout=Readout(
        score="distance",
        words=True,
        web="pair",
    ),
)
COSINE = TargetKind(
    "cosine",
    ("CosineEmbeddingLoss",),
    right_or_wrong(_ALIKE),
    outputs=2,
    readout=Readout(
        words=True,
        missing=dict.fromkeys(("score", "web"), COMPARED),
    ),
)
TASK = Task(
    "pairs",
    (PAIR, COSINE),
    (
        Target(
            "pair",
            "same",
            "in pairs of the same or of different classes",
            "whether two samples have the same class",
            inputs=("first", "second"),
            per_sample=4,
            functions=("core.data.batches.reading:partners", "core.data.batches.reading:pairs"),
        ),
    ),
    _fit,
    compares=True,
)
