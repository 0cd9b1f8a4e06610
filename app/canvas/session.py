"""One project in one browser tab, on the server: revisions, annotations, drafts. No Streamlit.

The browser owns the drawing; an answer never holds anything that would overwrite an edit. A drawing
goes down only when the browser asks for it, or when `replace` made a new epoch.
"""

import logging
import secrets
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from app import wing
from app.canvas import annotations, equality, protocol, revisions, tabs, tokens
from app.canvas.analysis import Analyse, Analysis
from app.canvas.custom_ports import with_ports
from app.canvas.notes import read_notes
from app.strict_json import json_safe
from core.graph import Graph
from core.project import Project, graph_to_json
from core.project.rename_references import with_graph
from core.project.title import title

_LOG = logging.getLogger(__name__)
BATCH = 64  # training's own default

Json = dict[str, Any]
Missing = Callable[[Project, Path | None], Sequence[Mapping[str, Any]]]
"""Warnings of what a project at a path needs and is not here; called for every answer."""
Unfit = Callable[[Project, Json], Sequence[Mapping[str, Any]]]
"""Errors of a project that no analysis gives: what this machine has too little for."""
Replaced = Callable[[Project, Project], None]
"""Is called with the project before and after, where another one was put in its place."""


class Drafts(Protocol):
    """Where the drafts of a session are written; its methods may raise OSError."""

    def keep(self, project: Project) -> None:
        """Write the draft."""
        ...

    def elsewhere(self) -> Project | None:
        """The project as another server wrote it meanwhile; None where none did."""
        ...

    def keep_aside(self, project: Project, sid: str) -> None:
        """Write a draft that does not take the place of another tab's."""
        ...

    def back_up(self, sid: str) -> None:
        """Keep the other tab's draft, which is about to be given up for this session's."""
        ...


@dataclass
class _Browser:
    """State of the canvas: what it has, needs and requested. annotations: how many it has."""

    annotations: int = 0
    height: int | None = None
    needs: set[str] = field(default_factory=lambda: {"graph", "catalogue"})
    action: protocol.Action | None = None
    ack_action: str = ""
    refused: Json | None = None
    reveal: Json | None = None


