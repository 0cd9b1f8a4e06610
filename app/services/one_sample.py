"""The weights for samples on the canvas: those of the run on the pages.

Where that was trained on another drawing, it is the best run of this one (see `current_run`).

While that run goes on, they follow it; otherwise its best, or those of any epoch that it kept.
"""

import os
import time
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from app.process import pool
from app.services import paths, weights_beside
from app.services.calls import sample
from app.services.current_run import LOOKED_AT, run_to_show, same_data, trained_drawing
from app.services.document import Document
from app.services.project_runs import own_runs
from core.common.network_ref import DrawnRef, ImportedRef, Moment, NetworkRef, PartRef, ProjectRef
from core.files.safe_path import discard
from core.project import Project, ProjectError, read_text, save_project
from core.runs import checkpoint, epoch_weights
from core.runs.best import best_first
from core.runs.files import read_json
from core.runs.listing import ALIVE, RunView, list_runs

FRESH_S, KEEP_S = 2.0, 60.0
"""Seconds for which facts about runs are cached; time limit of the comparison of a part."""
GOING = ("running", "paused")
CHANGED = ", drawing changed since"


@dataclass(frozen=True)
class Time:
    """A run over time, as the slider shows it. epochs: those kept; fewer: why not all, or "".

    best: the epoch of the best weights. epoch, step: of the weights that are shown, None for the
    best. going: whether it trains. live: whether what is shown follows it.
    """

    run: str
    epochs: tuple[int, ...]
    fewer: str
    going: bool
    best: int | None = None
    epoch: int | None = None
    step: int | None = None
    live: bool = False


@dataclass(frozen=True)
class Network:
    """A network to look at, and in words which weights it has.

    run: the name of the run they are of, "" for none; folder: its folder. moment: of that run, None
    for the weights of `ref`. noted: where the run noted what a step did to them. runs: names of all
    runs whose weights can be shown, those on its data first, then the best first. changed: whether
    the drawing is another since, with the same weights: a block without any came or went.
    """

    ref: NetworkRef
    weights: str
    run: str = ""
    folder: str = ""
    moment: Moment | None = None
    noted: Moment | None = None
    time: Time | None = None
    runs: tuple[str, ...] = ()
    changed: bool = False


@dataclass(frozen=True)
class _Known:
    project: Project
    run: str
    network: Network
    view: RunView | None
    text: str
    at: float


_known: "weakref.WeakKeyDictionary[Document, _Known]" = weakref.WeakKeyDictionary()


def network_of(document: Document, epoch: int | None = None) -> Network:
    """The drawing as it is now, with the weights after an epoch; None: right now, or the best."""
    known, now = _known.get(document), time.monotonic()
    asked = document.project, document.run
    if not known or (known.project, known.run) != asked or now >= known.at + FRESH_S:
        text = document.text()
        network, view = _found(document, text)
        known = _known[document] = _Known(*asked, network, view, text, now)
    if known.view is None:
        return known.network
    network = _in_time(known, known.view, epoch)
    return replace(network, weights=f"{network.weights}{CHANGED}") if network.changed else network


def _found(document: Document, text: str) -> tuple[Network, RunView | None]:
    """What is shown without a slider, and the run that it can be moved along."""
    report = document.analysed()
    if report.get("errors"):
        return Network(PartRef(text), "Initial weights, up to the first error"), None
    listed = list_runs(paths.runs_dir())
    view = _shown(document, listed)
    if view and report.get("source"):
        if trained_drawing(view, document.project):
            return _of_run(document, text, view, listed), view
        if _fits(text, str(view.dir)):
            return replace(_of_run(document, text, view, listed), changed=True), view
    beside = weights_beside.weights_of(document.path) if document.path else None
    if beside is not None and beside.exists():
        status = beside.stat()
        stamp = f"{status.st_mtime_ns}-{status.st_size}"
        return Network(ImportedRef(text, beside, stamp), "Imported weights"), None
    why = f"{view.name} was trained on another drawing" if view else "not trained yet"
    return Network(ProjectRef(text), f"Initial weights: {why}"), None


def _of_run(document: Document, text: str, view: RunView, listed: Sequence[RunView]) -> Network:
    """The drawing with the best weights of a run; one that has none yet began with the initial."""
    name, folder, runs = view.name, str(view.dir), _runs(document, listed)
    if not _has_best(view):
        return Network(ProjectRef(text), f"Initial weights of {name}", name, folder, runs=runs)
    ref = DrawnRef(text, view.dir, _stamp(view))
    return Network(ref, f"Best weights of {name}", name, folder, runs=runs)


@lru_cache(maxsize=64)
def _fits(text: str, folder: str) -> bool:
    """Whether a run of another drawing has the weights of this one; the worker compares them."""
    return pool.call(sample.fits, text, folder, timeout_s=KEEP_S).get("fits") is True


def has_finished_run(document: Document) -> bool:
    """Whether a run of this drawing ended and left weights: the canvas then opens with values."""

    def usable(view: RunView) -> bool:
        ended = view.state not in ALIVE and _has_best(view)
        return ended and trained_drawing(view, document.project)

    return run_to_show(document, usable) is not None


