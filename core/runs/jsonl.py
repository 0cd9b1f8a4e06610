"""JSON lines: metrics.jsonl and events.jsonl of a run, append only, whole lines.

metrics.jsonl holds JSON objects with parallel lists, some per flush. {"attempt", "kind": "step",
"step", "epoch", "loss", "lr"}, one entry per step; {"attempt", "kind": "epoch", "epoch", "step",
"train_loss", "val_loss", "train_accuracy", ..., "lr", "elapsed_s"}, one per epoch; {"attempt",
"kind": "pulse", "step", "grad_norm", "samples_per_s"}, one entry per flush. Steps and epochs
count from 1. A number that is not finite is null; an event says so.
"""

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.common.json_types import is_dict, is_list, loads
from core.files.safe_path import open_file, plain

UNITS = {"step": "step", "epoch": "epoch", "pulse": "step"}
"""What a kind of metrics counts by."""
NUMBERS = {int, float, type(None)}
LARGEST, LONGEST_NAME = 1e300, 80
DAMAGED = {"kind": "damaged"}
DIGITS = 7  # significant, as many as float32 has


class Lines:
    """An append-only file of JSON lines with one writer. Raises OSError when the disk is full."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = plain(path).open("ab", buffering=0)
        self.size = os.fstat(self.file.fileno()).st_size

    def write(self, record: Mapping[str, Any]) -> None:
        """Append a line in one write; a line that did not fit is taken back."""
        line = json.dumps(record, allow_nan=False, separators=(",", ":")).encode() + b"\n"
        try:
            written = self.file.write(line) or 0
            if written != len(line):
                raise OSError(28, "No space left on device")
        except OSError:
            self.file.truncate(self.size)
            raise
        self.size += len(line)

    def close(self) -> None:
        """Close the file."""
        self.file.close()


def number(value: float) -> float | None:
    """A float as it is written: 7 significant digits, None when it is not finite."""
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None


def truncate_after(path: Path, step: int, epoch: int) -> None:
    """Remove a torn last line, steps past `step` and epochs past `epoch`. In place."""
    if not path.is_file():
        return
    remaining = bytearray()
    with open_file(path) as file:
        for line in file:
            remaining += _cut_line(line, step, epoch)
    with path.open("r+b") as file:
        file.truncate(len(remaining))
        file.seek(0)
        file.write(remaining)
        file.flush()
        os.fsync(file.fileno())


def _cut_line(line: bytes, step: int, epoch: int) -> bytes:
    """The part of one line that is not past the point; the line itself when all of it stays."""
    if not line.endswith(b"\n"):
        return b""
    record = parse(line)
    if record is None:
        return line  # a damaged line is skipped by readers, not a reason to lose the rest
    unit = UNITS.get(str(record.get("kind")))
    if unit is None or not is_curve(record):
        return line  # an event, or what no run of ours wrote
    steps, end = record[unit], epoch if unit == "epoch" else step
    count = sum(1 for value in steps if value <= end)
    if count == len(steps):
        return line
    part = {k: v[:count] if is_list(v) else v for k, v in record.items()}
    return json.dumps(part, separators=(",", ":")).encode() + b"\n" if count else b""


def parse(line: bytes) -> dict[str, Any] | None:
    """One line as an object; None when it is damaged."""
    try:
        record = loads(line)
    except (ValueError, RecursionError):
        return None
    return record if is_dict(record) else None


def is_curve(record: Mapping[str, Any]) -> bool:
    """Whether a record is one of metrics: lists of equal length, of numbers or null.

    Its attempt is a number, and its steps or epochs are there and never null.
    """
    unit, columns = UNITS.get(str(record.get("kind"))), record.values()
    lists = [value for value in columns if is_list(value)]
    if unit is None or type(record.get("attempt")) is not int or not lists:
        return False
    if len({len(values) for values in lists}) > 1 or any(len(key) > LONGEST_NAME for key in record):
        return False
    plain = all(set(map(type, values)) <= NUMBERS for values in lists)
    counted = record.get(unit)
    if not plain or not is_list(counted) or None in counted:
        return False
    numbers: list[list[float | None]] = lists
    return all(max(map(abs, filter(None, values)), default=0) < LARGEST for values in numbers)


def read(
    path: Path, offset: int = 0, accept: Callable[[Mapping[str, Any]], bool] = lambda _: True
) -> tuple[list[dict[str, Any]], int]:
    """The whole lines after byte `offset`, and the byte to go on from.

    Damaged lines, and those that are not accepted, come as {"kind": "damaged"}. An offset that does
    not begin a line starts over.
    """
    try:
        with open_file(path) as file:
            if offset > 0:
                file.seek(offset - 1)
                if file.read(1) != b"\n":
                    offset = 0
            file.seek(offset)
            data = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return [], 0
    end = data.rfind(b"\n") + 1
    lines = data[:end].splitlines()
    records = (parse(line) for line in lines)
    good = (record if record and accept(record) else {**DAMAGED} for record in records)
    return list(good), offset + end


def last(values: Sequence[Any]) -> Any:
    """The newest entry of a parallel list."""
    return values[-1] if values else None
