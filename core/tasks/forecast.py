"""The next values of a column of one's own table, from a window of the rows before."""

from math import prod

from core.tasks.losses import ERRORS
from core.tasks.metric_sets import NUMBERS
from core.tasks.readout import Readout
from core.tasks.task import Shape, Target, TargetKind, Task, TaskSource, wrong_output


def _of_windows(source: TaskSource) -> bool:
    return source.ahead > 0


def _fit(source: TaskSource, _column: str, _input: Shape, output: Shape) -> tuple[Shape, str]:
    ahead = source.ahead
    if prod(output) == ahead:
        return output, "forecast"
    needs = "the next value" if ahead == 1 else f"the next {ahead} values"
    raise wrong_output(source, needs, ahead, output)


FORECAST = TargetKind(
    "forecast",
    (*ERRORS, "GaussianNLLLoss"),
    NUMBERS,
    in_unit=True,
    readout=Readout(
        score="number",
        words=True,
        lines=True,
        web="regression",
        card="the next values of {target}; {unit}",
    ),
    has_neighbours=True,
    of_windows=True,
)
TASK = Task(
    "forecast",
    (FORECAST,),
    (
        Target(
            "ahead",
            "ahead",
            "with the values of {target_name} that follow",
            "the next values of the target",
            when=_of_windows,
        ),
    ),
    _fit,
)
