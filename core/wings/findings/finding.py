"""A finding about a data set, and the change of data settings that mends it. Imports no numpy."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

SHOWN_ROWS = 20
"""Rows that a finding lists; a sentence names a few, a program wants to look at some."""
NAMED = 4
"""Columns that a sentence names; more no longer fit on a line."""


@dataclass(frozen=True)
class Mend:
    """Data settings that mend a finding. title: of the button; data: all settings afterwards."""

    title: str
    data: Mapping[str, Any]


@dataclass(frozen=True)
class DataFinding:
    """One thing to look at.

    kind: such as "leak", "group" or "outlier". columns: by name; rows: as the file counts them, the
    first few of `count`; files: pictures by name. score: from 0 to 1, what the sentence measures,
    None where it measures nothing; baseline: the same without learning anything. doubts: the result
    of a training that it puts in doubt, "high" or "low"; verdict: how a verdict tells it.
    """

    kind: str
    sentence: str
    columns: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    count: int = 0
    files: tuple[str, ...] = ()
    score: float | None = None
    baseline: float | None = None
    mend: Mend | None = None
    doubts: Literal["", "high", "low"] = ""
    verdict: str = ""

    def json(self) -> dict[str, Any]:
        """The finding as `layerloom data --json` writes it."""
        found = asdict(self)
        found["mend"] = self.mend and {"title": self.mend.title, "data": dict(self.mend.data)}
        return found


def without_columns(
    data: Mapping[str, Any], names: Sequence[str], used: Sequence[str]
) -> dict[str, Any] | None:
    """Settings in which these columns are no inputs; None where no input would be left.

    used: the columns that are inputs now.
    """
    kept = [name for name in used if name not in names]
    return {**data, "columns": kept} if kept else None


def named(names: Iterable[str]) -> str:
    """Column names for a sentence: "a, b and c"."""
    found = [shown(name) for name in names]
    if len(found) > NAMED:
        return f"{', '.join(found[:NAMED])} and {len(found) - NAMED:,} more"
    *most, last = found
    return f"{', '.join(most)} and {last}" if most else last


def shown(name: str) -> str:
    """A name or cell of a stranger's file, short enough for a sentence."""
    return name if len(name) <= 40 else f"{name[:39]}…"


def percent(share: float) -> str:
    """A share in percent; never 100 % for less than all."""
    whole = round(100 * share)
    if whole == 100 and share < 1:
        return f"{min(100 * share, 99.9):.1f} %"
    return f"{whole} %"