class DocSession:
    """The Python half of a canvas; `receive` takes its messages, `down` is the answer to them.

    Messages come from the page's script and from the route of the canvas, in different threads:
    `lock` is held while the project changes, and must be by whoever saves it. fault: where the
    newest run diverged, see `app.services.divergence`. first_input: the Input that receives the
    data, see `app.services.first_input`. trained: whether a run of this drawing has ended. ways:
    what else the project can be shared as. acts: names of what parts that may be left out do.
    """

    def __init__(
        self,
        doc_id: str,
        project: Project,
        path: Path | None,
        analyse: Analyse,
        drafts: Drafts | None = None,
        missing: Missing = lambda *_: (),
        replaced: Replaced = lambda *_: None,
        unfit: Unfit = lambda *_: (),
    ) -> None:
        self.doc_id, self.project, self.path = doc_id, project, path
        self.sid = secrets.token_hex(8)
        self.token = tokens.mint()
        self.visit = tabs.Visit(self.sid, "", next(tabs.visits))
        self.epoch, self.rev, self.sem_rev, self.seq = 1, 0, 0, 0
        self.problem = ""
        self.lock = threading.RLock()
        self.channel = open_channel(self)
        self.analysis, self._drafts = Analysis(analyse), drafts
        self._missing, self._replaced, self._unfit = missing, replaced, unfit
        self._browser = _Browser()
        self._annotations = revisions.AnnotationVersions()
        self._saved = project if path else None
        self.fault: Json | None = None
        self.first_input: Json | None = None
        self.trained = False
        self.ways: list[Json] = []
        self.acts: list[str] = []
        last = tabs.newest(self.key)
        self._seen_stamp = last.stamp if last else 0
        self._common = project

    @property
    def key(self) -> str:
        """What this project shares with other tabs on it: its file, or its id."""
        return str(self.path or self.doc_id)

    def receive(self, message: Any) -> bool:
        """Take a message of the canvas; False when there is nothing in it for this session."""
        try:
            up = protocol.read_up(message)
        except protocol.BadMessage as error:
            _LOG.warning("canvas: %s", error)
            return False
        if up.doc != self.doc_id:
            return False
        with self.lock:
            self.seq += 1
            if up.sid != self.sid:
                return True
            if self.visit.tab != up.client:
                self.visit = replace(self.visit, tab=up.client)
            self._browser.annotations = up.have
            if up.graph is None:
                self._browser.needs |= up.needs
            elif up.epoch == self.epoch:
                self._browser.needs = up.needs
                self._accept(up, up.graph)
        return True

    def _accept(self, up: protocol.Up, graph: Mapping[str, Any]) -> None:
        if up.rev < self.rev:
            return
        if up.rev > self.rev:
            try:
                self._apply_drawing(up, protocol.read_graph(graph))
            except protocol.BadMessage as error:
                self._browser.refused = {"rev": up.rev, "message": str(error)}
                self._browser.ack_action = up.action.id if up.action else self._browser.ack_action
                return
        if up.action and up.action.id != self._browser.ack_action:
            self._browser.ack_action = up.action.id
            if up.action.name in protocol.CHOICES:
                self.settle(up.action.name)
            else:
                self._browser.action = up.action

    def _apply_drawing(self, up: protocol.Up, graph: Graph) -> None:
        graph = equality.restore_floats(graph, self.project.graph)
        layout = protocol.read_layout(up.layout or {}, graph)
        self.sem_rev = max(up.sem_rev, self.sem_rev)
        stored = self.project.notes
        notes = stored if up.notes is None else read_notes(up.notes, graph, stored)
        self.project = replace(with_graph(self.project, graph), layout=layout, notes=notes)
        self.rev, self._browser.refused, self._browser.reveal = up.rev, None, None
        self.analysis.begin(self.project, self.sem_rev)  # while the draft goes to disk
        self._save_draft()  # the answer waits for the disk: what it acknowledges is never lost

    def _save_draft(self) -> None:
        """Save a draft; a full disk must not stop the drawing, but is reported."""
        self.problem = ""
        with tabs.draft_lock(self.key):
            if self._drafts and (theirs := self._drafts.elsewhere()):
                tabs.record_other_server(self.key, theirs)
            change = tabs.record_change(self.key, self.visit, self.project, self._seen_stamp)
            if change:
                self._seen_stamp, self._common = change.stamp, self.project
            if self._drafts is None:
                return
            try:
                if change:
                    self._drafts.keep(self.project)
                else:
                    self._drafts.keep_aside(self.project, self.sid)
            except OSError as error:
                _LOG.warning("canvas: no draft kept: %s", error)
                self.problem = f"The draft could not be saved: {error.strerror or error}."

    def elsewhere(self) -> Project | None:
        """The project as another tab left it, where that is news and differs from ours."""
        last = tabs.newest(self.key)
        if last is None or self.visit.follows(last.by) or last.stamp <= self._seen_stamp:
            return None
        if equality.equal(last.project, self.project):
            self._seen_stamp = last.stamp  # both came to the same: there is nothing to choose
            self._common = self.project
            return None
        return last.project

    def merged(self) -> tuple[Project, Sequence[str]] | None:
        """What both tabs did to the project they had in common, with a sentence for each conflict;
        None where they do not differ, or no wing merges."""
        if (theirs := self.elsewhere()) is None:
            return None
        for _, part in wing.parts("versions"):
            return part.merged(self._common, self.project, theirs)
        return None

    def settle(self, choice: str) -> None:
        """End that two tabs differ: with what the other tab has ("theirs"), with "mine" or "both".

        With both, this tab's holds in conflicts.
        """
        with self.lock:
            last = tabs.newest(self.key)
            theirs = self.elsewhere()
            if last is None or theirs is None:
                return
            merged = self.merged() if choice == "both" else None
            self._seen_stamp = last.stamp
            if merged is not None:
                self._back_up()
                self.replace(replace(merged[0], revision=self.project.revision))
                return
            if choice == "theirs":
                self.replace(theirs)
            else:
                self._back_up()
                self._save_draft()

    def _back_up(self) -> None:
        if self._drafts is not None:
            self._drafts.back_up(self.sid)

    def replace(self, project: Project) -> None:
        """Put another drawing in the browser's place (open, restore). There it is one undo step."""
        with self.lock:
            self._replaced(self.project, project)
            self.project = project
            self.epoch += 1
            self.rev += 1
            self.sem_rev = self.rev
            self._browser.refused = None
            self._browser.needs.add("graph")
            self._save_draft()

    def update(self, **parts: Any) -> None:
        """Change other parts of the project: name, about, data, training, notes."""
        with self.lock:
            self.project = replace(self.project, **parts)
            self._save_draft()

    def mark_saved(self, path: Path | None = None) -> None:
        """Note that the file at `path` now holds exactly this project."""
        with self.lock:
            self.path = path or self.path
            self._saved = self.project
            self.problem = ""  # the file holds what no draft could

    @property
    def saved(self) -> bool:
        """Whether the file holds exactly this project."""
        saved = self._saved
        return saved is not None and equality.equal(saved, self.project)

    def mark_edited(self) -> None:
        """Note that this is a draft, which the file does not hold."""
        self._saved = None

    def show(self, node: str) -> None:
        """Let the canvas select the block at a path of the report and bring it into view, once."""
        self._browser.reveal = {"node": node, "n": secrets.token_hex(4)}

    def take_action(self) -> Json | None:
        """Return the request from the toolbar, once: {"id", "name", "args"}."""
        action, self._browser.action = self._browser.action, None
        return asdict(action) if action else None

    def analysed(self) -> Json:
        """The report (as JSON) on the drawing as it is now; remembered until that changes."""
        with self.analysis.lock:
            with self.lock:
                project, described = self.project, self.sem_rev
            return self.analysis.of(project, described)

    def _batch(self) -> int:
        """The batch size that training would take, for questions of how long blocks take."""
        size = self.project.training.get("batch_size", BATCH)
        return size if isinstance(size, int) and 1 <= size <= 65_536 else BATCH

    def down(self, height: int | None = None) -> Json:
        """The answer for the canvas: what it needs of the drawing, the catalogue, the notes."""
        with self.analysis.lock:
            report, described = self.analysed(), self.analysis.rev
            missing = self._missing(self.project, self.path)
            unfit = self._unfit(self.project, report)
            self._annotations.add(report, self.analysis.failed or self.problem, missing, unfit)
            with self.lock:
                self._browser.height = height or self._browser.height
                changed = self._annotations.since(self._browser.annotations)
                return {**self._state(), "annRev": described, **changed}

    def _state(self) -> Json:
        needed = "graph" in self._browser.needs
        graph = with_ports(graph_to_json(self.project.graph)) if needed else None
        return {
            "v": protocol.VERSION,
            "doc": self.doc_id,
            "sid": self.sid,
            "channel": self.channel,
            "epoch": self.epoch,
            "seq": self.seq,
            "ackRev": self.rev,
            "ackAction": self._browser.ack_action,
            "name": title(self.project),
            "about": self.project.about,
            "place": self.path.name if self.path else "",
            "saved": self.saved,
            "ways": self.ways,
            "acts": self.acts,
            "elsewhere": self.elsewhere() is not None,
            "unkept": bool(self.problem),
            "graph": json_safe(graph),
            "layout": json_safe(dict(self.project.layout)) if graph is not None else None,
            "notes": json_safe(list(self.project.notes)) if graph is not None else None,
            "refused": self._browser.refused,
            "catalogue": annotations.catalogue() if "catalogue" in self._browser.needs else None,
            "ask": {"token": self.token, "batch": self._batch()},
            "height": self._browser.height,
            "fault": self.fault,
            "input": self.first_input,
            "trained": self.trained,
            "look": self._browser.reveal,
        }


_lock = threading.Lock()
_open: "weakref.WeakValueDictionary[str, DocSession]" = weakref.WeakValueDictionary()


def open_channel(doc: "DocSession") -> str:
    """Return the token of a session; it ends with the session."""
    token = secrets.token_urlsafe(24)
    with _lock:
        _open[token] = doc
    return token


def session_of(token: str | None) -> "DocSession | None":
    """Return the session that a token was made for, or None."""
    with _lock:
        return _open.get(token or "")
