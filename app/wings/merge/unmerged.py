"""Project files in which git left a merge conflict: their versions, and saving what is chosen."""

import hashlib
import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from app.wings.merge.git_stages import stages_of
from core.files.folder import write_bytes
from core.files.home import changing, home, read_or_set_aside
from core.files.messages import in_file
from core.files.read import read_bytes
from core.files.strict import decode, parse
from core.project import Project, ProjectError, read_text, save_project, write_text
from core.project.conflict_markers import has_markers
from core.project.drafts import drop_draft
from core.wings.merge import Merged, merge
from core.wings.merge.marked_text import MarkedText, split_versions

SETTLED, KEPT = "merged.json", 200
HINT = "Take one version with `git checkout --ours FILE` or `git checkout --theirs FILE`."
BASE, OURS, THEIRS = 1, 2, 3


@dataclass(frozen=True)
class Unmerged:
    """A file with a merge conflict. base: None where the common version is unknown.

    our_name, their_name: what git calls the two versions. revision: of the file as it is. stamp:
    names the versions, "" for those between markers.
    """

    path: Path
    base: Project | None
    ours: Project
    theirs: Project
    our_name: str
    their_name: str
    revision: str
    stamp: str = ""

    @property
    def project(self) -> Project:
        """The merge, with ours in conflicts."""
        return self.merged().project

    def merged(self, choose_theirs: Collection[str] = ()) -> Merged:
        """The merge, with theirs in the conflicts of these messages."""
        return merge(self.base or Project(), self.ours, self.theirs, choose_theirs)


def unmerged_file(path: Path) -> Unmerged | None:
    """The versions of a file that git could not merge and nobody has since; None for others.

    Nothing is executed or written. Raises ProjectError where a version between markers is not a
    project; a file that cannot be read is left to who opens it.
    """
    try:
        data = read_bytes(path)
    except ProjectError:
        return None
    text = data.decode("utf-8", "replace")
    marked = split_versions(text) if has_markers(text) else None
    try:
        found = _versions(path, marked, hashlib.sha256(data).hexdigest())
    except ProjectError:
        if marked:
            raise
        return None  # the file itself can be opened
    return found if found is None or marked or _is_open(found, text) else None


def resolve(unmerged: Unmerged, project: Project) -> None:
    """Save what was chosen over the file; a draft of it is kept under Earlier versions.

    Raises Conflict where the file has changed since, ProjectError where it cannot be written.
    """
    save_project(project, unmerged.path, unmerged.revision)
    drop_draft(unmerged.path)
    if unmerged.stamp:
        with changing(SETTLED) as file:
            stamps = [*read_or_set_aside(file, _stamps, []), unmerged.stamp][-KEPT:]
            write_bytes(file, json.dumps(stamps).encode(), private=True)


def _versions(path: Path, marked: MarkedText | None, revision: str) -> Unmerged | None:
    """Those that git has in its index, else those between markers."""
    stages = stages_of(path)
    if stages.keys() >= {OURS, THEIRS}:
        return _of_stages(path, stages, marked, revision)
    return _of_markers(path, marked, revision) if marked else None


def _of_stages(
    path: Path, stages: dict[int, bytes], marked: MarkedText | None, revision: str
) -> Unmerged:
    base = _project(path, "base", stages[BASE]) if BASE in stages else None
    ours, theirs = (
        _project(path, name, stages[stage]) for name, stage in (("ours", OURS), ("theirs", THEIRS))
    )
    names = (marked.our_name, marked.their_name) if marked else ("", "")
    texts = b"\0".join([str(path).encode(), *(stages[each] for each in sorted(stages))])
    stamp = hashlib.sha256(texts).hexdigest()
    return Unmerged(path, base, ours, theirs, *names, revision, stamp)


def _of_markers(path: Path, marked: MarkedText, revision: str) -> Unmerged:
    base = _project(path, "base", marked.base) if marked.base is not None else None
    ours, theirs = _project(path, "ours", marked.ours), _project(path, "theirs", marked.theirs)
    return Unmerged(path, base, ours, theirs, marked.our_name, marked.their_name, revision)


def _project(path: Path, version: str, content: str | bytes) -> Project:
    try:
        return read_text(content if isinstance(content, str) else decode(content))
    except ProjectError as error:
        named = in_file(f"{path.name} ({version})", error)
        raise ProjectError(named.place, named.message, HINT) from error


def _is_open(unmerged: Unmerged, text: str) -> bool:
    """Whether a file without markers is as `layerloom merge` left it, and nobody chose that."""
    return text == write_text(unmerged.merged().project) and unmerged.stamp not in _settled()


def _settled() -> list[str]:
    file = home() / SETTLED
    return read_or_set_aside(file, _stamps, []) if file.exists() else []


def _stamps(file: Path) -> list[str]:
    """The versions that somebody has chosen between. Raises ProjectError for a damaged list."""
    if not file.exists():
        return []
    data: Any = parse(decode(read_bytes(file)))
    stamps = cast("list[Any]", data) if isinstance(data, list) else [None]
    if not all(isinstance(stamp, str) for stamp in stamps):
        raise ProjectError(file.name, "is not a list of merges.", "Nothing else depends on it.")
    return cast("list[str]", stamps)
