"""Deleted projects: moved aside with their drafts, and restored unchanged.

Each has its own folder under `deleted` in the user's files, for KEPT_DAYS.
"""

import contextlib
import json
import os
import secrets
import shutil
import time
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from core.common.errors import ProjectError
from core.common.wing import parts
from core.files.folder import write_bytes
from core.files.home import home, private_folder
from core.project.drafts import Key, draft_folder
from core.project.recents import add_recent, forget

KEPT_DAYS = 30
_DAY_S = 86_400
_ENTRY, _FILE, _DRAFT, _BESIDE = "entry.json", "project.loom.json", "draft", "beside"


@dataclass(frozen=True)
class DeletedProject:
    """A deleted project. path: of its file, "" for one never saved. when_s: when it was deleted."""

    name: str
    title: str
    path: str
    draft: str
    when_s: float

    @property
    def days_left(self) -> int:
        """For how many days it can still be put back."""
        gone = int((time.time() - self.when_s) // _DAY_S)
        return min(KEPT_DAYS, max(0, KEPT_DAYS - gone))  # the clock may have been set back


def move_to_deleted(key: Key, title: str, move_file: bool = True) -> DeletedProject:
    """Delete a project so that `put_back` brings it back. Raises ProjectError.

    move_file: whether its file goes, too; else it is only taken off the list of recent projects.
    """
    path = os.path.realpath(key) if isinstance(key, Path) else ""
    draft = draft_folder(key)
    aside = DeletedProject(
        f"{int(time.time())}-{secrets.token_hex(4)}", title, path, draft.name, time.time()
    )
    folder = private_folder(_folder(aside.name))
    with _on_disk(title):
        write_bytes(
            folder / _ENTRY, json.dumps(vars(aside)).encode(), private=True
        )  # first: it names their owner
        if path and move_file and Path(path).is_file():
            shutil.move(path, folder / _FILE)
            _take_along(Path(path), folder / _BESIDE)
        if draft.is_dir():
            shutil.move(draft, folder / _DRAFT)
    if path:
        forget(Path(path))
    return aside


def restore_project(aside: DeletedProject) -> None:
    """Bring a deleted project back to where it was. Raises ProjectError, and then moves nothing."""
    folder, draft = _folder(aside.name), home() / "drafts" / aside.draft
    kept = folder / _FILE
    if kept.exists() and Path(aside.path).exists():
        hint = "Rename or move the new file first."
        raise ProjectError(aside.path, "cannot be restored: a new file has that name.", hint)
    with _on_disk(aside.title):
        if kept.exists():
            Path(aside.path).parent.mkdir(parents=True, exist_ok=True)
            shutil.move(kept, aside.path)
            _put_beside(folder / _BESIDE, Path(aside.path).parent)
        if (folder / _DRAFT).is_dir():
            _take_over(folder / _DRAFT, draft)
        shutil.rmtree(folder)
    if aside.path:
        add_recent(Path(aside.path), aside.title)


def _take_along(project: Path, folder: Path) -> None:
    """Move what wings keep beside a project's file, such as its versions."""
    folder.mkdir()
    for _, part in parts("companions"):
        for companion in part.of(project):
            shutil.move(companion, folder / companion.name)


def _put_beside(kept: Path, folder: Path) -> None:
    """Put back what was taken along; what is there meanwhile is newer and stays."""
    for companion in kept.glob("*"):
        if not (folder / companion.name).exists():
            shutil.move(companion, folder / companion.name)


def _take_over(kept: Path, draft: Path) -> None:
    """Put a folder of drafts back; what an open tab wrote there meanwhile is newer and stays."""
    if not draft.exists():
        shutil.move(kept, private_folder(draft.parent) / draft.name)
        return
    for file in kept.iterdir():
        if not (draft / file.name).exists():
            shutil.move(file, draft / file.name)


def list_deleted() -> list[DeletedProject]:
    """List what can be put back, deleted last first. What is older than KEPT_DAYS goes for good."""
    found: list[DeletedProject] = []
    for folder in (home() / "deleted").glob("*"):
        aside = _read(folder)
        if aside is None:
            continue
        if time.time() - aside.when_s > KEPT_DAYS * _DAY_S:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            found.append(aside)
    return sorted(found, key=lambda each: each.when_s, reverse=True)


def _read(folder: Path) -> DeletedProject | None:
    """The content of an entry; None for one that is not an entry of ours."""
    try:
        data = cast(dict[str, Any], json.loads((folder / _ENTRY).read_text("utf-8")))
        title, path, draft = (str(data[key]) for key in ("title", "path", "draft"))
        aside = DeletedProject(folder.name, title, path, draft, float(data["when_s"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return aside if Path(aside.draft).name == aside.draft and aside.draft else None


def _folder(name: str) -> Path:
    return home() / "deleted" / name


@contextlib.contextmanager
def _on_disk(title: str) -> Generator[None]:
    """Turn an error of the file system into a ProjectError."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        hint = "Check the permissions of its folder and of LAYERLOOM_HOME."
        raise ProjectError(title, f"cannot be moved: {reason}.", hint) from error
