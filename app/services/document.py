"""One open project: the canvas's session with its drafts, saving, and checks before training."""

import logging
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.canvas.session import DocSession
from app.process import pool
from app.services import launch, paths
from app.services.belonging import Owner, owns
from blocks.signature import N, Signature
from core.data import DataError, DataInfo, describe, describe_project, ends
from core.errors import RunError
from core.graph import Graph
from core.prepare.requirements import Need, missing
from core.project import Conflict, Project, ProjectError, open_project, save_project, write_text
from core.project.drafts import Key, drop_draft, save_draft
from core.project.former_names import note_renamed
from core.project.model import ENDING
from core.project.recents import add_recent
from core.project.rename_references import with_graph
from core.project.title import is_named, title
from core.project.values import frozen
from core.runs.listing import RunView, list_runs
from core.settings.data_checks import check_with_data
from core.settings.validate import resolve

_LOG = logging.getLogger(__name__)
DRAFT = "new-"
"""How the id of a project begins that was never saved."""
OTHER_TAB = "(other tab)"
"""What the name of a version ends with that lost its place to that of another tab."""
FRESH_S = 2.0
"""How long is believed what the disk said of missing files."""


@dataclass(frozen=True)
class Fit:
    """How the data fits the network, or the one sentence why it does not."""

    info: DataInfo | None
    problem: str = ""


def _describe(project: Project, inputs: list[Any], outputs: list[Any]) -> DataInfo:
    """Describe the data for these ends of the network; without outputs, for its Input alone."""
    if outputs:
        return describe_project(project, *ends(_signatures(inputs), _signatures(outputs)))
    signatures = _signatures(inputs)
    return describe(project.data, ends(signatures, signatures)[0])


def _signatures(ends: list[Any]) -> list[tuple[str, Signature]]:
    """Read the ends of a report from JSON; a size that is not plain becomes unknown."""
    sizes = [
        [N if d == "N" else d if isinstance(d, int) else None for d in e["shape"]] for e in ends
    ]
    return [(e["node"], Signature(tuple(s), e["dtype"])) for e, s in zip(ends, sizes, strict=True)]


def _first_error(report: dict[str, Any]) -> str:
    errors = report["errors"]
    if not errors:
        return ""
    more = {1: "", 2: " One more problem is marked on the canvas."}.get(
        len(errors), f" {len(errors) - 1} more problems are marked on the canvas."
    )
    return f"{errors[0]['message']} {errors[0]['hint']}{more}"


def _named(project: Project) -> tuple[Any, ...]:
    """What names the data of a project and what is told of it."""
    keys = ("source", "root", "file", "target", "target_column")
    return tuple(project.data.get(key) for key in keys)


class _Missing:
    """Warnings about missing files of a project; the disk is checked only now and then."""

    def __init__(self) -> None:
        self._asked: tuple[Any, ...] = ()
        self._when = 0.0
        self._found: list[Need] = []

    def of(self, project: Project, path: Path | None) -> list[Need]:
        """The warnings, checked anew if the project needs other files or time went by."""
        asked, now = (project.data, project.training, path), time.monotonic()
        if asked != self._asked or now > self._when + FRESH_S:
            beside = path.parent if path else None
            self._found = missing(project, beside, paths.runs_dir())
            self._asked, self._when = asked, now
        return self._found


