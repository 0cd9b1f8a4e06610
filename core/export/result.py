"""The result of an export, and its errors. Imports no torch."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


class ExportError(Exception):
    """An export that cannot be made; `hint` says what to do about it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True)
class Made:
    """One export in memory: what will be in the file, and how it compares.

    beside: files that it needs beside it, by name.
    """

    content: bytes
    max_difference: float | None
    notes: tuple[str, ...] = ()
    beside: Mapping[str, bytes] = field(default_factory=lambda: {})


@dataclass(frozen=True)
class ExportResult:
    """A written file and how far what it computes is from the eager model.

    max_difference: the largest absolute difference of any output value, over batches of 1, 2 and
    5 samples; None where nothing could be compared, and `note` says why. beside: names of the files
    written beside it, without which it does not run.
    """

    path: Path
    format: str
    max_difference: float | None
    note: str
    beside: tuple[str, ...] = ()

    def json(self) -> dict[str, Any]:
        """The result as `layerloom export --json` prints it."""
        return {
            "path": str(self.path),
            "format": self.format,
            "max_difference": self.max_difference,
            "size_bytes": self.path.stat().st_size,
            "note": self.note,
            "beside": list(self.beside),
        }
