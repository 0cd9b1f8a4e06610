"""Opening projects from templates, files, drafts and runs, and closing them.

A document's id stands in the address bar. It is a path inside the workspace, `~` and a hash for
a file elsewhere that was opened on this machine before, or the id of a draft never saved.
"""

import functools
import hashlib
import logging
import re
import secrets
from dataclasses import dataclass, replace
from pathlib import Path

from app import wing
from app.canvas import tabs
from app.services import paths
from app.services.document import DRAFT, ENDING, Document
from core.files.home import home
from core.files.strict import decode
from core.project import Project, ProjectError, open_project, read_text, templates
from core.project.drafts import load_draft
from core.project.recents import add_recent, list_recents
from core.runs.listing import view_run

LARGEST_MB = 200
"""Of what a page takes in and gives out, as it lies in the server's memory."""
_LOG = logging.getLogger(__name__)
FIRST = "lenet_digits"
EMPTY = Project(data={"source": "digits"})
_UNSAVED = re.compile(r"(new|run)-[0-9a-f]{12}")


@dataclass(frozen=True)
class Recent:
    """A project to go on with: `where` is its file, or a note that it was never saved."""

    doc_id: str
    project: Project
    where: str


def from_template(name: str) -> Document:
    """Begin a project of one's own from a template. Raises ProjectError."""
    return _unsaved(templates.load_template(name))


def from_project(project: Project) -> Document:
    """Begin a project of one's own from one that comes with the program. Raises ProjectError."""
    return _unsaved(project)


def empty() -> Document:
    """Begin an empty project."""
    return _unsaved(EMPTY)


def from_upload(data: bytes, name: str) -> Document:
    """Begin a project from the bytes of a file the student chose, or open one packed in it.

    Raises ProjectError.
    """
    for _, kind in wing.parts("upload"):
        if name.lower().endswith(kind.ENDING):
            return from_file(kind.bring_bytes(data, name))
    return _unsaved(read_text(decode(data), Path(name).name))


def from_run(run_dir: Path) -> Document:
    """Open the drawing of a run as it was then; the first edit makes it a draft of its own.

    Raises ProjectError.
    """
    project = replace(open_project(run_dir / "project.loom.json"), revision="")
    ids = (_run_id(run_dir.name, number) for number in range(_COPIES))
    doc_id = next((each for each in ids if load_draft(each) is None), _run_id(run_dir.name, 0))
    return _as_drawn(doc_id, project, run_dir)


def _as_drawn(doc_id: str, project: Project, run_dir: Path) -> Document:
    document = Document(doc_id, project, None)
    document.begun = (run_dir.name, view_run(run_dir).document)
    return document


def run_of(doc_id: str) -> Path | None:
    """Return the folder of the run whose drawing a document began as; None for another one."""
    if not doc_id.startswith("run-"):
        return None
    for folder in paths.runs_dir().glob("*/"):
        if doc_id in (_run_id(folder.name, number) for number in range(_COPIES)):
            return paths.find_run(folder.name)
    return None


_COPIES = 20


def _run_id(name: str, number: int) -> str:
    return "run-" + hashlib.sha256(f"{name}:{number}".encode()).hexdigest()[:12]


def from_file(path: Path) -> Document:
    """Open a file with the draft of it, if there is one; or the versions in it that a wing finds.

    Raises ProjectError.
    """
    path = path.resolve()
    if path.parent == templates.FOLDER:
        return from_template(path.name.removesuffix(ENDING))
    for _, part in wing.parts("versions"):
        if (versions := part.of(path)) is not None:
            document = Document(paths.file_id(path), versions.project, path, versions.revision)
            document.versions = versions
            return document
    with tabs.draft_lock(str(path)):
        draft = load_draft(path)
        if draft is None:
            project = open_project(path)
            document = Document(paths.file_id(path), project, path, project.revision)
        else:
            document = Document(paths.file_id(path), draft.project, path, draft.base_revision)
            document.session.mark_edited()
    _remember(path, document.title)
    return document


