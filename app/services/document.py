"""One open project: the canvas's session, its drafts, its forms, and saving it to a file."""

import logging
import weakref
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from app.canvas.session import DocSession
from app.process import pool
from app.services import paths, too_large
from app.services.draft_store import DraftStore
from app.services.requirements import Requirements
from app.services.training_form import TrainingForm
from app.wing import parts
from core.graph import Graph
from core.project import (
    Conflict,
    Project,
    ProjectError,
    graph_to_json,
    open_project,
    save_project,
    write_text,
)
from core.project.drafts import drop_draft
from core.project.former_names import note_renamed
from core.project.model import ENDING
from core.project.recents import add_recent
from core.project.rename_references import with_graph
from core.project.title import is_named, title
from core.project.values import frozen
from core.runs import quota

_LOG = logging.getLogger(__name__)
DRAFT = "new-"
"""How the id of a project begins that was never saved."""


class Versions(Protocol):
    """The versions in one file. project: shown meanwhile. revision: of the file as it is."""

    @property
    def project(self) -> Project: ...
    @property
    def revision(self) -> str: ...


class Document:
    """An open project, of a session in one browser tab.

    session: what the canvas talks to; drafts, form, requirements: see there. conflict: why the
    last save was refused, "" when it was not.
    begun: of one that began as the drawing of a run, its name and the project that the run names.
    versions: those of a file that has several, between which the user is to choose.
    run: the name of the run that the page or the address names, "" for none (see `current_run`).
    trains_here: whether its next run is to train on this machine.
    """

    def __init__(
        self, doc_id: str, project: Project, path: Path | None, base_revision: str = ""
    ) -> None:
        self.doc_id = doc_id
        self.drafts = DraftStore(path or doc_id, base_revision)
        self.form = TrainingForm(doc_id, project)
        self.requirements = Requirements()
        self.session = DocSession(
            doc_id,
            project,
            path,
            analyse,
            self.drafts,
            self.requirements.of,
            self.form.note_replaced,
            self._unfit,
        )
        self.conflict = ""
        self.begun: tuple[str, str] = ("", "")
        self.versions: Versions | None = None
        self.run = ""
        self.trains_here = True
        _by_channel[self.session.channel] = self

    def _unfit(self, project: Project, report: dict[str, Any]) -> list[dict[str, Any]]:
        """Errors that no analysis gives: what this machine has too little for."""
        return too_large.errors(project, report) if self.trains_here else []

    @property
    def project(self) -> Project:
        """The project as it is now."""
        return self.session.project

    @property
    def path(self) -> Path | None:
        """The project's file, None for one that was never saved."""
        return self.session.path

    @property
    def address(self) -> str:
        """What names this project in the address bar."""
        return paths.file_id(self.path) if self.path else self.doc_id

    @property
    def title(self) -> str:
        """The project's name, or a description until it has one: MLP on iris."""
        return title(self.project)

    @property
    def stem(self) -> str:
        """What a file of this project is called without its ending."""
        return paths.stem(self.title) or "untitled"

    @property
    def beside(self) -> str:
        """The folder of the project's file, "" for one that was never saved."""
        return str(self.path.parent) if self.path else ""

    def text(self) -> str:
        """Return the project file's text, with a name."""
        return write_text(replace(self.project, name=self.title))

    def analysed(self) -> dict[str, Any]:
        """The report (as JSON) on the drawing as it is now."""
        return self.session.analysed()

    def unfinished(self) -> str:
        """Return what is missing before the drawing can run, "" for nothing."""
        report = self.analysed()
        return self.session.analysis.failed or first_error(report)

    def replace(self, project: Project) -> None:
        """Put another project in the browser's place; there its drawing is one undo step."""
        self.session.replace(project)

    def put_graph(self, graph: Graph) -> None:
        """Put another graph in the browser's place; there it is one undo step."""
        with self.session.lock:
            self.replace(with_graph(self.project, graph))

    def change(self, **parts: Any) -> None:
        """Change data, training, name or about, where it differs from what is there."""
        new = {name: frozen(value) for name, value in parts.items()}
        changed = {n: v for n, v in new.items() if v != frozen(getattr(self.project, n))}
        if changed:
            self.session.update(**changed)

    def settle_name(self, taken: Collection[str] = ()) -> None:
        """Make what an unnamed project is its name, by which runs and files are found from now on.

        taken: names of others; it then is the second, the third of the name.
        """
        if is_named(self.project):
            return
        names = (self.title, *(f"{self.title} {number}" for number in range(2, 1000)))
        self.change(name=next((name for name in names if name not in taken), self.title))

    def rename(self, name: str, about: str | None = None) -> None:
        """Give the project another name, and text; its runs stay with it."""
        before, words = self.project.name, " ".join(name.split())
        about = self.project.about if about is None else about.strip()
        self.change(name=words, about=about)
        try:
            note_renamed(before, words)
        except ProjectError as error:  # a convenience; the project itself is renamed
            _LOG.warning("former names: %s", error)

    def save(self) -> None:
        """Save to the file, or to a new one named after the project. Raises ProjectError.

        On a Conflict nothing is written and `conflict` holds the reason.
        """
        self.settle_name()
        if self.path is None:
            self.save_copy()
            return
        _check_room(self.project, self.path)
        drafts = self.drafts
        with self.session.lock:  # no edit may come between what is written and noted as saved
            _note_version(self.path, mine=False)
            try:
                drafts.base_revision = save_project(self.project, self.path, drafts.base_revision)
            except Conflict as error:
                self.conflict = str(error)
                raise
            self._note_saved(self.path)

    def save_copy(self) -> None:
        """Save to a new file in the workspace. Raises ProjectError."""
        _check_room(self.project)
        with self.session.lock:
            before = self.drafts.key
            path, self.drafts.base_revision = _save_new(self.project, self.stem)
            self._note_saved(path)
            if before != path:
                self.drafts.end(before)

    def take_file(self) -> None:
        """Give up the draft for what the file holds now. Raises ProjectError."""
        if self.path is None:
            raise ProjectError("", "This project has not been saved yet.")
        project = open_project(self.path)
        drop_draft(self.path)
        self.drafts.base_revision = project.revision
        self.replace(project)
        self._note_saved(self.path, mine=False)

    def _note_saved(self, path: Path, mine: bool = True) -> None:
        self.conflict = ""
        self.session.mark_saved(path)
        self.drafts.key = path
        self.drafts.end()
        _note_version(path, mine)
        try:
            add_recent(path, self.title)
        except ProjectError as error:  # a convenience; the project itself is saved
            _LOG.warning("recent projects: %s", error)


