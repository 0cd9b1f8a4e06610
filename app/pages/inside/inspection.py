"""The network that the page "Look inside" shows: a run, live or ended, or the open project."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from app.pages.shared import networks
from app.process import pool
from app.services import paths
from app.services.document import Document
from core.insight import live
from core.insight.confusion_scores import Confusion
from core.insight.thumbnails import FilterShot, Miss, Sample, Shot
from core.runs import listing
from core.runs.listing import ALIVE, RunView


@dataclass(frozen=True)
class Inspection:
    """A network on the page.

    view: the run, None for the open project. ref: the NetworkRef that `core.insight.views` takes.
    overview: its blocks, samples and classes.
    """

    view: RunView | None
    ref: tuple[str, str, str]
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
        return ask("samples", self.ref, label, start, count)

    def strip(self, index: int, blocks: list[tuple[str, str]]) -> list[Shot]:
        """Small pictures of what the blocks put out."""
        if self.alive and self.view:
            live.watch(self.view.dir)
            return live.strip(self.view.dir, index, dict(blocks))
        return ask("strip", self.ref, index, [path for path, _ in blocks])

    def maps(self, index: int, node: str, block: str) -> Shot | None:
        """A large picture of what one block puts out."""
        if self.alive and self.view:
            return live.maps(self.view.dir, index, node, block)
        return ask("maps", self.ref, index, node)

    def filter_names(self) -> list[str]:
        """Layers with filters to draw; while training, only the first one's are written."""
        return [] if self.alive else ask("filter_names", self.ref)

    def filters(self, name: str) -> FilterShot | None:
        """Filters of a layer."""
        if self.alive and self.view:
            return live.filters(self.view.dir)
        return ask("filter_picture", self.ref, name)

    def confusion(self) -> Confusion | None:
        """The confusion matrix over the validation part."""
        if self.alive and self.view:
            return live.confusion(self.view.dir)
        return ask("confusion_of", self.ref)

    def misses(self) -> list[Miss]:
        """The samples the network does worst on."""
        if self.alive and self.view:
            return live.misses(self.view.dir)
        return ask("misses", self.ref)


@st.cache_data(max_entries=128, show_spinner=False)
def ask(function: str, ref: tuple[str, str, str], *args: Any) -> Any:
    """Call a function of `core.insight.views` in the worker process. Raises PoolError."""
    return pool.call(f"core.insight.views:{function}", ref, *args)


def open_inspection(document: Document, name: str) -> Inspection:
    """Open what is called `name`. Raises PoolError when it cannot be built."""
    folder = paths.find_run(name) if name else None
    if folder is None:
        beside = networks.imported_weights(document) if name == networks.IMPORTED else None
        ref = beside or ("project", document.text(), "")
        return Inspection(None, ref, ask("overview", ref))
    view = listing.view_run(folder)
    if view.state in ALIVE:
        text = (folder / "project.loom.json").read_text("utf-8")
        return Inspection(view, ("project", text, ""), ask("overview", ("project", text, "")))
    ref = ("run", str(folder), networks.weights_version(folder))
    return Inspection(view, ref, ask("overview", ref))