def first() -> Document:
    """Open the file the server was started on. Raises ProjectError."""
    path = paths.first_file()
    if path is None:
        raise ProjectError("", "The server was started without a project file.")
    return from_file(path)


def restore(doc_id: str) -> Document:
    """Open the draft or file of an address, one on this machine. Raises ProjectError."""
    if _UNSAVED.fullmatch(doc_id):
        with tabs.draft_lock(doc_id):
            draft, run = load_draft(doc_id), run_of(doc_id)
            if draft is not None and run is not None:
                return _as_drawn(doc_id, draft.project, run)
            if draft is not None:
                return Document(doc_id, draft.project, None)
        if run is None:
            hint = "Look for it on My work, or start from a template."
            raise ProjectError("", "This draft no longer exists.", hint)
        return _as_drawn(doc_id, open_project(run / "project.loom.json"), run)
    path = _known_file(doc_id)
    if path is None:
        raise ProjectError(
            "", "There is no project at this address.", "Open it from the start page."
        )
    return from_file(path)


def _known_file(doc_id: str) -> Path | None:
    """Return the file of an id; a path outside the workspace must have been opened before."""
    if "\0" in doc_id:
        return None
    path = (paths.workspace() / doc_id).resolve()
    inside = path.is_relative_to(paths.workspace()) and path.name.endswith(ENDING)
    if inside and not doc_id.startswith("~"):
        return path
    known = [recent.path for recent in list_recents().projects]
    first_file = paths.first_file()
    return next((p for p in [*known, first_file] if p and paths.file_id(p) == doc_id), None)


def _unsaved(project: Project) -> Document:
    document = Document(f"{DRAFT}{secrets.token_hex(6)}", replace(project, revision=""), None)
    document.drafts.keep(document.project)
    return document


def _remember(path: Path, name: str) -> None:
    try:
        add_recent(path, name)
    except ProjectError as error:  # a convenience; the project itself is open
        _LOG.warning("recent projects: %s", error)


@functools.cache
def chapters() -> dict[str, dict[str, Project]]:
    """Return the templates by chapter and name: read once, as they come with the program."""
    names_by_chapter = templates.chapters().items()
    return {
        title: {name: templates.load_template(name) for name in names}
        for title, names in names_by_chapter
    }


@functools.cache
def _untouched() -> tuple[Project, ...]:
    """The state of a draft without changes."""
    begun = [project for chapter in chapters().values() for project in chapter.values()]
    of_wings = [project for _, part in wing.parts("drawings") for project in part.projects()]
    return tuple(_meaning(project) for project in (*begun, *of_wings, EMPTY))


def recent() -> list[Recent]:
    """Return what can be gone on with: files opened last, then drafts that were edited."""
    files = [_recent_file(r.path) for r in list_recents().projects[:6] if not r.missing]
    names = [folder.name.removeprefix("untitled-") for folder in _drafts()[:24]]
    drafts = [d for d in map(_recent_draft, names) if d and not is_untouched(d.project)]
    return [item for item in [*files, *drafts[:6]] if item is not None]


def is_untouched(project: Project) -> bool:
    """Whether a draft has no changes."""
    return _meaning(project) in _untouched() or not (project.graph.nodes or project.notes)


def _meaning(project: Project) -> Project:
    return replace(project, layout={})


def _drafts() -> list[Path]:
    """Return the folders of drafts never saved, latest first."""
    files = (home() / "drafts").glob("untitled-*/draft.json")
    return [file.parent for file in sorted(files, key=_changed_s, reverse=True)]


def _changed_s(file: Path) -> float:
    """When a file was changed; the beginning of time where another tab has just ended it."""
    try:
        return file.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _recent_file(path: Path) -> Recent | None:
    try:
        draft = load_draft(path)
        project = draft.project if draft else open_project(path)
    except ProjectError:  # shown with its reason when it is opened, not here
        return None
    return Recent(paths.file_id(path), project, path.name)


def _recent_draft(doc_id: str) -> Recent | None:
    try:
        draft = load_draft(doc_id)
    except ProjectError:
        return None
    return Recent(doc_id, draft.project, "draft, saved automatically") if draft else None