def _in_time(known: _Known, view: RunView, epoch: int | None) -> Network:
    """Weights of the run at an epoch; of one in progress without a chosen epoch, the latest."""
    network = replace(known.network, time=_time_of(view))
    assert network.time is not None
    kept = network.time.epochs
    if epoch is not None and kept:
        return _after(network, known.text, view, min(kept, key=lambda each: abs(each - epoch)))
    if not network.time.going:
        best = network.time.best
        return replace(network, noted=Moment(view.dir, best)) if best in kept else network
    follow(view.dir)
    live = _live(network, known.text, view)
    return live or (_after(network, known.text, view, kept[-1], True) if kept else network)


def _time_of(view: RunView) -> Time:
    kept, spec = tuple(epoch_weights.epochs(view.dir)), read_json(view.dir / "spec.json")
    fewer = epoch_weights.why_fewer(view.dir, spec, max(view.epoch, *kept, 0))
    best = (view.best or {}).get("epoch")
    return Time(view.name, kept, fewer, view.state in GOING, best)


def _after(network: Network, text: str, view: RunView, epoch: int, live: bool = False) -> Network:
    words = (
        f"Weights of {view.name} after epoch {epoch}"
        if epoch
        else f"Initial weights of {view.name}"
    )
    notes = epoch_weights.read_notes(epoch_weights.path_of(view.dir, epoch))
    return _at(network, text, words, Moment(view.dir, epoch), notes, live)


def _live(network: Network, text: str, view: RunView) -> Network | None:
    """The latest weights that the run wrote for the canvas; None before the first."""
    path = view.dir / epoch_weights.LIVE
    try:
        stamp = str(path.stat().st_mtime_ns)
    except OSError:
        return None
    notes = epoch_weights.read_notes(path)
    words = f"Weights of {view.name} at step {notes.get('step', 0):,}"
    return _at(network, text, words, Moment(view.dir, None, stamp), notes, True)


def _at(
    network: Network, text: str, words: str, moment: Moment, notes: dict[str, Any], live: bool
) -> Network:
    epoch, step = notes.get("epoch"), notes.get("step")
    when = replace(network.time, epoch=epoch, step=step, live=live) if network.time else None
    return replace(
        network, ref=ProjectRef(text), weights=words, moment=moment, noted=moment, time=when
    )


def follow(run_dir: Path) -> None:
    """Request the latest weights of a run: it writes them for the next 10 s."""
    follower = run_dir / epoch_weights.FOLLOWER
    try:
        follower.touch()
        os.utime(follower)
    except OSError:  # deleted meanwhile: there is nothing to follow
        return


def _shown(document: Document, listed: Sequence[RunView]) -> RunView | None:
    """The run that pages show, as far as it has weights of this drawing; else the best with any."""
    drawn = run_to_show(
        document, lambda view: _has_any(view) and trained_drawing(view, document.project), listed
    )
    return drawn or run_to_show(document, _has_any, listed)


def _runs(document: Document, listed: Sequence[RunView]) -> tuple[str, ...]:
    """Names of the runs with weights of this drawing, those on its data first, then the best
    first; of very many the best."""
    own = best_first(own_runs(document, listed))[:LOOKED_AT]
    project = document.project
    drawn = [view for view in own if _has_any(view) and trained_drawing(view, project)]
    drawn.sort(key=lambda view: not same_data(view, project))
    return tuple(view.name for view in drawn)


def _has_any(view: RunView) -> bool:
    return _has_best(view) or bool(epoch_weights.epochs(view.dir))


def _has_best(view: RunView) -> bool:
    return checkpoint.path_of(view.dir, "best").exists()


def _stamp(view: RunView) -> str:
    status = checkpoint.path_of(view.dir, "best").stat()
    return f"{status.st_mtime_ns}-{status.st_size}"


def keep_part(document: Document, request: Mapping[str, Any]) -> Path:
    """Write selected blocks as a project with the weights they have here, side by side; its file.

    request: {"within", "blocks", "epoch"}, as the canvas sends them. Raises PoolError for no part,
    or one that differs from the whole; ProjectError where it cannot be written.
    """
    within, blocks, epoch = request.get("within"), request.get("blocks"), request.get("epoch")
    listed = cast("list[Any]", blocks) if isinstance(blocks, list) else []
    names = [name for name in listed if isinstance(name, str)]
    if not isinstance(within, str) or not names:
        raise ProjectError("", "No blocks are selected.", "Select some on the canvas.")
    network = network_of(document, epoch if type(epoch) is int else None)
    path = weights_beside.free_path(
        f"{document.stem} {within.replace('.', ' ')} {names[0]} {names[-1]}"
    )
    made = pool.call(
        sample.keep_part,
        network.ref,
        within,
        names,
        network.moment,
        str(weights_beside.weights_of(path)),
        timeout_s=KEEP_S,
    )
    try:
        save_project(read_text(made["project"]), path)
    except ProjectError:
        discard(weights_beside.weights_of(path))
        raise
    return path
