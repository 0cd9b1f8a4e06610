"""Drafts: every edit is saved on this machine at once, so that a reload or crash loses nothing.

A draft belongs to a project by its path, or by an id for one that was never saved. Once saved or
discarded it becomes the latest of the project's last five backups.
"""

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.common.errors import ProjectError
from core.files.folder import locked, write_bytes
from core.files.home import home, private_folder
from core.files.messages import fail, in_file
from core.files.read import read_bytes
from core.files.strict import MAX_BYTES, MAX_DEPTH, decode, parse
from core.project.model import ENDING, Project
from core.project.read import read_json
from core.project.values import Notes, json_object
from core.project.write import write_text

KEPT = 5
DRAFT = "draft.json"
UNTITLED = re.compile(r"\A[A-Za-z0-9][A-Za-z0-9_-]{0,63}\Z")
BACKUP = re.compile(r"\A([0-9]{6})\.loom\.json\Z")
HEAD_BYTES = 10_000

Key = Path | str
"""The path of a project file, or the id (text) of a project that was never saved."""


@dataclass(frozen=True)
class ProjectDraft:
    """A project as last edited, and the revision of the file it started from ("" for none)."""

    project: Project
    base_revision: str
    path: str


def save_draft(key: Key, project: Project, base_revision: str | None = None) -> None:
    """Keep a project as last edited. Raises ProjectError if it cannot be written."""
    head = {"draft": 1, "path": _name(key), "base_revision": base_revision or ""}
    text = json.dumps(head)[:-1] + ', "project":\n' + write_text(project) + "}\n"
    _write(draft_folder(key) / DRAFT, text.encode())


def has_draft(key: str) -> bool:
    """Whether there is a draft of this id of a project never saved."""
    return UNTITLED.match(key) is not None and (draft_folder(key) / DRAFT).exists()


def stamp_of(key: Key) -> str:
    """What tells the draft of a project from any that is written later; "" where there is none."""
    try:
        status = (draft_folder(key) / DRAFT).stat()
    except OSError:
        return ""
    return f"{status.st_ino} {status.st_mtime_ns} {status.st_size}"


def load_draft(key: Key) -> ProjectDraft | None:
    """Load the draft of a project, if there is one. Raises ProjectError if it cannot be read."""
    file = draft_folder(key) / DRAFT
    if not file.exists():
        return None
    limit = MAX_BYTES + HEAD_BYTES
    try:
        source = decode(read_bytes(file, limit), limit)
        data = json_object(parse(source, limit, MAX_DEPTH + 1), "")
        notices: Notes = []
        project = read_json(data.get("project"), notices)
    except ProjectError as error:
        raise in_file(f"the draft {file}", error) from None
    return ProjectDraft(project, _text(data, "base_revision"), _text(data, "path"))


def _text(data: dict[str, Any], key: str) -> str:
    value = data.get(key)
    return value if isinstance(value, str) else ""


def drop_draft(key: Key) -> None:
    """End a draft, saved or given up: it becomes the latest backup.

    A draft that cannot be read is set aside as draft.json.bad. Raises ProjectError.
    """
    file = draft_folder(key) / DRAFT
    try:
        draft = load_draft(key)
    except ProjectError:
        with _on_disk(file):
            file.replace(file.with_name(DRAFT + ".bad"))
        return
    if draft is not None:
        _back_up(key, write_text(draft.project).encode())
        with _on_disk(file):
            file.unlink(missing_ok=True)


def _back_up(key: Key, text: bytes) -> None:
    old = list_backups(key)
    if old and old[0].read_bytes() == text:
        return
    number = int(old[0].name[:6]) + 1 if old else 1
    _write(draft_folder(key) / f"{number:06}.loom.json", text)
    for backup in old[KEPT - 1 :]:
        backup.unlink(missing_ok=True)


def list_backups(key: Key) -> tuple[Path, ...]:
    """List the backups of a project, newest first: project files, to open as any other."""
    folder = draft_folder(key)
    if not folder.is_dir():
        return ()
    return tuple(sorted((f for f in folder.iterdir() if BACKUP.match(f.name)), reverse=True))


@dataclass(frozen=True)
class DraftFile:
    """A draft on the disk, unread: what it belongs to, its file, when that was changed."""

    key: Key
    file: Path
    changed_s: float


def list_drafts() -> list[DraftFile]:
    """List all drafts, newest first; one that has just ended or is damaged is left out."""
    found: list[DraftFile] = []
    for file in (home() / "drafts").glob(f"*/{DRAFT}"):
        try:
            changed_s, key = file.stat().st_mtime, _key_of(file)
        except OSError:
            continue
        if key is not None:
            found.append(DraftFile(key, file, changed_s))
    return sorted(found, key=lambda each: each.changed_s, reverse=True)


def _key_of(file: Path) -> Key | None:
    """Whose draft a file is; None where its folder is not the one of that project."""
    if file.parent.name.startswith("untitled-") and UNTITLED.match(file.parent.name[9:]):
        key: Key = file.parent.name[9:]
    else:
        with file.open("rb") as opened:
            head = opened.readline(HEAD_BYTES).decode(errors="replace").strip()
        try:
            name = json.loads(head.removesuffix(', "project":') + "}").get("path")
        except (ValueError, AttributeError):
            return None
        if not isinstance(name, str) or "\0" in name:
            return None
        key = Path(name)
    return key if draft_folder(key) == file.parent else None


def all_backups() -> list[Path]:
    """List the backups of all projects, newest first: project files, to open as any other."""
    dated: list[tuple[float, Path]] = []
    for file in (home() / "drafts").glob("*/*.loom.json"):
        with contextlib.suppress(FileNotFoundError):  # another tab makes room for a new one
            if BACKUP.match(file.name):
                dated.append((file.stat().st_mtime, file))
    return [file for _, file in sorted(dated, reverse=True)]


def _name(key: Key) -> str:
    return os.path.realpath(key) if isinstance(key, Path) else key


def draft_folder(key: Key) -> Path:
    """Name the folder of a draft and its backups; it is there once one of them is."""
    name = _name(key)
    if isinstance(key, str):
        if not UNTITLED.match(key):
            fail("the id of a draft", "needs letters, digits, - or _, at most 64.")
        return home() / "drafts" / f"untitled-{name}"
    stem = re.sub(r"[^A-Za-z0-9]+", "-", key.name.removesuffix(ENDING))[:40].strip("-")
    return home() / "drafts" / f"{stem}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"


def _write(file: Path, data: bytes) -> None:
    private_folder(file.parent)
    with _on_disk(file), locked(file):
        write_bytes(file, data, private=True)


@contextlib.contextmanager
def _on_disk(file: Path) -> Generator[None]:
    """Say in a sentence what the system refused."""
    try:
        yield
    except OSError as error:
        hint = "Check the free space, or set LAYERLOOM_HOME to another folder."
        message = f"cannot be written: {error.strerror}."
        raise ProjectError(str(file), message, hint) from error
