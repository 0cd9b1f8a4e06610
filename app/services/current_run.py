"""The run that all pages of a project show: one rule.

It is the run in the address of the page. Without one, it is a run in progress, else the best run of
this drawing on this data, else the best run of the project.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from app.services import paths
from app.services.document import Document
from app.services.project_runs import own_runs
from core.files.read import read_bytes
from core.files.strict import decode
from core.graph.difference import same_network
from core.project import Project, ProjectError, read_text
from core.runs.best import best_first
from core.runs.listing import ALIVE, RunView, list_runs

LOOKED_AT = 64
"""Number of the best runs whose drawing is compared with this one."""
KEPT, SMALL_BYTES = 512, 64 << 10
"""Small projects of runs that are kept in memory, by their content: 30 students with twenty runs
each look at all of them, and most runs of one student keep the same project. Of larger ones so
many as are compared at once."""
Usable = Callable[[RunView], bool]


def run_to_show(
    document: Document, usable: Usable = lambda _: True, views: Sequence[RunView] | None = None
) -> RunView | None:
    """The run that pages of this project show, None where there is none.

    usable: whether a page can show a run; if not the named one, the next is taken. views: all runs,
    the latest first, if they were listed already.
    """
    listed = list_runs(paths.runs_dir()) if views is None else views
    named = next((view for view in listed if view.name == document.run), None)
    if named is not None and usable(named):
        return named
    own = [view for view in own_runs(document, listed) if usable(view)]
    going = next((view for view in own if view.state in ALIVE and not view.sweep), None)
    return going or _best(own, document.project)


def _best(own: Sequence[RunView], project: Project) -> RunView | None:
    """The best run of this drawing on its data, else of this drawing, else of all."""
    ranked = best_first(own)
    second = None
    for view in ranked[:LOOKED_AT]:
        if trained_drawing(view, project):
            if same_data(view, project):
                return view
            second = second or view
    return second or next(iter(ranked), None)


def trained_drawing(view: RunView, project: Project) -> bool:
    """Whether a run trained this drawing, by the project that it keeps; a bundle brings no
    model.py."""
    kept = project_of(view.dir)
    return kept is not None and same_network(kept.graph, project.graph)


def same_data(view: RunView, project: Project) -> bool:
    """Whether a run learned from the data set that a project has now."""
    kept = project_of(view.dir)
    return kept is not None and kept.data.get("source") == project.data.get("source")


def project_of(run_dir: Path) -> Project | None:
    """The project that a run keeps; None where that cannot be read."""
    path = run_dir / "project.loom.json"
    try:
        content = read_bytes(path)
        return (_small if len(content) <= SMALL_BYTES else _large)(content)
    except ProjectError:
        return None


def _read(content: bytes) -> Project:
    return read_text(decode(content))


_small, _large = lru_cache(KEPT)(_read), lru_cache(LOOKED_AT)(_read)
