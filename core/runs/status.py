"""status.json: state, progress and heartbeat of a run, written whole at every flush by its worker.

On a full disk a new file cannot be written; then it goes over reserve.json, whose room was taken
when there was some. Whichever has counted more heartbeats is the newer one.
"""

import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from core.runs.files import (
    FORMAT,
    RESERVE,
    RESERVED_BYTES,
    boot_id,
    overwrite_json,
    write_bytes,
    write_json,
)

LEAST_RESERVED = 4096  # one block: a status without metrics
LATE, MOST_LATE = "late_events", 20
"""Events that did not fit into events.jsonl: the next attempt writes them there."""
HANG_AFTER_S = 30.0
COMPILE_S = 900.0  # compiling may take this long: for a full batch, and again for the last one
COMPILING = "compiling the network, which takes seconds to minutes the first time"
COMPILING_STEP = "compiling the step, which takes up to a minute the first time"
STARTING_S = 600.0  # reading data or the first step of a large network may take this long


class Status:
    """The newest state of a run. Setting `fields` does nothing until `write`.

    beside: states of the other runs of its process, which stand still while it waits.
    """

    def __init__(self, run_dir: Path, before: dict[str, Any]) -> None:
        self.path, self.reserve = run_dir / "status.json", run_dir / RESERVE
        self.beside: Sequence[Status] = ()
        self.fields: dict[str, Any] = {
            "format": FORMAT,
            "state": "starting",
            "attempt": int(before.get("attempt", 0)) + 1,
            "beat": int(before.get("beat", 0)),
            "boot": boot_id(),
            "epoch": before.get("epoch", 0),
            "step": before.get("step", 0),
            "elapsed_s": before.get("elapsed_s", 0.0),
            "metrics": before.get("metrics", {}),
            "best": before.get("best"),
            "compiled": before.get("compiled"),
            "test": before.get("test"),
            LATE: before.get(LATE, []),
            "message": "",
            "hint": "",
            "warnings": [],
            "hang_after_s": STARTING_S,
        }

        if not self.reserve.exists():
            for size in (RESERVED_BYTES, LEAST_RESERVED):
                with suppress(OSError):  # without it, status.json itself is written over
                    write_bytes(self.reserve, b"{}".ljust(size), durable=False)
                    break

    @property
    def attempt(self) -> int:
        """How often this run was started, from 1."""
        return self.fields["attempt"]

    def warn(self, text: str) -> None:
        """Keep a warning for whoever looks; each text once, the newest twenty."""
        warnings: list[str] = self.fields["warnings"]
        if text not in warnings:
            self.fields["warnings"] = [*warnings, text][-20:]

    def withdraw(self, texts: Collection[str]) -> None:
        """Remove warnings that the message at the end of the run repeats."""
        self.fields["warnings"] = [text for text in self.fields["warnings"] if text not in texts]

    def write(self, durable: bool = False, **fields: Any) -> bool:
        """Write the state. False when it cannot be written at all; the next write tries again."""
        self.fields |= fields
        self.fields["beat"] += 1
        self.fields["monotonic_s"] = round(time.monotonic(), 3)
        try:
            write_json(self.path, self.fields, durable)
            return True
        except OSError:
            return self._overwrite()

    def _overwrite(self) -> bool:
        """Write it where there is room already; without what may be long where it is too long."""
        shorter: dict[str, Any] = {**self.fields, "warnings": [], "metrics": {}, "best": None}
        for fields in (self.fields, shorter):
            with suppress(OSError):
                overwrite_json(self.reserve, fields)
                return True
        with suppress(OSError):  # not whole for a moment, but better than silence
            overwrite_json(self.path, self._shortest(), grow=True)
            return True
        return False

    def _shortest(self) -> dict[str, Any]:
        """The essential part: state and reason; it fits into the block of the previous file."""
        named = (
            "format",
            "state",
            "attempt",
            "beat",
            "boot",
            "monotonic_s",
            "epoch",
            "step",
            "message",
            "hint",
            "waits",
            "disk_full",
            "hang_after_s",
        )
        return {name: self.fields[name] for name in named if name in self.fields}
