"""The metrics of a run downsampled for a screen: read once, shared by all viewers.

A curve of a million points has no more to show than a screen has columns. Each of `points / 2`
equal stretches keeps the steps of its lowest and its highest loss, so that no spike is lost, and
their mean, as "loss_mean": what is smoothed must not be drawn from extremes alone.
"""

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from core.common.json_types import is_list
from core.runs import curves, jsonl

SHOWN = 2000
KEPT = 32  # histories of runs that somebody looked at last
BY = {"step": "loss", "epoch": "val_loss", "pulse": "grad_norm"}
"""The column whose extremes are kept, by kind of record."""

Columns = dict[str, list[Any]]


class History:
    """The content of metrics.jsonl by kind of record and column. Not for two threads at once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.kinds: dict[str, Columns] = {}
        self.offset, self.attempt = 0, -1
        self.inode: int = 0

    def refresh(self, attempt: int) -> None:
        """Read what was added; all of it anew when the run began another attempt."""
        try:
            stats = self.path.stat()
        except FileNotFoundError:
            stats = None
        inode = stats.st_ino if stats else 0
        size = stats.st_size if stats else 0
        if attempt != self.attempt or inode != self.inode or size < self.offset:
            self.kinds, self.offset = {}, 0
        self.attempt, self.inode = attempt, inode
        records, self.offset = jsonl.read(self.path, self.offset, jsonl.is_curve)
        for line in records:
            self._add(line)

    def _add(self, line: Mapping[str, Any]) -> None:
        kind = str(line.get("kind"))
        columns = {k: v for k, v in line.items() if is_list(v)}
        if kind not in BY or not columns:
            return
        known = self.kinds.setdefault(kind, {})
        before = max((len(column) for column in known.values()), default=0)
        count = max(len(column) for column in columns.values())
        for name in known.keys() | columns.keys():
            column = known.setdefault(name, [None] * before)
            added = columns.get(name, ())
            column.extend(added)
            column.extend([None] * (count - len(added)))

    def window(self, points: int = SHOWN) -> list[dict[str, Any]]:
        """Records that a screen can draw, at most `points` of each kind."""
        return [
            {
                "attempt": self.attempt,
                "kind": kind,
                **thin(columns, BY[kind], points, kind == "step"),
            }
            for kind, columns in self.kinds.items()
        ]

    def between(self, low: float, high: float, points: int = SHOWN) -> Columns:
        """The steps from `low` to `high`, at most `points` of them."""
        columns = self.kinds.get("step", {})
        steps = np.array(columns.get("step", ()), dtype=float)
        first, last = np.searchsorted(steps, [low, high + 1])
        part = {name: column[int(first) : int(last)] for name, column in columns.items()}
        return thin(part, BY["step"], points, mean=True)


def thin(
    columns: Mapping[str, Sequence[Any]], by: str, points: int = SHOWN, mean: bool = False
) -> Columns:
    """Parallel columns with at most `points` rows: first, last, and the extremes of `by`.

    mean: add what `by` is on average in the stretch that each row stands for.
    """
    count = max((len(column) for column in columns.values()), default=0)
    if count <= points:
        return {name: list(column) for name, column in columns.items()}
    values = np.array(columns[by] if by in columns else range(count), dtype=float)
    chosen = _extremes(values, points - 2)
    rows = {name: [column[i] for i in chosen] for name, column in columns.items()}
    return rows | ({f"{by}_mean": _means(values, points - 2, chosen)} if mean else {})


def _means(values: np.ndarray[Any, Any], points: int, chosen: Sequence[int]) -> list[float | None]:
    """For each chosen row the mean of the stretch it stands for; None where nothing is finite."""
    edges = _edges(len(values), points)
    good = np.isfinite(values)
    sums = np.add.reduceat(np.where(good, values, 0.0), edges[:-1])
    counts = np.add.reduceat(good.astype(int), edges[:-1])
    stretches = np.searchsorted(edges, chosen, side="right") - 1
    return [jsonl.number(float(sums[i] / counts[i])) if counts[i] else None for i in stretches]


def _edges(count: int, points: int) -> np.ndarray[Any, Any]:
    return np.linspace(0, count, points // 2 + 1).astype(int)


def _extremes(values: np.ndarray[Any, Any], points: int) -> list[int]:
    """Indices of the lowest and the highest value of equal stretches, in order."""
    edges = _edges(len(values), points)
    low, high = np.nan_to_num(values, nan=np.inf), np.nan_to_num(values, nan=-np.inf)
    chosen = {0, len(values) - 1}
    for first, last in pairwise(edges):
        if last > first:
            chosen.add(int(first + low[first:last].argmin()))
            chosen.add(int(first + high[first:last].argmax()))
    return sorted(chosen)


class Histories:
    """The histories of the runs that were looked at last, for the threads of a server."""

    def __init__(self) -> None:
        self._histories: OrderedDict[Path, History] = OrderedDict()
        self._locks: dict[Path, threading.Lock] = {}
        self._lock = threading.Lock()

    def window(self, path: Path, attempt: int) -> tuple[list[dict[str, Any]], int]:
        """Thinned records of a metrics file, and the byte to go on from.

        Of a long one that nobody has looked at, what its worker kept beside it.
        """
        with self._lock:
            known = path in self._histories
        if not known and (found := curves.read_window(path, attempt)):
            return found
        with self._of(path) as history:
            history.refresh(attempt)
            return history.window(), history.offset

    def between(self, path: Path, attempt: int, low: float, high: float) -> Columns:
        """The steps of a part of a run."""
        with self._of(path) as history:
            history.refresh(attempt)
            return history.between(low, high)

    def _of(self, path: Path) -> "_LockedHistory":
        with self._lock:
            history = self._histories.pop(path, None) or History(path)
            self._histories[path] = history
            while len(self._histories) > KEPT:
                self._locks.pop(self._histories.popitem(last=False)[0], None)
            return _LockedHistory(history, self._locks.setdefault(path, threading.Lock()))


class _LockedHistory:
    """A history while one thread works on it."""

    def __init__(self, history: History, lock: threading.Lock) -> None:
        self.history, self.lock = history, lock

    def __enter__(self) -> History:
        self.lock.acquire()
        return self.history

    def __exit__(self, *_: object) -> None:
        self.lock.release()
