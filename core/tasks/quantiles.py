"""Quantiles of one number of each sample: a prediction interval."""

from blocks.spec import Setting
from core.common.errors import DataError
from core.tasks.classification import has_classes
from core.tasks.losses import Loss
from core.tasks.readout import Readout
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

PINBALL = Loss(
    "PinballLoss",
    "For quantiles: an error is weighted by q if the output is too low and by 1 - q if it is too "
    "high, so that a share q of the targets ends up below it (Koenker and Bassett, 1978).",
    (
        Setting(
            "quantiles",
            "float",
            "Share of the targets below each value of the output: rising numbers between 0 and "
            "1, such as 0.1, 0.5, 0.9.",
            default=(0.1, 0.5, 0.9),
            low=0.001,
            high=0.999,
            several=True,
        ),
    ),
    r"\max(q\,(y - x), (q - 1)(y - x))",
    module="core.tasks.quantile_regression:PinballLoss",
)


def _has_numbers(source: TaskSource) -> bool:
    return not has_classes(source)


def _fit(source: TaskSource, _column: str, _input: Shape, output: Shape) -> tuple[Shape, str]:
    if len(output) == 1 and output[0] > 1:
        return (1,), "quantiles"
    raise DataError(
        f"{source.name} needs several quantiles of a number, (N, 3) for three, but the network "
        f"outputs {show(output)}.",
        "Set out_features of the last Linear to the number of quantiles.",
    )


def _values(measure: object, sums: list[float]) -> dict[str, float]:
    count, misses, covered, spans, crossed = sums
    unit = getattr(measure, "unit", 1.0)
    return {
        "mae": misses / count * unit,
        "coverage": covered / count,
        "interval_width": spans / count * unit,
        "crossing": crossed / count,
    }


_SCRIPT = ScriptMetrics(
    (
        "low, high, truth = {0}[:, 0], {0}[:, -1], {target}[:, 0]",
        "middle = {0}[:, {0}.shape[1] // 2]",
        "count += len(truth)",
        "misses += (middle - truth).abs().sum().item()",
        "covered += ((low <= truth) & (truth <= high)).sum().item()",
        "spans += (high - low).sum().item()",
        "crossed += ({0}.diff(dim=1) < 0).any(1).sum().item()",
    ),
    ("count", "misses", "covered", "spans", "crossed"),
    {
        "mae": "misses / count{unit}",
        "coverage": "covered / count",
        "interval_width": "spans / count{unit}",
        "crossing": "crossed / count",
    },
)
QUANTILES = TargetKind(
    "quantiles",
    (PINBALL.name,),
    Metrics(5, _values, _SCRIPT),
    in_unit=True,
    readout=Readout(
        score="number",
        words=True,
        web="quantiles",
        card="quantiles of {target}; {unit}",
    ),
)
TASK = Task(
    "quantiles",
    (QUANTILES,),
    (
        Target(
            "quantiles",
            "label",
            "whose {target_name} is predicted as quantiles",
            "an interval for its number (quantiles)",
            when=_has_numbers,
            offered_with="label",
        ),
    ),
    _fit,
    losses=(PINBALL,),
)
