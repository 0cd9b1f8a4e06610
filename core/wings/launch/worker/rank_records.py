"""Files by which the ranks of a run are seen: where each is, and the error that ended it.

`ranks/N.json` of the run folder is written over in place, before and after a rank waits for the
others; `ranks/N.error` is the error of a rank other than the first. The standard library only:
the supervisor, which looks for one that hangs, is made of that.
"""

import json
import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

FOLDER = "ranks"
LENGTH = 256
"""Bytes of a record, so that one is written over another whole."""
REPORTED, LOST = 77, 76
"""Exit status of a rank: it has written its error, or another rank ended."""


class RankRecord:
    """The record of a rank, by which one that hangs is recognised."""

    def __init__(self, run_dir: Path, rank: int) -> None:
        folder = run_dir / FOLDER
        folder.mkdir(exist_ok=True)
        error_file(run_dir, rank).unlink(missing_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        self._file = os.open(folder / f"{rank}.json", flags, 0o666)
        host = socket.gethostname()[:64]
        self._beat = 0
        self._known = {"rank": rank, "host": host, "pid": os.getpid()}
        self.write(False)

    def write(self, waits: bool) -> None:
        """Write whether it waits; a disk that refuses that costs the record, never the run."""
        self._beat += 1
        record = {**self._known, "waits": waits, "beat": self._beat}
        with suppress(OSError):
            os.pwrite(self._file, json.dumps(record).encode().ljust(LENGTH), 0)


def read_records(run_dir: Path) -> list[dict[str, Any]]:
    """The records of all ranks, in their order; those that cannot be read are missing."""
    records: list[dict[str, Any]] = []
    for path in (run_dir / FOLDER).glob("*.json"):
        if path.stem.isdigit() and isinstance(record := _read(path).get("rank"), int):
            records.append({**_read(path), "rank": record})
    return sorted(records, key=lambda record: record["rank"])


def write_error(run_dir: Path, rank: int, error: Mapping[str, Any]) -> None:
    """Leave the error of a rank to rank 0, which reports it."""
    with suppress(OSError):
        error_file(run_dir, rank).write_text(json.dumps(error))


def read_error(run_dir: Path) -> tuple[int, dict[str, Any]] | None:
    """The first rank that has left an error, and the error."""
    for path in sorted((run_dir / FOLDER).glob("*.error")):
        if error := _read(path):
            return int(path.name.partition(".")[0]), error
    return None


def error_file(run_dir: Path, rank: int) -> Path:
    """Where a rank leaves its error."""
    return run_dir / FOLDER / f"{rank}.error"


def clear(run_dir: Path) -> None:
    """Remove what ranks of earlier attempts have left; nothing behind a link."""
    folder = run_dir / FOLDER
    if folder.is_symlink():
        folder.unlink()
    records = [*folder.glob("[0-9]*.json"), *folder.glob("[0-9]*.error")]
    for path in (*records, *run_dir.glob("rendezvous.*")):
        path.unlink(missing_ok=True)


def _read(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}
