"""What the page "Look inside" looks at: a run, live or ended, or the drawing as it stands."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from app import state
from app.process import pool
from app.services import imports, paths
from app.services.document import Document
from core.insight import live
from core.insight.confusion_scores import Confusion
from core.insight.thumbnails import FilterShot, Miss, Sample, Shot
from core.runs import listing
from core.runs.listing import ALIVE, RunView

DRAWING, IMPORTED = "", "*"  # neither is a run's name


@dataclass(frozen=True)
class Looking:
    """One thing to look at.

    view: the run, None for the drawing. place: what `core.insight.views` takes. overview: its
    blocks, samples and classes.
    """

    view: RunView | None
    place: tuple[str, str, str]
    overview: dict[str, Any]

    @property
    def alive(self) -> bool:
        """Whether the run still trains: then all comes from the files it writes."""
        return self.view is not None and self.view.state in ALIVE

    @property
    def classes(self) -> list[str]:
        return list(self.overview["classes"])

    def blocks(self, inner: bool) -> list[tuple[str, str]]:
        """(path, block) in order; with what is inside composites if `inner`."""
        return [(p, b) for p, b, depth in self.overview["blocks"] if inner or depth == 1]

    def samples(self, label: str, start: int, count: int) -> list[Sample]:
        """Validation samples to choose from; while training, the eight the run shows."""
        if self.alive and self.view:
            return live.samples(self.view.dir)
        return ask("samples", self.place, label, start, count)

    def strip(self, index: int, blocks: list[tuple[str, str]]) -> list[Shot]:
        """Small pictures of what the blocks put out."""
        if self.alive and self.view:
            live.watch(self.view.dir)
            return live.strip(self.view.dir, index, dict(blocks))
        return ask("strip", self.place, index, [path for path, _ in blocks])

    def maps(self, index: int, node: str, block: str) -> Shot | None:
        """A large picture of what one block puts out."""
        if self.alive and self.view:
            return live.maps(self.view.dir, index, node, block)
        return ask("maps", self.place, index, node)

    def filter_names(self) -> list[str]:
        """Layers with filters to draw; while training, only the first one's are written."""
        return [] if self.alive else ask("filter_names", self.place)

    def filters(self, name: str) -> FilterShot | None:
        """Filters of a layer."""
        if self.alive and self.view:
            return live.filters(self.view.dir)
        return ask("filter_picture", self.place, name)

    def confusion(self) -> Confusion | None:
        """The confusion matrix over the validation part."""
        if self.alive and self.view:
            return live.confusion(self.view.dir)
        return ask("confusion_of", self.place)

    def misses(self) -> list[Miss]:
        """The samples the network does worst on."""
        if self.alive and self.view:
            return live.misses(self.view.dir)
        return ask("misses", self.place)


@st.cache_data(max_entries=128, show_spinner=False)
def ask(function: str, place: tuple[str, str, str], *args: Any) -> Any:
    """Call a function of `core.insight.views` in the worker process. Raises PoolError."""
    return pool.call(f"core.insight.views:{function}", place, *args)


def choices(document: Document) -> list[str]:
    """Names of the runs to look at, this project's first, then the drawing itself."""
    views = listing.list_runs(paths.runs_dir())
    mine = [v.name for v in views if v.project_name == document.project.name]
    others = [v.name for v in views if v.project_name != document.project.name]
    drawn = [DRAWING] if imported(document) is None else [IMPORTED, DRAWING]
    return [*mine, *drawn, *others]


def imported(document: Document) -> tuple[str, str, str] | None:
    """The place of the drawing with the weights that lie beside its file; None without any."""
    beside = imports.weights_of(document.path) if document.path else None
    mark = _mark(beside) if beside else ""
    return ("imported", document.text(), f"{mark} {beside}") if mark else None


def preferred(document: Document, names: list[str]) -> str:
    """The run chosen before, else the newest of this project, else the drawing."""
    chosen = state.run_dir()
    return chosen.name if chosen is not None and chosen.name in names else names[0]


def look(document: Document, name: str) -> Looking:
    """Open what is called `name`. Raises PoolError when it cannot be built."""
    folder = paths.find_run(name) if name else None
    if folder is None:
        beside = imported(document) if name == IMPORTED else None
        place = beside or ("project", document.text(), "")
        return Looking(None, place, ask("overview", place))
    view = listing.view_run(folder)
    if view.state in ALIVE:
        text = (folder / "project.loom.json").read_text("utf-8")
        return Looking(view, ("project", text, ""), ask("overview", ("project", text, "")))
    place = ("run", str(folder), stamp(folder))
    return Looking(view, place, ask("overview", place))


def stamp(folder: Path) -> str:
    """What changes when the best weights do."""
    return _mark(folder / "ckpt" / "best.pt") or "none"


def _mark(file: Path) -> str:
    """What changes when a file does, "" where there is none."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return ""
    return f"{found.st_mtime_ns}-{found.st_size}"
