"""The curves of a run, thinned as it grows: curves.json beside metrics.jsonl.

A first look at a run of a million steps reads this file and what was written since. Its worker
keeps it; a run without one is read whole. The rule is fixed: equal stretches of rows, each with its
lowest and its highest value and their mean; when there are too many, neighbours are joined.
"""

import math
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from core.common.json_types import is_list
from core.files.safe_path import discard, open_file
from core.runs import jsonl
from core.runs.files import read_json, write_json

NAME, FORMAT = "curves.json", 1
STRETCHES = 999
"""Most stretches of a kind: two rows of each, and the first and the last, make 2000."""
BY = {"step": "loss", "epoch": "val_loss", "pulse": "grad_norm"}
FROM_BYTES, SHARE = 1 << 20, 0.05
"""Metrics shorter than this are read whole; from there on the summary follows in such steps."""
END = 256
"""Bytes before the end of what is summed up, by which it is known again."""
Row = dict[str, Any]


class Thinned:
    """Rows of one kind, thinned. by: the column whose extremes are kept."""

    def __init__(self, by: str, state: Mapping[str, Any] | None = None) -> None:
        kept = state or {"count": 0, "width": 1, "first": None, "last": None, "stretches": []}
        self.by, self.count, self.width = by, int(kept["count"]), int(kept["width"])
        self.first, self.last = kept["first"], kept["last"]
        self.stretches: list[list[Any]] = [list(each) for each in kept["stretches"]]

    def state(self) -> dict[str, Any]:
        """What makes it again."""
        return {
            "count": self.count,
            "width": self.width,
            "first": self.first,
            "last": self.last,
            "stretches": self.stretches,
        }

    def add(self, columns: Mapping[str, list[Any]]) -> None:
        """Add rows, as parallel lists."""
        rows = max(map(len, columns.values()), default=0)
        values = np.array(columns.get(self.by, [None] * rows), dtype=float)
        at = 0
        while at < rows:
            stretch = self.count // self.width
            if stretch >= STRETCHES:
                self._join()
                continue
            end = min(rows, at + (stretch + 1) * self.width - self.count)
            self._take(stretch, columns, values[at:end], at)
            self.count, at = self.count + end - at, end
        if rows:
            self.first = self.first or _row(columns, 0)
            self.last = _row(columns, rows - 1)

    def _take(
        self, stretch: int, columns: Mapping[str, list[Any]], values: Any, start: int
    ) -> None:
        """Put rows into a stretch: [lowest row, its place, highest row, its place, sum, count]."""
        good = np.isfinite(values)
        low = int(np.where(good, values, np.inf).argmin())
        high = int(np.where(good, values, -np.inf).argmax())
        made = [
            _row(columns, start + low),
            self.count + low,
            _row(columns, start + high),
            self.count + high,
            float(values[good].sum()),
            int(good.sum()),
        ]
        if stretch < len(self.stretches):
            self.stretches[stretch] = self._joined(self.stretches[stretch], made)
        else:
            self.stretches.append(made)

    def _join(self) -> None:
        pairs = [self.stretches[i : i + 2] for i in range(0, len(self.stretches), 2)]
        self.stretches = [self._joined(*pair) if len(pair) > 1 else pair[0] for pair in pairs]
        self.width *= 2

    def _joined(self, one: list[Any], other: list[Any]) -> list[Any]:
        low = other if self._value(other[0], math.inf) < self._value(one[0], math.inf) else one
        high = other if self._value(other[2], -math.inf) > self._value(one[2], -math.inf) else one
        return [*low[:2], *high[2:4], one[4] + other[4], one[5] + other[5]]

    def _value(self, row: Row, none: float) -> float:
        value = row.get(self.by)
        return none if value is None else value

    def columns(self, mean: bool) -> dict[str, list[Any]]:
        """All rows that are kept, in order, as parallel lists; with means where rows are left out.

        mean: whether this kind has means.
        """
        found: dict[int, tuple[Row, float | None]] = {}
        for low, at, high, there, total, count in self.stretches:
            average = jsonl.number(total / count) if count else None
            found[at], found[there] = (low, average), (high, average)
        if self.stretches:
            ends = [_average(self.stretches[0]), _average(self.stretches[-1])]
            found[0], found[self.count - 1] = (self.first, ends[0]), (self.last, ends[1])
        rows = [found[place] for place in sorted(found)]
        names = dict.fromkeys(name for row, _ in rows for name in row)
        columns: dict[str, list[Any]] = {n: [row.get(n) for row, _ in rows] for n in names}
        if mean and self.width > 1:
            columns[f"{self.by}_mean"] = [average for _, average in rows]
        return columns


