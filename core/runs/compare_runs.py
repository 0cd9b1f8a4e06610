"""Differences of runs: the settings that differ, and the metrics that resulted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.common.json_types import is_object
from core.graph.difference import same_network
from core.graph.model import Graph
from core.project import ProjectError, open_project
from core.runs.comparability import JudgedOn, difference, groups, judged_on
from core.runs.files import BASELINE, read_json, read_status
from core.tasks.metric_labels import higher_is_better, named_aims

Row = list[Any]
SIMPLE = (bool, int, float, str)


def differing_settings(run_dirs: Sequence[Path]) -> dict[str, Row]:
    """Name of a setting: its value in each run, only where they are not all the same.

    Settings of training by their own names, those of the data as "data.NAME", nested ones as
    "optimizer_settings.momentum". None where a run does not have it.
    """
    tables = [_settings(read_json(path / "spec.json")) for path in run_dirs]
    for table, drawing in zip(tables, drawings(run_dirs), strict=True):
        table["drawing"] = drawing
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


@dataclass(frozen=True)
class Standing:
    """What may be said of runs beside each other.

    best: the run that is best of all, None where no single one is. groups: the runs that compare
    with each other, in their order; runs without a result are in none. bests: the best of each
    group, None where no single one is. why: why there are several groups, "" for one or none.
    """

    best: int | None = None
    groups: tuple[tuple[int, ...], ...] = ()
    bests: tuple[int | None, ...] = ()
    why: str = ""

    def sentences(self, names: Sequence[str]) -> list[str]:
        """The best run; where runs do not compare why there is none, and the best of each group."""
        if self.best is not None:
            return [f"Best run: {names[self.best]}"]
        if not self.why:
            return []
        apart = " | ".join(", ".join(names[i] for i in group) for group in self.groups)
        found = [f"No best run: they were {self.why} ({apart})."]
        for group, best in zip(self.groups, self.bests, strict=True):
            if best is not None:
                among = ", ".join(names[i] for i in group)
                found.append(f"Best of {among}: {names[best]}")
        return found


def standing(run_dirs: Sequence[Path]) -> Standing:
    """Which runs compare with each other, and which is best by the metric that judges them."""
    results = {i: one for i, path in enumerate(run_dirs) if (one := _result(path))}
    numbers = groups([(one.judged, one.metric) for one in results.values()])
    members: list[list[int]] = [[] for _ in range(max(numbers, default=-1) + 1)]
    for i, number in zip(results, numbers, strict=True):
        members[number].append(i)
    bests = tuple(_best_among(group, results) for group in members)
    best = bests[0] if len(members) == 1 else None
    return Standing(best, tuple(map(tuple, members)), bests, _why(members, results))


@dataclass(frozen=True)
class Result:
    """What a run came to, and on what it was judged."""

    judged: JudgedOn
    metric: str
    value: float


def _result(run_dir: Path) -> Result | None:
    best: Mapping[str, Any] = read_status(run_dir).get("best") or {}
    if not _is_number(best.get("value")):
        return None
    judged = judged_on(read_json(run_dir / "spec.json"), read_json(run_dir / BASELINE))
    return Result(judged, str(best.get("metric")), float(best["value"]))


def _best_among(group: Sequence[int], results: Mapping[int, Result]) -> int | None:
    if len(group) < 2:
        return None
    pick = max if higher_is_better(results[group[0]].metric) else min
    top = pick(results[i].value for i in group)
    winners = [i for i in group if results[i].value == top]
    return winners[0] if len(winners) == 1 else None


def _why(members: Sequence[Sequence[int]], results: Mapping[int, Result]) -> str:
    """In what the first of each group differs from the first of all."""
    if len(members) < 2:
        return ""
    first, *others = (results[group[0]] for group in members)
    reasons = [
        difference(first.judged, other.judged, first.metric) or "by different metrics"
        for other in others
    ]
    return f"judged {' and '.join(dict.fromkeys(reasons))}"


def best_of(run_dirs: Sequence[Path]) -> int | None:
    """Which run is best by what they were judged by; None where no single one is.

    None, too, where they were judged on other data or samples, for another target or by another
    metric: see `standing`.
    """
    return standing(run_dirs).best


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def drawings(run_dirs: Sequence[Path]) -> list[str]:
    """A short name for the drawing of each run: the same wherever the network is, by any name.

    Of a run whose drawing cannot be read it is that of its code.
    """
    found: list[tuple[Graph | None, str]] = []
    for path in run_dirs:
        graph = _graph(path / "project.loom.json")
        code = str(read_json(path / "spec.json").get("source_sha256", ""))[:8]
        known = (name for other, name in found if graph and other and same_network(graph, other))
        found.append((graph, next(known, code)))
    return [name for _, name in found]


def _graph(path: Path) -> Graph | None:
    try:
        return open_project(path).graph
    except (OSError, ProjectError):
        return None


def _settings(spec: Mapping[str, Any]) -> dict[str, Any]:
    settings = _flatten(spec.get("training", {}), "") | _flatten(spec.get("data", {}), "data.")
    settings.pop("data.summary", None)
    versions = _flatten(spec.get("versions", {}), "versions.")
    settings = _sweep_settings(spec.get("sweep")) | settings
    device = {"threads": spec.get("threads")}
    return {**settings, **device, **versions}


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
