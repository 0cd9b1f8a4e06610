"""The commits of git that changed a project's file. git is only asked to read (core.worker.git)."""

import contextlib
import re
from dataclasses import dataclass
from pathlib import Path

from core.common.errors import ProjectError
from core.files.strict import MAX_BYTES, decode
from core.project import Project, read_text
from core.worker import child_process, git

MOST = 200
LONGEST = 200
COMMIT = re.compile(r"\A[0-9a-f]{40}(?:[0-9a-f]{24})?\Z", re.ASCII)
ID = 8
_FORMAT = "%H%x00%at%x00%an%x00%s"


@dataclass(frozen=True)
class Commit:
    """A commit. when_s: when it was written, in seconds since 1970, UTC; name: its subject."""

    commit: str
    when_s: float
    who: str
    name: str

    @property
    def id(self) -> str:
        """How people name it in commands."""
        return self.commit[:ID]


def commits_of(project: Path) -> list[Commit]:
    """The commits that changed a file, newest first; none without git or outside of it."""
    if not git.in_repository(project):
        return []
    words = ("rev-list", f"--max-count={MOST}", f"--format={_FORMAT}")
    with contextlib.suppress(OSError, child_process.TimeoutExpired):
        listed = git.read(project.parent, *words, "HEAD", "--", project.name)
        lines = listed.decode("utf-8", "replace").split("\n")
        return [commit for line in lines if (commit := _commit(line))]
    return []


def _commit(line: str) -> Commit | None:
    parts = line.split("\0")
    if len(parts) != 4 or not COMMIT.match(parts[0]) or not parts[1].isdecimal():
        return None
    name, when_s, who, subject = parts
    return Commit(name, float(when_s), who[:LONGEST], subject[:LONGEST])


def open_commit(project: Path, commit: Commit) -> Project:
    """The project as a commit has it. Raises ProjectError."""
    data = None
    with contextlib.suppress(OSError, child_process.TimeoutExpired):
        data = git.blob(project.parent, f"{commit.commit}:./{project.name}", MAX_BYTES)
    if data is None:
        hint = "Choose another version."
        raise ProjectError(project.name, f"is not in commit {commit.id}.", hint)
    return read_text(decode(data), f"{project.name}@{commit.id}")


def user_name(folder: Path) -> str:
    """The name that git has for who works in a folder, "" for none."""
    with contextlib.suppress(OSError, child_process.TimeoutExpired):
        name = git.read(folder, "config", "--get", "user.name").decode("utf-8", "replace")
        return " ".join(name.split())[:LONGEST]
    return ""