def _note_version(path: Path, mine: bool) -> None:
    """Tell wings what is in a file: what others wrote before it is saved, and what was saved."""
    for _, part in parts("saved"):
        part.note(path, mine)


_by_channel: "weakref.WeakValueDictionary[str, Document]" = weakref.WeakValueDictionary()


def document_of(token: str | None) -> Document | None:
    """The open project whose canvas has this token, None where there is none."""
    return _by_channel.get(token or "")


def analyse(project: Project) -> dict[str, Any]:
    """The report on a project, as JSON. Raises PoolError."""
    parts = title(project), dict(project.data), dict(project.training)
    graph = graph_to_json(project.graph)
    return pool.analyse(graph, *parts, specialised=project.specialised)


def first_error(report: dict[str, Any]) -> str:
    """The first error of a report and how many more there are; "" for none."""
    errors = report["errors"]
    if not errors:
        return ""
    more = {1: "", 2: " One more problem is marked on the canvas."}.get(
        len(errors), f" {len(errors) - 1} more problems are marked on the canvas."
    )
    return f"{errors[0]['message']} {errors[0]['hint']}{more}"


def _check_room(project: Project, path: Path | None = None) -> None:
    """Raise ProjectError where a project would take its account over the quota; it stays a draft.

    path: the file that it is saved over.
    """
    before = path.stat().st_size if path and path.exists() else 0
    more = len(write_text(project).encode()) - before
    words, hint = quota.files_refusal(paths.workspace(), more) if more > 0 else ("", "")
    if words:
        raise ProjectError("", words, f"{hint} What you have drawn is kept as a draft.")


def _save_new(project: Project, stem: str) -> tuple[Path, str]:
    """Save under the first free name; its path, and the revision of the file. Raises ProjectError.

    A name that somebody takes meanwhile is not free.
    """
    for name in (stem, *(f"{stem}-{number}" for number in range(2, 1000))):
        path = paths.workspace() / f"{name}{ENDING}"
        if path.exists():
            continue
        try:
            return path, save_project(project, path)
        except Conflict:
            continue
    raise ProjectError(f"{stem}{ENDING}", "exists 999 times already.", "Rename the project.")
