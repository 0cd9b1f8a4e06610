"""A run as a report last saw it, so that words which were written to it notice that it changed."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from core.files.safe_path import read_file
from core.runs.files import read_json
from core.runs.listing import RunView, view_run
from core.runs.result import result_of

LONGEST = 400


@dataclass(frozen=True)
class Snapshot:
    """run: its name. key: of its drawing and settings, which tell it from another of that name.
    result: what it reached, in words, "" for nothing yet."""

    run: str
    key: str
    state: str
    epoch: int
    step: int
    result: str

    def json(self) -> dict[str, Any]:
        """As it is kept."""
        return asdict(self)


def snapshot_of(run_dir: Path, view: RunView | None = None) -> Snapshot:
    """The run of a folder as it is now."""
    view = view or view_run(run_dir)
    result = result_of(run_dir, view).sentence
    return Snapshot(view.name, key_of(run_dir), view.state, view.epoch, view.step, result[:LONGEST])


def key_of(run_dir: Path) -> str:
    """What stays the same of a run as long as it is that run; "" where it cannot be read."""
    try:
        drawing = read_file(run_dir / "project.loom.json")
    except OSError:
        return ""
    training = json.dumps(read_json(run_dir / "spec.json").get("training"), sort_keys=True)
    return hashlib.sha256(drawing + b"\0" + training.encode()).hexdigest()[:16]


def read_snapshot(data: object) -> Snapshot | None:
    """A snapshot that was kept; None where it is none."""
    if not isinstance(data, Mapping):
        return None
    values = [data.get(field.name) for field in fields(Snapshot)]
    kinds = (str, str, str, int, int, str)
    if any(type(value) is not kind for value, kind in zip(values, kinds, strict=True)):
        return None
    return Snapshot(*(v[:LONGEST] if isinstance(v, str) else v for v in values))  # type: ignore[arg-type]


def what_changed(old: Snapshot, new: Snapshot) -> str:
    """What is different of a run since, as a sentence; "" for nothing."""
    if old == new:
        return ""
    was, now = (_words(each) for each in (old, new))
    return f"The run changed since these words were saved. Then: {was}. Now: {now}."


def _words(seen: Snapshot) -> str:
    reached = seen.result or "no result"
    return f"{seen.state}, epoch {seen.epoch:,}, step {seen.step:,}, {reached}"
