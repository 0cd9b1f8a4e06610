"""The sample itself, to be drawn again, perhaps without the noise that was added to it."""

from math import prod

from core.common.errors import DataError
from core.tasks.losses import ERRORS, ONE_OF_TWO
from core.tasks.readout import PARTS, Readout
from core.tasks.task import (
    Metrics,
    ScriptMetrics,
    Shape,
    Target,
    TargetKind,
    Task,
    TaskSource,
    show,
)

NO_PREDICTION = "The output is the loss itself, so it predicts nothing."


def _mae(_measure: object, sums: list[float]) -> dict[str, float]:
    return {"mae": sums[1] / sums[0]}


def _fit(_source: TaskSource, _column: str, shape: Shape, output: Shape) -> tuple[Shape, str]:
    if prod(output) == prod(shape):
        return output, "image"
    raise DataError(
        f"The target is the input, {show(shape)}, but the network outputs {show(output)}.",
        "Make the last block give as many values as the Input takes.",
    )


_SCRIPT = ScriptMetrics(
    ("misses += ({probability} - {target}).abs().sum().item()", "count += {target}.numel()"),
    ("misses", "count"),
    {"mae": "misses / count"},
)
IMAGE = TargetKind(
    "image",
    (*ERRORS, *ONE_OF_TWO),
    Metrics(2, _mae, _SCRIPT),
    readout=Readout(
        web="image",
        missing={
            "score": "The output is a picture, not the score of a class or a number.",
            "words": "The prediction is a picture: the Output block shows it.",
        },
    ),
    draws_input=True,
)
ITSELF = TargetKind(
    "itself", ("mean",), readout=Readout(missing=dict.fromkeys(PARTS, NO_PREDICTION))
)
TASK = Task(
    "image",
    (IMAGE, ITSELF),
    (
        Target(
            "input",
            "input",
            "to be reconstructed",
            "the clean sample itself (autoencoder)",
            beside=True,
        ),
    ),
    _fit,
)