class Document(DocSession):
    """An open project. `base_revision`: that of the file it started from, "" for none.

    begun: of one that began as the drawing of a run, its name and the project that the run names.
    run: the name of the run that the page or the address names, "" for none (see `this_run`).
    """

    def __init__(
        self, doc_id: str, project: Project, path: Path | None, base_revision: str = ""
    ) -> None:
        super().__init__(doc_id, project, path, self._check, self.keep_draft)
        self.base_revision = base_revision
        self.conflict = ""
        self.begun: tuple[str, str] = ("", "")
        self.run = ""
        self.data_epoch = self.training_epoch = 0
        self.suggested: Mapping[str, Any] | None = None
        self.before_use: tuple[Mapping[str, Any], Mapping[str, Any] | None] | None = None
        self._data_seen = _named(project)
        self._missing = _Missing()

    def replace(self, project: Project) -> None:
        """Put another drawing in the browser's place. `data_epoch` counts those with other data.

        A form on the data begins anew with it, and only then: so that a choice just made is kept.
        """
        with self.lock:
            self.data_epoch += frozen(project.data) != frozen(self.project.data)
            if frozen(project.training) != frozen(self.project.training):
                self.training_epoch += 1
                self.suggested = self.before_use = None
                self._data_seen = _named(project)
            super().replace(project)

    def train_with(self, training: Mapping[str, Any], suggested: Mapping[str, Any]) -> None:
        """Change the training settings to some that were suggested; `suggested` is all of those.

        `training_epoch` counts such changes: a form on the training begins anew with each.
        """
        if frozen(training) != frozen(self.project.training):
            self.training_epoch += 1
            self.before_use = None
            self.change(training=training)
        self.suggested = suggested

    @property
    def training_key(self) -> str:
        """What keys of widgets on the training begin with."""
        return f"{self.doc_id}:{self.training_epoch}" if self.training_epoch else self.doc_id

    def takes_new_data(self) -> bool:
        """Whether other data is chosen, or another target, than when this was asked last."""
        before, self._data_seen = self._data_seen, _named(self.project)
        return before != self._data_seen

    def put_graph(self, graph: Graph) -> None:
        """Put another graph in the browser's place; there it is one undo step."""
        with self.lock:
            self.replace(with_graph(self.project, graph))

    @property
    def draft_key(self) -> Key:
        """What the draft belongs to: the file, or the id of a project never saved."""
        return self.path or self.doc_id

    @property
    def address(self) -> str:
        """What names this project in the address bar."""
        return paths.file_id(self.path) if self.path else self.doc_id

    @property
    def stem(self) -> str:
        """What a file of this project is called without its ending."""
        return paths.stem(self.title) or "untitled"

    @property
    def title(self) -> str:
        """The project's name, or what it is as long as nobody named it: MLP on iris."""
        return title(self.project)

    def settle_name(self, taken: Collection[str] = ()) -> None:
        """Make what an unnamed project is its name, by which runs and files are found from now on.

        taken: names of others; it then is the second, the third of the name.
        """
        if is_named(self.project):
            return
        names = (self.title, *(f"{self.title} {number}" for number in range(2, 1000)))
        self.change(name=next((name for name in names if name not in taken), self.title))

    def _check(self, graph_json: dict[str, Any]) -> dict[str, Any]:
        of = self.project
        rest = dict(of.data), dict(of.training)
        return pool.analyse(graph_json, title(of), *rest, specialised=of.specialised)

    def missing(self) -> list[Need]:
        """Warnings of data, weights and runs that training would ask for in vain."""
        return self._missing.of(self.project, self.path)

    def look_again(self) -> None:
        """Look anew for what was missing."""
        self._missing = _Missing()

    def keep_draft(self, project: Project) -> None:
        """Keep a draft. Raises OSError."""
        try:
            save_draft(self.draft_key, project, self.base_revision)
        except ProjectError as error:
            raise OSError(str(error)) from error

    def _save_draft_aside(self, project: Project) -> None:
        """Keep what another tab's draft must not lose its place to: as a draft of its own."""
        try:
            save_draft(self._aside, replace(project, name=f"{title(project)} {OTHER_TAB}"))
        except ProjectError as error:
            raise OSError(str(error)) from error

    @property
    def _aside(self) -> str:
        return f"new-{self.sid[:12]}"

    def _back_up_draft(self) -> None:
        """Make a backup of the other tab's draft; ours then has the place to itself."""
        try:
            drop_draft(self.draft_key)
            drop_draft(self._aside)
        except ProjectError as error:
            _LOG.warning("no backup of the other tab's draft: %s", error)

    def mark_edited(self) -> None:
        """Note that this is a draft, which the file does not hold."""
        self._saved = None

    def change(self, **parts: Any) -> None:
        """Change data, training, name or about, where it differs from what is there."""
        new = {name: frozen(value) for name, value in parts.items()}
        changed = {n: v for n, v in new.items() if v != frozen(getattr(self.project, n))}
        if changed:
            self.update(**changed)

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

        On a Conflict nothing is written and `conflict` says what happened.
        """
        self.settle_name()
        if self.path is None:
            self.save_copy()
            return
        with self.lock:  # no edit may come between what is written and what is noted as saved
            try:
                self.base_revision = save_project(self.project, self.path, self.base_revision)
            except Conflict as error:
                self.conflict = str(error)
                raise
            self._is_saved(self.path)

    def save_copy(self) -> None:
        """Save to a new file in the workspace. Raises ProjectError."""
        with self.lock:
            before = self.draft_key
            path = self._save_anew()
            self._is_saved(path)
            if before != path:
                self._end_draft(before)

    def take_file(self) -> None:
        """Give up the draft for what the file holds now. Raises ProjectError."""
        if self.path is None:
            raise ProjectError("", "This project was never saved.")
        project = open_project(self.path)
        drop_draft(self.path)
        self.base_revision, self.conflict = project.revision, ""
        self.replace(project)
        self._is_saved(self.path)

    def _is_saved(self, path: Path) -> None:
        self.conflict = ""
        self.mark_saved(path)
        self._end_draft(path)
        try:
            add_recent(path, self.title)
        except ProjectError as error:  # a convenience; the project itself is saved
            _LOG.warning("recent projects: %s", error)

    def _end_draft(self, key: Key) -> None:
        """Make the draft of what is saved a backup; one that has to stay does no harm."""
        try:
            drop_draft(key)
        except ProjectError as error:
            _LOG.warning("the draft stays: %s", error)

    def _save_anew(self) -> Path:
        """Save under the first free name; one that somebody takes meanwhile is not free."""
        stem = self.stem
        for name in (stem, *(f"{stem}-{number}" for number in range(2, 1000))):
            path = paths.workspace() / f"{name}{ENDING}"
            if path.exists():
                continue
            try:
                self.base_revision = save_project(self.project, path)
            except Conflict:
                continue
            return path
        raise ProjectError(f"{stem}{ENDING}", "exists 999 times already.", "Rename the project.")

    def text(self) -> str:
        """Return the project file's text, with a name."""
        return write_text(replace(self.project, name=self.title))

    @property
    def checked(self) -> bool:
        """Whether the network was analysed before: then the next analysis takes no time."""
        return self._analysed.project is not None

    def unfinished(self) -> str:
        """Return what the drawing lacks before it can run, "" for nothing."""
        report = self.analysed()
        return self._analysed.failed or _first_error(report)

    def fit(self) -> Fit:
        """Tell how the data fits the network, as far as the network is without errors."""
        report = self.analysed()
        if self._analysed.failed:
            return Fit(None, self._analysed.failed)
        outputs: list[Any] = report["outputs"] if report["ok"] else []
        try:
            return Fit(_describe(self.project, report["inputs"], outputs), _first_error(report))
        except DataError as error:
            return Fit(None, _first_error(report) or str(error))

    def training_problem(self, fit: Fit) -> str:
        """Return why training cannot start, in one sentence; "" if it can."""
        if fit.problem or fit.info is None:
            return fit.problem
        if not fit.info.here:
            return f"{fit.info.source} is not on this machine yet; download it first."
        try:
            training = resolve(self.project.training, fit.info.task, fit.info.losses)
            check_with_data(training, fit.info)
        except RunError as error:
            return str(error)
        return ""

    @property
    def beside(self) -> str:
        """The folder of the project's file, "" for one that was never saved."""
        return str(self.path.parent) if self.path else ""

    def train(self, remedy: Mapping[str, Any] | None = None) -> str:
        """Start a run of exactly this project and return its name. Raises PoolError.

        remedy: of which run it is one, {"run", "title", "changes"}, for the new run's lineage.
        """
        runs = paths.runs_dir()
        self.settle_name({view.project_name for view in list_runs(runs)})
        folder = str(runs)
        given = self.text(), folder, self.beside, self.address, dict(remedy or {})
        return pool.run(launch.launch, *given, timeout_s=120)

    def trained(self, view: RunView) -> bool:
        """Whether a run is one of this project: see `belonging`.

        The drawing of a run has that run, and the others of its project.
        """
        run, named = self.begun
        if run and view.dir.name == run:
            return True
        ids = frozenset({self.address, self.doc_id, named or self.doc_id})
        return owns(Owner(ids, self.project.name, self.path is not None), view)
