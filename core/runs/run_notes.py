"""Note, tags and pin of a run, written by people: marks.json in its folder."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.common.errors import RunError
from core.common.json_types import is_list
from core.runs.files import read_json, write_json

NOTE_LENGTH = 4000
TAGS, TAG_LENGTH = 12, 30


@dataclass(frozen=True)
class RunNotes:
    """note: plain text; tags: in the order they were given."""

    note: str = ""
    tags: tuple[str, ...] = ()
    pinned: bool = False


def read_notes(run_dir: Path) -> RunNotes:
    """Read what was written on a run; what is no note or no tag is left out."""
    stored = read_json(Path(run_dir) / "marks.json")
    note, tags = stored.get("note"), stored.get("tags")
    words: list[Any] = tags if is_list(tags) else []
    return RunNotes(
        note=note[:NOTE_LENGTH] if isinstance(note, str) else "",
        tags=tuple(t[:TAG_LENGTH] for t in words if isinstance(t, str) and t.strip())[:TAGS],
        pinned=stored.get("pinned") is True,
    )


def write_notes(run_dir: Path, marks: RunNotes) -> None:
    """Write on a run. Raises RunError when it is too much."""
    name = Path(run_dir).name
    if len(marks.note) > NOTE_LENGTH:
        message = f"The note on {name} has {len(marks.note)} characters."
        raise RunError(name, message, f"Keep it under {NOTE_LENGTH}.")
    if len(marks.tags) > TAGS or any(len(tag) > TAG_LENGTH for tag in marks.tags):
        message = f"{name} cannot carry these tags."
        raise RunError(name, message, f"Use at most {TAGS} tags of {TAG_LENGTH} characters.")
    write_json(Path(run_dir) / "marks.json", asdict(marks), durable=True)
