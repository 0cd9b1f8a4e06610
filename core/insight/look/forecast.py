"""Forecasts of a series beside what came; the error of each step beside simple rules."""

from typing import Any

from core.common.network_ref import NetworkRef
from core.insight.look.view import LookRequest, LookResult, View

MOST_POINTS = 400
"""Windows of the validation part that are drawn, the last ones: more lie closer than pixels."""


def forecast(ref: NetworkRef, request: LookRequest) -> LookResult:
    """What is predicted of the rows that validate, in the unit of the file.

    document: the mean absolute error of each step ahead, of the network and of repeating the last
    value or that of a season ago; and, of the first step, target and prediction of each window.
    Raises NoSuch for a network that predicts no series.
    """
    from core.engine.baseline import value_before
    from core.insight.attribution.subject import NoSuch
    from core.insight.network_cache import aim, judged, opened
    from core.tasks.tensor_values import floats

    measure, dataset = aim(ref).measure, opened(ref).dataset
    if measure is None or not measure.declared.of_windows:
        raise NoSuch("This network does not predict the next values of a series.", "See Mistakes.")
    found = judged(ref)
    assert found.targets is not None
    count = len(found.targets)
    unit, middle = measure.unit, measure.middle
    true = found.targets.reshape(count, -1).double()
    predicted = measure.numbers(found.outputs[0]).reshape(count, -1).double()
    rows = dataset.validation_indices[:count]
    rules = {
        f"repeating {value_before(dataset.info, back)}": values[rows].double()
        for back, values in dataset.naive.items()
    }
    errors = {"network": predicted, **rules}
    each = {name: floats((v - true).abs().mean(0) * unit) for name, v in errors.items()}
    steps: tuple[dict[str, Any], ...] = tuple(
        {"rows ahead": step + 1, **{name: values[step] for name, values in each.items()}}
        for step in range(true.shape[1])
    )
    drawn = {"true": true, "predicted": predicted}
    curves = {
        name: floats(values[-MOST_POINTS:, 0] * unit + middle) for name, values in drawn.items()
    }
    document: dict[str, Any] = {
        "target": dataset.info.origin.target_name,
        "windows": count,
        "mean_absolute_error": [dict(step) for step in steps],
        "first_step": curves,
    }
    lines = (
        f"{count:,} validation windows, mean absolute error of {document['target']}:",
        *(
            f"  {step['rows ahead']} ahead: "
            + ", ".join(f"{name} {step[name]:.4g}" for name in each)
            for step in steps
        ),
    )
    arrays = {name: (values * unit + middle).numpy() for name, values in drawn.items()}
    return LookResult(document, lines, arrays, table=steps)


VIEWS = (
    View(
        "forecast",
        "forecasts of a series beside what came, and the error of each step",
        forecast,
        sample=False,
        order=44,
        endings=(".json", ".npz"),
    ),
)
