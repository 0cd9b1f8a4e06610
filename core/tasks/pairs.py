"""Whether two samples are of one class: a distance of the network, or a vector of each."""

from math import prod

from core.tasks.metric_sets import accuracy, correct, hits
from core.tasks.readout import Readout
from core.tasks.task import Metrics, Shape, Target, TargetKind, Task, TaskSource, wrong_output


def _fit(source: TaskSource, _column: str, _input: Shape, output: Shape) -> tuple[Shape, str]:
    if prod(output) == 1:
        return output, "pair"
    raise wrong_output(source, "one distance for each pair", 1, output)


COMPARED = "Outputs are compared with each other, so none is a prediction by itself."
_ARRAYS, _TRUE = "core.tasks.metric_learning:pairs", "core.tasks.labeler:pair_of_classes"
_ALIKE = correct(
    "(predicted == ({target} > 0))",
    "predicted = nn.CosineSimilarity()({0}, {1}) > 0.5",
)
TASK = Task(
    "pairs",
    (
        TargetKind(
            "pair",
            ("HingeEmbeddingLoss",),
            hits("right_distances", correct("(({0} < {threshold}) == ({target} > 0))")),
            threshold="margin",
            readout=Readout(
                score="distance",
                select="core.tasks.readouts:flat_score",
                names="core.tasks.readouts:numbered_names",
                likeliest="core.tasks.readouts:first_score",
                words="core.tasks.labeler:predicted_distance",
                web="pair",
            ),
            arrays=_ARRAYS,
            true_words=_TRUE,
        ),
        TargetKind(
            "cosine",
            ("CosineEmbeddingLoss",),
            Metrics(2, accuracy, _ALIKE, rows="core.tasks.metrics:right_directions"),
            outputs=2,
            readout=Readout(
                words="core.tasks.labeler:predicted_cosine",
                missing=dict.fromkeys(("score", "web"), COMPARED),
            ),
            arrays=_ARRAYS,
            true_words=_TRUE,
        ),
    ),
    (
        Target(
            "pair",
            "same",
            "in pairs of the same or of different classes",
            "whether two samples have the same class",
            inputs=("first", "second"),
            per_sample=4,
            functions=("core.data.reading:partners", "core.data.reading:pairs"),
        ),
    ),
    _fit,
    compares=True,
)