def _average(stretch: list[Any]) -> float | None:
    return jsonl.number(stretch[4] / stretch[5]) if stretch[5] else None


def _row(columns: Mapping[str, list[Any]], place: int) -> Row:
    return {name: column[place] for name, column in columns.items()}


class Curves:
    """All kinds of metrics, thinned. damaged: lines that could not be read."""

    def __init__(self, state: Mapping[str, Any] | None = None) -> None:
        kinds: Mapping[str, Mapping[str, Any]] = state["kinds"] if state else {}
        self.kinds = {kind: Thinned(BY[kind], kept) for kind, kept in kinds.items()}
        self.damaged = int(state["damaged"]) if state else 0

    def add(self, record: Mapping[str, Any]) -> None:
        """Add one record of metrics."""
        kind = str(record.get("kind"))
        if record == jsonl.DAMAGED:
            self.damaged += 1
        elif kind in BY:
            columns = {name: value for name, value in record.items() if is_list(value)}
            self.kinds.setdefault(kind, Thinned(BY[kind])).add(columns)

    def window(self, attempt: int) -> list[dict[str, Any]]:
        """Records that a screen can draw."""
        return [
            {"attempt": attempt, "kind": kind, **thinned.columns(kind == "step")}
            for kind, thinned in self.kinds.items()
        ]


class CurveKeeper:
    """Keeps curves.json of a run while its worker writes metrics. A fault costs the file alone."""

    def __init__(self, path: Path, attempt: int) -> None:
        self.path, self.attempt = path, attempt
        self.curves, self.saved = Curves(), 0
        discard(path.parent / NAME)  # what was cut back is in it
        for record in jsonl.read(path, 0, jsonl.is_curve)[0]:
            self.curves.add(record)

    def add(self, record: Mapping[str, Any], size: int) -> None:
        """Add what was written; size: bytes of metrics.jsonl now."""
        self.curves.add(record)
        if size >= FROM_BYTES and size >= self.saved * (1 + SHARE):
            self.saved = size
            self.save(size)

    def save(self, size: int) -> None:
        """Write the summary of the first `size` bytes."""
        kinds = {kind: thinned.state() for kind, thinned in self.curves.kinds.items()}
        end = _end(self.path, size)
        state = {
            "format": FORMAT,
            "attempt": self.attempt,
            "size": size,
            "end": end,
            "damaged": self.curves.damaged,
            "kinds": kinds,
        }
        try:
            write_json(self.path.with_name(NAME), state)
        except (OSError, ValueError):  # the metrics themselves are whole, and say the same
            discard(self.path.with_name(NAME))


def rebuild(path: Path, attempt: int) -> None:
    """Write the summary of a long run that came without one."""
    size = path.stat().st_size if path.is_file() else 0
    if size >= FROM_BYTES:
        CurveKeeper(path, attempt).save(size)


def _end(path: Path, size: int) -> int:
    """A check sum of the bytes before `size`."""
    with open_file(path) as file:
        file.seek(max(0, size - END))
        return zlib.crc32(file.read(min(END, size)))


def _read_state(path: Path) -> dict[str, Any] | None:
    """The summary beside a metrics file, if it is one of what the file holds now."""
    beside = path.with_name(NAME)
    try:
        found, made = path.stat(), beside.stat().st_mtime_ns
        if found.st_size < FROM_BYTES:
            return None
        state = read_json(beside)
        size = state.get("size")
        if state.get("format") != FORMAT or type(size) is not int or not 0 < size <= found.st_size:
            return None
        rewritten = size == found.st_size and found.st_mtime_ns > made
        return None if rewritten or state.get("end") != _end(path, size) else state
    except OSError:
        return None


def read_window(path: Path, attempt: int) -> tuple[list[dict[str, Any]], int] | None:
    """Thinned records of a long run and the byte to go on from; None where no summary is."""
    state = _read_state(path)
    if state is None or state.get("attempt") != attempt:
        return None
    try:
        found = Curves(state)
        records, offset = jsonl.read(path, state["size"], jsonl.is_curve)
        for record in records:
            found.add(record)
        return found.window(attempt), offset
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        return None  # no summary of ours: the metrics are read whole


def counted(path: Path) -> tuple[int, int]:
    """The byte up to which damaged lines are counted in the summary, and how many there are."""
    state = _read_state(path)
    damaged = state.get("damaged") if state else None
    return (state["size"], damaged) if state and type(damaged) is int else (0, 0)
