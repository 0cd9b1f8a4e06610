"""One number of each sample."""

from math import prod

from core.tasks.classification import has_classes
from core.tasks.losses import ERRORS
from core.tasks.metric_sets import NUMBERS
from core.tasks.readout import Readout
from core.tasks.task import Shape, Target, TargetKind, Task, TaskSource, wrong_output


def _has_numbers(source: TaskSource) -> bool:
    """Whether a label is a number, not a class."""
    return not has_classes(source)


def _fit(source: TaskSource, _column: str, _input: Shape, output: Shape) -> tuple[Shape, str]:
    if prod(output) == 1:
        return output, "regression"
    raise wrong_output(source, "one number", 1, output)


REGRESSION = TargetKind(
    "regression",
    (*ERRORS, "PoissonNLLLoss", "GaussianNLLLoss"),
    NUMBERS,
    in_unit=True,
    readout=Readout(
        score="number",
        words=True,
        number=True,
        web="regression",
        card="{target}; {unit}",
    ),
    has_neighbours=True,
)
TASK = Task(
    "regression",
    (REGRESSION,),
    (
        Target(
            "label",
            "label",
            "with their {target_name}",
            "its class or number",
            when=_has_numbers,
            beside=True,
        ),
    ),
    _fit,
)
