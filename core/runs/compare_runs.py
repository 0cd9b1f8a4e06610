"""Differences of runs: the settings that differ, and the metrics that resulted."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.json_types import is_object
from core.runs.files import read_json, read_status
from core.tasks.metric_labels import named_aims

Row = list[Any]
SIMPLE = (bool, int, float, str)


def differing_settings(run_dirs: Sequence[Path]) -> dict[str, Row]:
    """Name of a setting: its value in each run, only where they are not all the same.

    Settings of training by their own names, those of the data as "data.NAME", nested ones as
    "optimizer_settings.momentum". None where a run does not have it.
    """
    tables = [_settings(read_json(path / "spec.json")) for path in run_dirs]
    names = dict.fromkeys(name for table in tables for name in table)
    rows = {name: [table.get(name) for table in tables] for name in names}
    return {name: row for name, row in rows.items() if any(value != row[0] for value in row)}


def outcomes(run_dirs: Sequence[Path]) -> dict[str, Row]:
    """Best metrics, weights and time of each run; None where it has none yet."""
    rows: list[dict[str, Any]] = []
    for path in run_dirs:
        spec, status = read_json(path / "spec.json"), read_status(path)
        best: Mapping[str, Any] = status.get("best") or {}
        metrics: Mapping[str, Any] = best.get("metrics") or status.get("metrics") or {}
        best_metrics = {
            f"best {name}": metrics.get(name) for name in metrics if name.startswith("val_")
        }
        seconds = status.get("elapsed_s")
        rows.append({**best_metrics, "params": spec.get("params"), "seconds": seconds})
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def aims_of_all(run_dirs: Sequence[Path]) -> dict[str, str]:
    """What metrics of several losses are of, where the runs agree."""
    tables = [named_aims(read_json(path / "spec.json")) for path in run_dirs]
    union = {name: words for aims in tables for name, words in aims.items()}
    main_agrees = all(aims.get("", "") == union.get("") for aims in tables)
    return union if main_agrees else {name: words for name, words in union.items() if name}


def best_of(run_dirs: Sequence[Path]) -> int | None:
    """Which run is best by the metric they were judged by; None where no single one is."""
    bests: list[Mapping[str, Any]] = [read_status(path).get("best") or {} for path in run_dirs]
    metrics = {best.get("metric") for best in bests if best}
    known = [(best["value"], i) for i, best in enumerate(bests) if _is_number(best.get("value"))]
    if len(metrics) != 1 or len(known) < 2:
        return None
    pick = max if "accuracy" in str(metrics.pop()) else min
    top = pick(known)[0]
    winners = [i for value, i in known if value == top]
    return winners[0] if len(winners) == 1 else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _settings(spec: Mapping[str, Any]) -> dict[str, Any]:
    settings = _flatten(spec.get("training", {}), "") | _flatten(spec.get("data", {}), "data.")
    settings.pop("data.summary", None)
    versions = _flatten(spec.get("versions", {}), "versions.")
    settings = _sweep_settings(spec.get("sweep")) | settings
    device = {"threads": spec.get("threads")}
    return {**settings, **device, **versions, "drawing": str(spec.get("source_sha256", ""))[:8]}


def _sweep_settings(sweep: Any) -> dict[str, Any]:
    """Settings of blocks that were drawn for a trial; the others stand among their own."""
    return _flatten(sweep.get("settings"), "") if is_object(sweep) else {}


def _flatten(table: Any, prefix: str) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in table.items() if is_object(table) else ():
        if is_object(value):
            flat |= _flatten(value, f"{prefix}{name}.")
        elif isinstance(value, SIMPLE):
            flat[f"{prefix}{name}"] = value
        elif value:
            flat[f"{prefix}{name}"] = ", ".join(map(str, value))
    return flat
