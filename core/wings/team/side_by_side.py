"""Shapes and costs of two versions side by side, as torch counted them in their analyses.

Reads reports as JSON, as commands and pages have them. Costs are for one sample.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.wings.team.compared import TwoVersions

TOTALS = {
    "Parameters": "total_params",
    "Trainable parameters": "trainable_params",
    "Multiply-adds": "mult_adds",
}
NOTHING = "—"


@dataclass(frozen=True)
class VersionCost:
    """A block. shape: of its outputs, "" where it is unknown."""

    shape: str
    params: int
    mult_adds: int


@dataclass(frozen=True)
class CostRow:
    """A block whose shape or cost differs; None in the version that has it not."""

    name: str
    was: VersionCost | None
    now: VersionCost | None


@dataclass(frozen=True)
class SideBySide:
    """totals: title -> (old, new), None where an error leaves it open. shapes: of each block of
    the main graph, in a line. errors: of the old and the new version, "" for none."""

    totals: Mapping[str, tuple[int | None, int | None]]
    rows: tuple[CostRow, ...]
    shapes: Mapping[str, str]
    errors: tuple[str, str]


def side_by_side(
    compared: TwoVersions, old: Mapping[str, Any], new: Mapping[str, Any]
) -> SideBySide:
    """Put two reports side by side. old, new: as `report_json` gives them."""
    was = _costs(old, {was: now for now, was in compared.former.items()})
    now = _costs(new, {})
    totals = {title: (_total(old, key), _total(new, key)) for title, key in TOTALS.items()}
    rows = tuple(
        CostRow(name, was.get(name), now.get(name))
        for name in dict.fromkeys((*now, *was))
        if was.get(name) != now.get(name)
    )
    shapes = {name: _arrow(was.get(name), now.get(name)) for name in {**was, **now}}
    errors = (_error(old), _error(new))
    return SideBySide(totals, rows, {k: v for k, v in shapes.items() if v}, errors)


def _costs(report: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, VersionCost]:
    """The blocks of the main graph, under their new names."""
    return {
        names.get(path, path): VersionCost(
            "; ".join(_shapes(node)), int(node["params"]), int(node["mult_adds"])
        )
        for path, node in report["nodes"].items()
        if "." not in path
    }


def _shapes(node: Mapping[str, Any]) -> Iterator[str]:
    for output in node["outputs"].values():
        sizes = [str(size) for size in output["shape"]]
        yield f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"


def shapes_of(report: Mapping[str, Any]) -> dict[str, str]:
    """The shapes of each block of the main graph, in a line."""
    return {name: cost.shape for name, cost in _costs(report, {}).items() if cost.shape}


def _total(report: Mapping[str, Any], key: str) -> int | None:
    return int(report[key]) if report["ok"] else None


def _error(report: Mapping[str, Any]) -> str:
    return "" if report["ok"] or not report["errors"] else str(report["errors"][0]["message"])


def _arrow(was: VersionCost | None, now: VersionCost | None) -> str:
    old, new = (cost.shape if cost else "" for cost in (was, now))
    return f"{old} → {new}" if old and new and old != new else new or old


def number(value: int | None) -> str:
    """A count for people."""
    return NOTHING if value is None else f"{value:,}"
