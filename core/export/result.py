"""The result of an export, and its errors. Imports no torch."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.common.errors import LayerloomError
from core.tasks.metric_labels import measure_words, shown


class ExportError(LayerloomError):
    """An export that cannot be made; `hint`: what to do."""


class CannotHold(ExportError):
    """A network that a format cannot hold. start: of the message, why: the exporter's own line."""

    def __init__(self, start: str, why: str, hint: str = "") -> None:
        super().__init__(f"{start}: {why}", hint)
        self.start, self.why = start, why


@dataclass(frozen=True)
class ExportedFile:
    """One export in memory: what will be in the file, and how it compares.

    beside: files that it needs beside it, by name. run: the file as a function of its inputs, for
    what is measured; None where it computes nothing or draws random numbers.
    """

    content: bytes
    max_difference: float | None
    notes: tuple[str, ...] = ()
    beside: Mapping[str, bytes] = field(default_factory=lambda: {})
    run: Callable[..., Any] | None = None


@dataclass(frozen=True)
class Quality:
    """A file beside the eager network.

    metric: its name as a run has it (`val_accuracy`), "" where there is no data to measure by.
    eager, file: its values, in the target's unit. changed: share of samples whose class is another
    one, None where the target is no class. samples: how many. latency_ms: medians by batch size,
    (eager, file), on one thread of this machine. as_files: whether the samples were read from the
    files of the data, as what is exported reads those that people send; refused: why it does not
    take one of these.
    """

    metric: str
    eager: float
    file: float
    changed: float | None
    samples: int
    latency_ms: dict[int, tuple[float, float]]
    as_files: bool = False
    refused: str = ""

    def json(self) -> dict[str, Any]:
        """As `layerloom export --json` prints it."""
        times = self.latency_ms.items()
        return {
            "metric": self.metric or None,
            "torch": self.eager if self.metric else None,
            "file": self.file if self.metric else None,
            "changed": self.changed,
            "samples": self.samples,
            "as_files": self.as_files,
            "refused": self.refused,
            "latency_ms": {str(n): {"torch": a, "file": b} for n, (a, b) in times},
        }

    def words(self) -> str:
        """In a line: "accuracy 98.6% (torch 98.6%), 0.05 ms each (torch 0.31 ms)"."""
        parts: list[str] = []
        if self.metric:
            file, eager = (shown(self.metric, value) for value in (self.file, self.eager))
            sent = f" on {self.samples:,} samples sent as files" if self.as_files else ""
            sent += f" on tensors, as a file is refused: {self.refused}" if self.refused else ""
            parts.append(f"{measure_words(self.metric)} {file} (torch {eager}){sent}")
        if 1 in self.latency_ms:
            eager, file = self.latency_ms[1]
            parts.append(f"{file:.2g} ms for one sample (torch {eager:.2g} ms)")
        return ", ".join(parts)


@dataclass(frozen=True)
class ExportResult:
    """A written file and how far what it computes is from the eager model.

    max_difference: the largest absolute difference of any output value, over batches of 1, 2 and 5
    samples; None if nothing could be compared (`note` gives the reason). beside: names of the files
    written beside it, without which it does not run. quality: its metric on validation samples and
    its time beside torch's, see `core.export.quality`; None where it was not measured.
    """

    path: Path
    format: str
    max_difference: float | None
    note: str
    beside: tuple[str, ...] = ()
    quality: Quality | None = None

    def json(self) -> dict[str, Any]:
        """The result as `layerloom export --json` prints it."""
        return {
            "path": str(self.path),
            "format": self.format,
            "max_difference": self.max_difference,
            "size_bytes": self.path.stat().st_size,
            "note": self.note,
            "beside": list(self.beside),
            "quality": self.quality.json() if self.quality else None,
        }
