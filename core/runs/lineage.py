"""What a run has of other runs: the one it branched off, began with, learns from. No torch."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from core.runs.files import read_json
from core.runs.listing import STRANGE
from core.settings import distillation, init_weights


@dataclass(frozen=True)
class Lineage:
    """What a run has of another. run: its name, "" where it was a file. said: a sentence.

    gone: whether that run is no longer beside this one.
    """

    kind: Literal["branch", "start", "teacher"]
    run: str
    said: str
    gone: bool

    @property
    def sentence(self) -> str:
        """The sentence, and one about what is gone."""
        kept = f" {self.run} was deleted; what this run needs of it, this run has kept."
        return self.said + kept * self.gone


def lineage_of(run_dir: Path) -> tuple[Lineage, ...]:
    """What a run has of others, in the order in which it got it."""
    run_dir = Path(run_dir)
    spec = read_json(run_dir / "spec.json")
    try:
        return _found(run_dir, spec)
    except (LookupError, OSError, *STRANGE):
        said = "What it has of other runs cannot be read from its spec.json."
        return (Lineage("branch", "", said, gone=False),)


def _found(run_dir: Path, spec: Mapping[str, Any]) -> tuple[Lineage, ...]:
    training = spec.get("training", {})
    found: list[tuple[Literal["branch", "start", "teacher"], str, str]] = []
    if branch := spec.get("branch"):
        found.append(("branch", str(branch.get("run", "")), _branched(branch, spec)))
    if told := spec.get("start"):
        name = (training.get("start_from") or {}).get("run", "")
        found.append(("start", str(name), init_weights.describe(told, began=bool(branch))))
    if spec.get("teacher") and training.get("distil"):
        found.append(
            ("teacher", str(training["distil"].get("run", "")), distillation.describe(spec))
        )
    return tuple(Lineage(kind, run, said, _gone(run_dir, run)) for kind, run, said in found)


def has_teacher(run_dir: Path) -> bool:
    """Whether a run learns from a teacher, which a branch of it keeps."""
    return bool(read_json(Path(run_dir) / "spec.json").get("teacher"))


def _branched(branch: Mapping[str, Any], spec: Mapping[str, Any]) -> str:
    keeps = " and keeps its teacher" if spec.get("teacher") else ""
    return f"Branched off {branch.get('run', '')} after epoch {branch.get('epoch', '')}{keeps}."


def _gone(run_dir: Path, name: str) -> bool:
    """Whether a run is not there; a name that leads elsewhere is none of ours."""
    there = name == Path(name).name and (run_dir.parent / name / "spec.json").is_file()
    return bool(name) and not there
