"""Damaged lines in the metrics of a run: how many there are, in a sentence."""

import threading
from dataclasses import dataclass
from pathlib import Path

from core.runs import curves, jsonl

MOST_BYTES = 16 << 20
"""Of metrics that are read whole for their damaged lines, where no summary counts them."""
KEPT = 10_000


@dataclass(frozen=True)
class _Count:
    """Damaged lines up to a byte of a file. stamp: inode, size and time of change."""

    stamp: tuple[int, int, int]
    offset: int
    lines: int


_known: dict[Path, _Count] = {}
_lock = threading.Lock()


def damaged_lines(run_dir: Path) -> int:
    """How many lines of metrics.jsonl are damaged; they are left out of curves and tables."""
    path = run_dir / "metrics.jsonl"
    try:
        stats = path.stat()
    except OSError:
        return 0
    stamp = (stats.st_ino, stats.st_size, stats.st_mtime_ns)
    before = _known.get(path)
    if before and before.stamp == stamp:
        return before.lines
    grown = before and before.stamp[0] == stamp[0] and before.stamp[1] < stamp[1]
    offset, lines = (before.offset, before.lines) if before and grown else curves.counted(path)
    if stats.st_size - offset > MOST_BYTES:
        return lines
    records, offset = jsonl.read(path, offset, jsonl.is_curve)
    lines += sum(record == jsonl.DAMAGED for record in records)
    with _lock:
        if len(_known) >= KEPT:
            _known.clear()
        _known[path] = _Count(stamp, offset, lines)
    return lines


def damage_of(run_dir: Path) -> list[str]:
    """The sentence about damaged lines, if there are any."""
    count = damaged_lines(run_dir)
    if not count:
        return []
    what = "1 line of metrics.jsonl is" if count == 1 else f"{count:,} lines of metrics.jsonl are"
    return [f"{what} damaged and left out of the curves."]
