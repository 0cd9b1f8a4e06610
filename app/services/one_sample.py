"""Which weights the samples on the canvas run through: those of the newest run of this drawing."""

import time
import weakref
from dataclasses import dataclass

from app.services import imports, paths
from app.services.document import Document
from core.project import Project
from core.runs import checkpoint
from core.runs.listing import RunView, list_runs

Ref = tuple[str, str, str]
FRESH_S = 2.0
"""How long is believed what the disk said of runs."""


@dataclass(frozen=True)
class Network:
    """A network to look at: its `NetworkRef`, and in words which weights it has.

    run: the name of the run they are of, "" for none.
    """

    ref: Ref
    weights: str
    run: str = ""


@dataclass(frozen=True)
class _Known:
    project: Project
    network: Network
    at: float


_known: "weakref.WeakKeyDictionary[Document, _Known]" = weakref.WeakKeyDictionary()


def network_of(document: Document) -> Network:
    """The drawing as it is now, with the best weights there are for it."""
    known, now = _known.get(document), time.monotonic()
    if known and known.project is document.project and now < known.at + FRESH_S:
        return known.network
    project = document.project
    network = _found(document)
    _known[document] = _Known(project, network, now)
    return network


def _found(document: Document) -> Network:
    text, report = document.text(), document.analysed()
    if report.get("errors"):
        return Network(("part", text, ""), "Initial weights, up to the first error")
    newest = _newest(document)
    source = report.get("source")
    if newest and source and _trained(newest) == source:
        stamp = _stamp(newest)
        return Network(("drawn", text, f"{stamp} {newest.dir}"), f"Best weights of {newest.name}",
                       newest.name)  # fmt: skip
    beside = imports.weights_of(document.path) if document.path else None
    if beside is not None and beside.exists():
        status = beside.stat()
        stamp = f"{status.st_mtime_ns}-{status.st_size}"
        return Network(("imported", text, f"{stamp} {beside}"), "Imported weights")
    why = f"{newest.name} trained another drawing" if newest else "not trained yet"
    return Network(("project", text, ""), f"Initial weights: {why}")


def _newest(document: Document) -> RunView | None:
    """The newest run of this project that has weights."""
    runs = (view for view in list_runs(paths.runs_dir()) if document.trained(view))
    return next((view for view in runs if checkpoint.path_of(view.dir, "best").exists()), None)


def _trained(view: RunView) -> str:
    try:
        return (view.dir / "model.py").read_text(encoding="utf-8")
    except OSError:
        return ""


def _stamp(view: RunView) -> str:
    status = checkpoint.path_of(view.dir, "best").stat()
    return f"{status.st_mtime_ns}-{status.st_size}"
