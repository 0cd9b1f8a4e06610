"""status.json: how a run stands, written whole at every flush by its worker."""

import time
from pathlib import Path
from typing import Any

from .folder import FORMAT, boot_id, write_json

HANG_AFTER_S = 30.0
COMPILE_S = 900.0  # compiling may take this long: for a full batch, and again for the last one
STARTING_S = 600.0  # reading data or the first step of a large network may take this long


class Status:
    """The newest state of a run. Setting `fields` does nothing until `write`."""

    def __init__(self, run_dir: Path, before: dict[str, Any]) -> None:
        self.path = run_dir / "status.json"
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
            "message": "",
            "hint": "",
            "warnings": [],
            "hang_after_s": STARTING_S,
        }

    @property
    def attempt(self) -> int:
        """How often this run was started, from 1."""
        return self.fields["attempt"]

    def warn(self, text: str) -> None:
        """Keep a warning for whoever looks; each text once, the newest twenty."""
        warnings: list[str] = self.fields["warnings"]
        if text not in warnings:
            self.fields["warnings"] = [*warnings, text][-20:]

    def write(self, durable: bool = False, **fields: Any) -> bool:
        """Write the state. False when the disk refuses; the next write tries again."""
        self.fields |= fields
        self.fields["beat"] += 1
        self.fields["monotonic_s"] = round(time.monotonic(), 3)
        try:
            write_json(self.path, self.fields, durable)
        except OSError:
            return False
        return True
