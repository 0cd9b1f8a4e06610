"""Live curves of one run or of several: they poll a route, so that no rerun is needed."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from core.tasks.metric_labels import METRICS

_LABELS = {name: metric.label() for name, metric in METRICS.items()}
_STATIC = Path(__file__).resolve().parents[1] / "static" / "charts"
_BUNDLE = next(_STATIC.glob("charts-*.js")).name

_mount = st.components.v2.component(  # pyright: ignore[reportAttributeAccessIssue]
    "layerloom_run",
    js=f"""
const url = new URL("app/static/charts/{_BUNDLE}", document.baseURI).href;
export default async (component) => (await import(url)).default(component);
""",
)


def live_run(
    run: str,
    state: str,
    token: str,
    main: str,
    on_state: Callable[[], None],
    on_epoch: Callable[[], None] = lambda: None,
    key: str = "run_view",
) -> None:
    """Show the run named `run`, drawn by Python as being in `state`.

    main: the metric that it is judged by, whose curve stands beside that of the loss.
    `on_state` is called, and the page drawn again, when the run has moved to another state;
    `on_epoch` when the pointer rests at an epoch, which is then the trigger `epoch` of `key`.
    """
    data = {"run": run, "state": state, "token": token, "metrics": _LABELS}
    data["main"] = main.removeprefix("val_")
    _mount(key=key, data=data, on_state_change=on_state, on_epoch_change=on_epoch)


def starting(count: int, key: str = "starting") -> None:
    """Say beside the button Train that a run begins, at once when it is pressed.

    count: of the starts so far; another one ends what is said.
    """
    _mount(key=key, data={"starting": count, "metrics": _LABELS}, width="content")


def sweep(
    name: str,
    state: str,
    token: str,
    titles: Mapping[str, str],
    on_state: Callable[[], None],
    on_act: Callable[[], None],
    key: str = "sweep_view",
) -> None:
    """Show the trials of a sweep, drawn by Python as being in `state`. titles: what its keys are.

    `on_state` is called when it has moved to another state, `on_act` when somebody wants something
    of a trial: {"what": "stop" or "take", "trial", "id"} is then the trigger `act` of `key`.
    """
    data = {"sweep": name, "state": state, "token": token, "titles": dict(titles)}
    data["metrics"] = _LABELS
    _mount(key=key, data=data, on_state_change=on_state, on_act_change=on_act)


def compare_runs(
    runs: Sequence[str], token: str, axes: Sequence[Any], key: str = "compare"
) -> None:
    """Show runs over each other. axes: of the parallel ones, {"name", "values", "texts"} by run."""
    data = {"runs": list(runs), "token": token, "axes": list(axes), "metrics": _LABELS}
    _mount(key=key, data=data)
