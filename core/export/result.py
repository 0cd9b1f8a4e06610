"""What an export gives back, and what it says when it cannot. Imports no torch."""

from dataclasses import dataclass
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
    """One export in memory: what will be in the file, and how it compares."""

    content: bytes
    max_difference: float | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExportResult:
    """A written file and how far what it computes is from the eager model.

    max_difference: the largest absolute difference of any output value, over batches of 1, 2 and
    5 samples; None where nothing could be compared, and `note` says why.
    """

    path: Path
    format: str
    max_difference: float | None
    note: str

    def json(self) -> dict[str, Any]:
        """The result as `layerloom export --json` prints it."""
        return {
            "path": str(self.path),
            "format": self.format,
            "max_difference": self.max_difference,
            "size_bytes": self.path.stat().st_size,
            "note": self.note,
        }
