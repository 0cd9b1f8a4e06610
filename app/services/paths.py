"""Paths: the workspace of projects, the folder of runs, the file to open first."""

import hashlib
import os
import re
from pathlib import Path

from core.data.sources.paths import workspace

__all__ = ["file_id", "find_run", "first_file", "runs_dir", "stem", "workspace"]

LONGEST = 48  # letters of a file's name: of up to four bytes, with what is put around it
_RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


def runs_dir() -> Path:
    """Return the folder of run folders: LAYERLOOM_RUNS, else `runs` in the workspace."""
    value = os.environ.get("LAYERLOOM_RUNS")
    return Path(value).resolve() if value else workspace() / "runs"


def first_file() -> Path | None:
    """Return the project the server was started on: LAYERLOOM_OPEN."""
    value = os.environ.get("LAYERLOOM_OPEN")
    return Path(value).resolve() if value else None


def find_run(name: str) -> Path | None:
    """Return the run folder of that name, or None; `name` may come from anyone."""
    if not _RUN_NAME.fullmatch(name):
        return None
    folder = runs_dir() / name
    return folder if folder.is_dir() and not folder.is_symlink() else None


def stem(name: str, joint: str = "-", letters: re.RegexFlag = re.UNICODE) -> str:
    """Make a name for files of any text: its words, in small letters, with `joint` between them.

    letters: re.ASCII leaves out those of other scripts. "" where there are none.
    """
    return joint.join(re.findall(r"[^\W_]+", name.lower(), letters))[:LONGEST].strip(joint)


def file_id(path: Path) -> str:
    """Name a project file in an address: its path in the workspace, else `~` and a hash."""
    if path.is_relative_to(workspace()):
        return path.relative_to(workspace()).as_posix()
    return "~" + hashlib.sha256(str(path).encode()).hexdigest()[:16]
