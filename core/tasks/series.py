"""The next values of a series of numbers."""

from math import prod

from core.common.errors import DataError
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


SERIES = TargetKind(
    "series",
    (*ERRORS, "GaussianNLLLoss"),
    NUMBERS,
    readout=Readout(
        score="step",
        positions=True,
        lines=True,
        web="series",
        missing={"words": "The prediction is a series: the Output block shows it."},
    ),
)
TASK = Task(
    "series",
    (SERIES,),
    (Target("next", "next", "to be continued", "what comes next", when=_of_numbers),),
    _fit,
)
