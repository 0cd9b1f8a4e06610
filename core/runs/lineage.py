"""The lineage of a run: the runs that it is a remedy of, branched off, took weights from, learns
from. No torch.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from core.runs.files import read_json
from core.runs.listing import MALFORMED
from core.settings import distillation, init_weights


@dataclass(frozen=True)
class Lineage:
    """What a run has of another. run: its name, "" where it was a file. text: a sentence.

    gone: whether that run is no longer beside this one.
    """

    kind: Literal["remedy", "branch", "start", "teacher"]
    run: str
    text: str
    gone: bool

    @property
    def sentence(self) -> str:
        """The sentence, and one about what is gone."""
        kept = "" if self.kind == "remedy" else "; this run has its own copy of what it needs"
        note = f" {self.run} was deleted{kept}."
        return self.text + note * self.gone


def lineage_of(run_dir: Path) -> tuple[Lineage, ...]:
    """What a run has of others, in the order in which it got it."""
    run_dir = Path(run_dir)
    spec = read_json(run_dir / "spec.json")
    try:
        return _entries(run_dir, spec)
    except (LookupError, OSError, *MALFORMED):
        message = "Its links to other runs cannot be read from its spec.json."
        return (Lineage("branch", "", message, gone=False),)


def _entries(run_dir: Path, spec: Mapping[str, Any]) -> tuple[Lineage, ...]:
    training = spec.get("training", {})
    entries: list[tuple[Literal["remedy", "branch", "start", "teacher"], str, str]] = []
    if remedy := spec.get("remedy"):
        name = str(remedy.get("run", ""))
        entries.append(("remedy", name, f"Same as {name}, with a fix: {remedy.get('title', '')}."))
    if branch := spec.get("branch"):
        entries.append(("branch", str(branch.get("run", "")), _branch_sentence(branch, spec)))
    if initial := spec.get("start"):
        source: Mapping[str, Any] = training.get("start_from") or {}
        name = str(source.get("run", ""))
        entries.append(("start", name, init_weights.describe(initial, began=bool(branch))))
    if spec.get("teacher") and training.get("distil"):
        entries.append(
            ("teacher", str(training["distil"].get("run", "")), distillation.describe(spec))
        )
    return tuple(
        Lineage(kind, run, sentence, _is_gone(run_dir, run)) for kind, run, sentence in entries
    )


def has_teacher(run_dir: Path) -> bool:
    """Whether a run learns from a teacher, which a branch of it keeps."""
    return bool(read_json(Path(run_dir) / "spec.json").get("teacher"))


def _branch_sentence(branch: Mapping[str, Any], spec: Mapping[str, Any]) -> str:
    keeps = " and keeps its teacher" if spec.get("teacher") else ""
    return f"Branched from {branch.get('run', '')} after epoch {branch.get('epoch', '')}{keeps}."


def _is_gone(run_dir: Path, name: str) -> bool:
    """Whether a run is not there; a name that leads elsewhere is none of ours."""
    exists = name == Path(name).name and (run_dir.parent / name / "spec.json").is_file()
    return bool(name) and not exists
