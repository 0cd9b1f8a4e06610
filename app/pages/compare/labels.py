"""Titles of settings and results on the Compare page, and their values as text."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.pages.shared import data_settings, setting_widgets
from core.settings.schema import POWERS, TRAINING
from core.tasks.metric_labels import Aims, judged_by, metric_words, shown

OTHERS = {
    "params": "Parameters",
    "seconds": "Time",
    "drawing": "Drawing",
    "verdict": "Verdict",
    "data.source": "Data set",
    "data.target": "Target",
    "scheduler.name": "Schedule",
}
GROUPS = {
    "optimizer_settings": "Optimiser",
    "loss_settings": "Loss",
    "scheduler": "Schedule",
    "distil": "Teacher",
    "start_from": "Start from",
    "data": "Data",
    "versions": "Version",
}
_TITLES = {setting.name: setting_widgets.title(setting) for setting in TRAINING}
_TITLES |= {
    f"data.{setting.name}": setting_widgets.title(setting)
    for setting in data_settings.DATA_SETTINGS
}
Row = Sequence[Any]


def title_of(name: str, aims: Aims | None = None) -> str:
    """The title of a row, as on the other pages.

    aims: the targets of the metrics, if there are several losses.
    """
    if name.startswith("best val_"):
        words = metric_words(name.removeprefix("best "), aims)
        return words[0].upper() + words[1:]
    group, _, rest = name.partition(".")
    plain = f"{GROUPS[group]}: {rest}" if rest and group in GROUPS else name
    return OTHERS.get(name) or _TITLES.get(name) or plain


def cells_of(name: str, row: Row) -> list[str]:
    """The cells of a row, one per run; "" where a run does not have it."""
    if name == "drawing":  # only its hash is known: letters show which are equal
        kinds = list(dict.fromkeys(row))
        return [chr(ord("A") + kinds.index(value)) for value in row]
    return ["" if value is None else _one(name, value) for value in row]


def _one(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str):
        return judged_by(value) if name == "best_by" else value
    if name == "seconds":
        return _time(value)
    if name.startswith("best val_"):
        return shown(name, value)
    return f"{value:.4g}" if isinstance(value, float) else f"{value:,}"


def _time(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes = int(seconds) // 60
    if minutes < 60:
        return f"{minutes} min {int(seconds) % 60} s"
    return f"{minutes // 60} h {minutes % 60} min"


def axes(rows: Mapping[str, Row], aims: Aims | None = None) -> list[dict[str, Any]]:
    """Axes of the parallel coordinates chart: positions by value, and their labels."""
    return [
        {
            "name": title_of(name, aims),
            "values": list(row),
            "texts": cells_of(name, row),
            "powers": name.rpartition(".")[2] in POWERS,
        }
        for name, row in rows.items()
    ]
