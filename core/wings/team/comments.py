"""Comments on a project, its blocks, wires and runs: threads, open or resolved, beside its file.

    .NAME.history/comments/THREAD.json          the first comment of a thread, and what it is about
    .NAME.history/comments/THREAD.ENTRY.json    an answer, or that it is resolved or open again

Files are only added, as those of versions are.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from core.common.errors import ProjectError
from core.files.folder import locked
from core.project import Project
from core.wings.team import history_files
from core.wings.team.history_files import LONGEST, MOST, folder_of, made

COMMENTS = "comments"
NAME = r"\d{8}T\d{9}Z-[0-9a-f]{8}"
FILE = re.compile(rf"\A({NAME})(?:\.({NAME}))?\.json\Z", re.ASCII)
LONGEST_TEXT = 4000
"""Characters of a comment."""
Kind = Literal["project", "block", "wire", "run"]
KINDS: tuple[Kind, ...] = ("project", "block", "wire", "run")


@dataclass(frozen=True)
class CommentSubject:
    """What a thread is about. name: of the block or run, "a -> b" of a wire, "" of the project."""

    kind: Kind = "project"
    name: str = ""

    @property
    def words(self) -> str:
        """It in words: "block conv1"."""
        return f"{self.kind} {self.name}".strip()


@dataclass(frozen=True)
class Comment:
    """What somebody wrote. resolved: it closes its thread, or opens it again; None for neither."""

    when_s: float
    who: str
    text: str
    resolved: bool | None = None

    @property
    def said(self) -> str:
        """What became of the thread, in words."""
        return {None: "", True: "resolved it", False: "opened it again"}[self.resolved]


@dataclass(frozen=True)
class CommentThread:
    """A thread. id: names its file. comments: the oldest first."""

    id: str
    about: CommentSubject
    comments: tuple[Comment, ...]

    @property
    def resolved(self) -> bool:
        """As the last one who closed it or opened it left it."""
        said = [each.resolved for each in self.comments if each.resolved is not None]
        return bool(said and said[-1])


def begin(project: Path, about: CommentSubject, text: str, who: str) -> None:
    """Begin a thread. Raises ProjectError for no text or one that is too long, OSError."""
    content = {"about": about.kind, "name": about.name, "who": who[:LONGEST]}
    _write(project, history_files.new_name(), {**content, "text": _checked(text)})


def answer(project: Path, thread: str, text: str, who: str) -> None:
    """Answer in a thread. Raises as `begin` does."""
    content = {"who": who[:LONGEST], "text": _checked(text)}
    _write(project, f"{thread}.{history_files.new_name()}", content)


def resolve(project: Path, thread: str, who: str, resolved: bool = True) -> None:
    """Close a thread, or open it again. Raises OSError."""
    content = {"who": who[:LONGEST], "resolved": resolved}
    _write(project, f"{thread}.{history_files.new_name()}", content)


def threads(project: Path) -> list[CommentThread]:
    """All threads, the one with the latest comment first; what is not one of ours is left out."""
    folder = folder_of(project) / COMMENTS
    every = (_thread(folder, thread, sorted(files)) for thread, files in _files(folder).items())
    known = [each for each in every if each is not None]
    return sorted(known, key=lambda each: each.comments[-1].when_s, reverse=True)


def is_there(about: CommentSubject, project: Project) -> bool:
    """Whether a block or wire is in a drawing; of others that is not known here."""
    if about.kind == "block":
        return about.name in project.graph.nodes
    return about.kind != "wire" or about.name in wires(project)


def wires(project: Project) -> list[str]:
    """The wires of a drawing as people name them; a port where it is not the first."""
    return [f"{edge.source} -> {edge.target}" for edge in project.graph.edges]


def _checked(text: str) -> str:
    if not text.strip():
        raise ProjectError("The comment", "is empty.", "Write something.")
    if len(text) > LONGEST_TEXT:
        said = f"has {len(text):,} characters."
        raise ProjectError("The comment", said, f"Write at most {LONGEST_TEXT:,}.")
    return text.strip()


def _write(project: Path, name: str, content: dict[str, Any]) -> None:
    folder = folder_of(project)
    with locked(made(folder, COMMENTS)):
        history_files.add(folder / COMMENTS / f"{name}.json", history_files.as_json(content))


def _files(folder: Path) -> dict[str, list[tuple[str, str]]]:
    """The newest files by thread: of each its entry, "" for the first comment, and its name."""
    found: dict[str, list[tuple[str, str]]] = {}
    try:
        with os.scandir(folder) as files:
            names = sorted((file.name for file in files), reverse=True)
    except OSError:
        return found
    matches = (FILE.match(name) for name in names)
    for match in [each for each in matches if each][:MOST]:
        found.setdefault(match[1], []).append((match[2] or "", match[0]))
    return found


def _thread(folder: Path, thread: str, files: list[tuple[str, str]]) -> CommentThread | None:
    """A thread of its files; None where the first one is not here or not one of ours."""
    first = history_files.entry(folder / files[0][1])
    kind, name = first.get("about"), history_files.word(first, "name")
    about = next((CommentSubject(each, name) for each in KINDS if each == kind), None)
    comments = (_comment(folder / file, entry or thread) for entry, file in files)
    known = tuple(each for each in comments if each is not None)
    if files[0][0] or about is None or not known:
        return None
    return CommentThread(thread, about, known)


def _comment(file: Path, name: str) -> Comment | None:
    found, when_s = history_files.entry(file), history_files.when_s(name)
    text, resolved = found.get("text"), found.get("resolved")
    text = text[:LONGEST_TEXT] if isinstance(text, str) else ""
    resolved = resolved if isinstance(resolved, bool) else None
    if not when_s or not (text or resolved is not None):
        return None
    return Comment(when_s, history_files.word(found, "who"), text, resolved)
