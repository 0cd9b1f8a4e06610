"""The network on the page "Look inside": a run, live or ended, or the open project."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, TypeVarTuple

import streamlit as st

from app.pages.shared import networks
from app.process import pool
from app.services import paths
from app.services.calls import network
from app.services.document import Document
from core.common.network_ref import NetworkRef, ProjectRef
from core.files.safe_path import read_file
from core.insight import live
from core.insight.confusion_scores import Confusion
from core.insight.sample_detail import Neighbour, SampleDetail
from core.insight.thumbnails import FilterShot, HookLines, Miss, Sample, Shot
from core.insight.weight_detail import Exciting, FilterDetail, FilterTile, MadeInput, WeightLayer
from core.runs import listing
from core.runs.listing import ALIVE, RunView

LONG_S = 120.0
R = TypeVar("R")
Ts = TypeVarTuple("Ts")


@dataclass(frozen=True)
class Inspection:
    """A network on the page.

    view: the run, None for the open project. ref: with which weights.
    overview: its blocks, samples and classes.
    """

    view: RunView | None
    ref: NetworkRef
    overview: dict[str, Any]

    @property
    def alive(self) -> bool:
        """Whether the run is still training; its views then come from files it writes."""
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
        return ask(network.samples, self.ref, label, start, count)

    def strip(self, index: int, blocks: list[tuple[str, str]]) -> list[Shot]:
        """Small pictures of the outputs of blocks."""
        if self.alive and self.view:
            live.watch(self.view.dir)
            return live.strip(self.view.dir, index, dict(blocks))
        return ask(network.strip, self.ref, index, [path for path, _ in blocks])

    def maps(self, index: int, node: str, block: str) -> Shot | None:
        """A large picture of the output of one block."""
        if self.alive and self.view:
            return live.maps(self.view.dir, index, node, block)
        return ask(network.maps, self.ref, index, node)

    def live_filters(self) -> FilterShot | None:
        """Filters of the first convolution while the run trains."""
        return live.filters(self.view.dir) if self.view else None

    def layers(self) -> list[WeightLayer]:
        """Layers whose weights can be looked at."""
        return ask(network.layers, self.ref)

    def tiles(self, node: str, channel: int, start: int, count: int) -> list[FilterTile]:
        """Filters of a layer, small."""
        return ask(network.tiles, self.ref, node, channel, start, count)

    def heat_map(self, node: str) -> bytes:
        """All weights of a Linear as one picture."""
        return ask(network.heat_map, self.ref, node)

    def one_filter(self, node: str, number: int, channel: int) -> FilterDetail:
        """One filter with its numbers."""
        return ask(network.one_filter, self.ref, node, number, channel)

    def exciting(self, node: str, number: int) -> Exciting:
        """The samples in which a channel is largest."""
        return ask(network.exciting, self.ref, node, number)

    def made_for(self, node: str, number: int) -> MadeInput:
        """An input made to excite one channel."""
        return ask(network.make_input, self.ref, node, number, timeout_s=LONG_S)

    def hook(self, node: str) -> HookLines | None:
        """Which forward hook catches a block, and its lines; None while the run goes on."""
        return None if self.alive else ask(network.hook_lines, self.ref, node)

    def confusion(self) -> Confusion | None:
        """The confusion matrix over the validation part."""
        if self.alive and self.view:
            return live.confusion(self.view.dir)
        return ask(network.confusion_of, self.ref)

    def misses(self, count: int, true: str = "", predicted: str = "") -> list[Miss]:
        """The samples with the largest loss, of one pair of classes if given."""
        if self.alive and self.view:
            return live.misses(self.view.dir)
        return ask(network.misses, self.ref, count, true, predicted)

    def detail(self, index: int) -> SampleDetail | None:
        """One sample opened; None while the run trains, as its weights change."""
        if self.alive:
            return None
        return ask(network.detail, self.ref, index, [n for n, _ in self.blocks(False)])

    def numbers(self) -> tuple[list[float], list[float]]:
        """Targets and predictions of all validation samples of a regression, in their unit."""
        return ask(network.numbers, self.ref)

    def neighbours(self, index: int) -> list[Neighbour]:
        """The training samples nearest to one of the validation part."""
        return ask(network.neighbours, self.ref, index)


def ask(
    function: Callable[[NetworkRef, *Ts], R], ref: NetworkRef, *args: *Ts, timeout_s: float = 60
) -> R:
    """Call a function of `app.services.calls` in the worker, or return its cached result.

    Raises PoolError.
    """
    name = f"{function.__module__}.{function.__qualname__}"
    return _answer(name, (ref, *args), function, timeout_s)


@st.cache_data(max_entries=128, show_spinner=False)
def _answer(
    name: str, args: tuple[Any, ...], _function: Callable[..., Any], _timeout_s: float
) -> Any:
    """Result of a call, cached by function name and arguments."""
    return pool.call(_function, *args, timeout_s=_timeout_s)


def open_inspection(document: Document, name: str, checkpoint: str = "best") -> Inspection:
    """Open the run or project called `name`; of an ended run, the weights of a checkpoint.

    Raises PoolError when it cannot be built.
    """
    folder = paths.find_run(name) if name else None
    if folder is None:
        beside = networks.imported_weights(document) if name == networks.IMPORTED else None
        ref = beside or ProjectRef(document.text())
        return Inspection(None, ref, ask(network.overview, ref))
    view = listing.view_run(folder)
    if view.state in ALIVE:
        text = read_file(folder / "project.loom.json").decode()
        ref = ProjectRef(text)
        return Inspection(view, ref, ask(network.overview, ref))
    ref = networks.of_run(folder, checkpoint)
    return Inspection(view, ref, ask(network.overview, ref))
