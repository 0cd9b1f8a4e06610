"""References to networks: which drawing, with which weights. Plain values; no torch.

They are frozen, so that they are keys of caches, and cross to worker processes. A `stamp` changes
when the weights do, so that nothing cached by a reference outlives them; "" where nothing is kept.
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class RunRef:
    """The best weights of a run."""

    folder: Path
    stamp: str = ""


@dataclass(frozen=True)
class CheckpointRef:
    """The weights of one checkpoint of a run. which: best, last or epoch-000003."""

    folder: Path
    which: str
    stamp: str = ""


@dataclass(frozen=True)
class ProjectRef:
    """A project with initial weights. text: of its file."""

    text: str


@dataclass(frozen=True)
class ImportedRef:
    """A project with the weights that were imported with it. text: of its file."""

    text: str
    weights: Path
    stamp: str = ""


@dataclass(frozen=True)
class DrawnRef:
    """A project as it is drawn now, with the best weights of a run of the same source."""

    text: str
    run: Path
    stamp: str = ""


@dataclass(frozen=True)
class PartRef:
    """The part of a drawing with errors that runs, with initial weights. text: of its project."""

    text: str


RunWeights = RunRef | CheckpointRef
"""References to the drawing and the weights of a run."""
TextRef = ProjectRef | ImportedRef | DrawnRef | PartRef
"""References that hold the text of a project."""
NetworkRef = RunWeights | TextRef


@dataclass(frozen=True)
class Moment:
    """When a run had the weights that are meant: after an epoch, None for those it wrote last."""

    run: Path
    epoch: int | None
    stamp: str = ""
