"""The next values of a series of numbers."""

from math import prod

from core.errors import DataError
from core.tasks.losses import ERRORS
from core.tasks.metric_sets import NUMBERS
from core.tasks.readout import Readout
from core.tasks.task import Shape, Target, TargetKind, Task, TaskSource, show


def _of_numbers(source: TaskSource) -> bool:
    return source.kind == "series"


def _fit(source: TaskSource, _column: str, shape: Shape, output: Shape) -> tuple[Shape, str]:
    if prod(output) in (1, prod(shape)):
        return output, "series"
    raise DataError(
        f"{source.name} needs the next value, (N, 1), or one after each of {shape[0]}, "
        f"{show(shape)}, but the network outputs {show(output)}.",
        "Set out_features of the last Linear, and keep the length of the sequence.",
    )


TASK = Task(
    "series",
    (
        TargetKind(
            "series",
            (*ERRORS, "GaussianNLLLoss"),
            NUMBERS,
            arrays="core.tasks.predictions:lines",
            readout=Readout(
                score="step",
                select="core.tasks.readouts:step_score",
                names="core.tasks.readouts:single_name",
                likeliest="core.tasks.readouts:first_score",
                position="core.tasks.readouts:last_position",
                drawn="core.tasks.readouts:drawn_values",
                lines=True,
                web="series",
                missing={"words": "The prediction is a series: the Output block shows it."},
            ),
        ),
    ),
    (Target("next", "next", "to be continued", "what comes next", when=_of_numbers),),
    _fit,
)
