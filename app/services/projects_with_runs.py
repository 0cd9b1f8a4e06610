"""All projects of the workspace with their runs, latest first.

Projects are files that were opened or lie in the workspace, and drafts; runs whose project is no
longer here stand together under its name. What was read is kept until the file changes.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.services import documents, paths
from app.services.document import Document
from app.services.project_runs import Owner, runs_of
from core.common.errors import ProjectError
from core.files.read import read_bytes
from core.project import Project, open_project, templates
from core.project.conflict_markers import has_markers
from core.project.drafts import list_drafts, load_draft
from core.project.model import ENDING
from core.project.recents import list_recents
from core.project.title import title
from core.runs.best import best_run, judged_apart
from core.runs.listing import RunView

Stamp = tuple[int, int, int]
CONFLICT = "has a merge conflict of git: open it to choose between the versions"


@dataclass(frozen=True)
class Work:
    """A project and its runs, latest first.

    doc_id: what opens it, "" where only runs are left. path: of its file. problem: why it has
    no drawing to show. changed_s: when it was drawn or trained last. fixed: why it cannot be
    renamed, "" where it can.
    """

    doc_id: str
    project: Project
    title: str
    where: str
    changed_s: float
    path: Path | None = None
    problem: str = ""
    runs: tuple[RunView, ...] = field(default=(), compare=False)
    fixed: str = ""

    @property
    def key(self) -> str:
        """A short name of it, for what belongs to it on a page."""
        return hashlib.sha256(f"{self.doc_id}:{self.title}".encode()).hexdigest()[:12]

    @property
    def removable(self) -> bool:
        """Whether its file lies in the workspace, or it has none: then deleting moves it aside."""
        return self.path is None or self.path.is_relative_to(paths.workspace())

    @property
    def best(self) -> RunView | None:
        """The best of its runs judged by and on the same as the newest of them."""
        return best_run(self.runs)

    @property
    def apart(self) -> int:
        """How many of its runs have a result that does not compare with the newest one."""
        return judged_apart(self.runs)


def list_works(views: Sequence[RunView]) -> list[Work]:
    """List all projects with their runs among `views`, drawn or trained last first."""
    works = list(_projects())
    owned = runs_of([_owner(work) for work in works], views)
    known = {view.name for runs in owned for view in runs}
    of_gone: dict[str, list[RunView]] = defaultdict(list)
    for view in views:
        if view.name not in known:
            of_gone[view.project_name].append(view)
    works = [_with_runs(work, runs) for work, runs in zip(works, owned, strict=True)]
    left = [_of_runs(name, runs) for name, runs in of_gone.items()]
    return sorted([*works, *left], key=lambda work: work.changed_s, reverse=True)


def _owner(work: Work) -> Owner:
    return Owner(frozenset({work.doc_id}), work.project.name, work.path is not None)


def fits(work: Work, words: str) -> bool:
    """Whether a project has every word of a search: in its name, data, place, text or runs."""
    source = str(work.project.data.get("source", ""))
    parts = [work.title, source, work.where, work.project.about, *(run.name for run in work.runs)]
    text = " ".join(parts).lower()
    return all(word in text for word in words.lower().split())


def rename(work: Work, name: str, opened: Document | None = None) -> None:
    """Give a project another name; its file, too, where that holds just what was drawn.

    opened: the project of the tab, which may be this one. Raises ProjectError, Conflict, OSError.
    """
    same = opened is not None and opened.address == work.doc_id
    document = opened if opened is not None and same else documents.restore(work.doc_id)
    saved = document.session.saved
    document.rename(name)
    if saved:
        document.save()


def _with_runs(work: Work, found: Sequence[RunView]) -> Work:
    runs = tuple(found)
    newest = max((run.created_s for run in runs), default=0.0)
    return Work(
        work.doc_id,
        work.project,
        work.title,
        work.where,
        max(work.changed_s, newest),
        work.path,
        work.problem,
        runs,
    )


def _of_runs(name: str, runs: Sequence[RunView]) -> Work:
    """Runs whose project is not here: it is shown as the newest of them has it."""
    try:
        project = _read(runs[0].dir / "project.loom.json")
    except (ProjectError, OSError):
        project = Project(name=name)
    where, fixed = "only its runs are left", "The project is gone; only its runs are left."
    if template := _template_of(runs):
        where, fixed = f"template {template}", "A template cannot be renamed: save a copy of it."
    named, changed_s = name or title(project), runs[0].created_s
    return Work("", project, named, where, changed_s, runs=tuple(runs), fixed=fixed)


def _template_of(runs: Sequence[RunView]) -> str:
    """The template file that runs were trained from without a change; "" for none."""
    ids = {run.document for run in runs if run.document}
    files = templates.FOLDER.glob(f"*{ENDING}") if ids else ()
    return next((path.name for path in files if paths.file_id(path) in ids), "")


def _projects() -> Iterable[Work]:
    """Every project that can be opened, once: its draft, where it has one, else its file."""
    drafts = list_drafts()
    drafted = {draft.key for draft in drafts}
    for draft in drafts:
        work = _draft(draft.key, draft.file, draft.changed_s)
        if work is not None:
            yield work
    for path in _files():
        if path not in drafted:
            yield _file(path)


def _draft(key: Path | str, file: Path, changed_s: float) -> Work | None:
    """A draft; None for one without changes, or that has just ended."""
    path = key if isinstance(key, Path) else None
    doc_id = paths.file_id(path) if path else str(key)
    where = path.name if path else "draft, saved automatically"
    try:
        project = _read(file, key)
    except FileNotFoundError:
        return None
    except ProjectError as error:
        problem = f"cannot be read: {error}"
        return Work(doc_id, Project(), where, where, changed_s, path, problem)
    if path is None and documents.is_untouched(project):
        return None
    return Work(doc_id, project, title(project), where, changed_s, path)


def _file(path: Path) -> Work:
    changed_s = path.stat().st_mtime if path.exists() else 0.0
    try:
        project = _read(path)
    except (ProjectError, FileNotFoundError) as error:
        problem = CONFLICT if _has_markers(path) else f"cannot be read: {error}"
        return Work(paths.file_id(path), Project(), path.name, path.name, changed_s, path, problem)
    return Work(paths.file_id(path), project, title(project), path.name, changed_s, path)


def _has_markers(path: Path) -> bool:
    """Whether git left a merge conflict in a file, which opening it shows."""
    return path.exists() and has_markers(read_bytes(path).decode("utf-8", "replace"))


def _files() -> list[Path]:
    """Project files: those opened before that are still there, and those of the workspace."""
    opened = [recent.path for recent in list_recents().projects if not recent.missing]
    here = sorted(paths.workspace().glob(f"*{ENDING}"))
    known = dict.fromkeys(path.resolve() for path in [*opened, *here])
    return [path for path in known if path.parent != templates.FOLDER]


_kept: dict[Path, tuple[Stamp, Project]] = {}
_MOST = 5000


def _read(file: Path, key: Path | str | None = None) -> Project:
    """Read a project file or the draft of `key`, again only once it changes.

    Raises ProjectError, FileNotFoundError.
    """
    stats = file.stat()
    stamp = stats.st_ino, stats.st_size, stats.st_mtime_ns
    found = _kept.get(file)
    if found is not None and found[0] == stamp:
        return found[1]
    draft = load_draft(key) if key is not None else None
    if key is not None and draft is None:
        raise FileNotFoundError(file)
    project = draft.project if draft is not None else open_project(file)
    if len(_kept) >= _MOST:
        _kept.clear()
    _kept[file] = stamp, project
    return project
