"""The run that all pages of a project show: one rule.

It is the run that the page or the address names. Where none is named, it is one under way, else the
best run of this drawing on this data, else the best run of the project.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from app.services import paths
from app.services.belonging import is_run_of
from app.services.document import Document
from core.graph.difference import same_network
from core.project import Project, ProjectError, open_project
from core.runs.best import best_first
from core.runs.files import read_json
from core.runs.listing import ALIVE, RunView, list_runs

LOOKED_AT = 64
"""Of how many of the best runs the drawing is compared with this one."""
Usable = Callable[[RunView], bool]


def run_of(
    document: Document, usable: Usable = lambda _: True, views: Sequence[RunView] | None = None
) -> RunView | None:
    """The run that pages of this project show, None where there is none.

    usable: what a page needs of a run; where the named one lacks it, the next in line is taken.
    views: all runs, the newest first, where they were listed already.
    """
    listed = list_runs(paths.runs_dir()) if views is None else views
    named = next((view for view in listed if view.name == document.run), None)
    if named is not None and usable(named):
        return named
    own = [view for view in listed if is_run_of(document, view) and usable(view)]
    going = next((view for view in own if view.state in ALIVE and not _is_trial(view)), None)
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


def _is_trial(view: RunView) -> bool:
    """Whether a sweep trains it: then it is one of many, and soon not the last."""
    return "sweep" in read_json(view.dir / "spec.json")


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
        return _kept(path, path.stat().st_mtime_ns)
    except (OSError, ProjectError):
        return None


@lru_cache(LOOKED_AT)
def _kept(path: Path, _stamp: int) -> Project:
    return open_project(path)
