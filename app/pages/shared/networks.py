"""The choice of a network on Look inside and Export: runs, the drawing, imported weights."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import state
from app.services import paths, weights_beside
from app.services.current_run import run_to_show
from app.services.document import Document
from app.services.project_runs import own_runs
from core.common.network_ref import CheckpointRef, ImportedRef, RunRef, RunWeights
from core.runs import checkpoint, listing

DRAWING, IMPORTED = "", "*"  # neither is a run's name
PICKED = "network_picked"
"""Session key of the run picked on a page of trained networks, with or without weights."""


def network_names(document: Document) -> list[str]:
    """Names of the runs to look at, this project's first, then the drawing itself."""
    views = listing.list_runs(paths.runs_dir())
    mine = [view.name for view in own_runs(document, views)]
    own = set(mine)
    others = [view.name for view in views if view.name not in own]
    drawn = [DRAWING] if imported_weights(document) is None else [IMPORTED, DRAWING]
    return [*mine, *drawn, *others]


def ended_runs() -> list[str]:
    """Names of the runs that have weights and have ended."""
    views = listing.list_runs(paths.runs_dir())
    return [
        v.name for v in views if v.state not in listing.ALIVE and weights_version(v.dir) != "none"
    ]


def imported_weights(document: Document) -> ImportedRef | None:
    """The open project with the weights beside its file; None without any."""
    beside = weights_beside.weights_of(document.path) if document.path else None
    stamp = _version(beside) if beside else ""
    return ImportedRef(document.text(), beside, stamp) if beside and stamp else None


def default_name(document: Document | None, names: list[str]) -> str:
    """The run that all pages show (see `current_run`), else the drawing.

    A run that ended without weights is skipped unless the user picked it.
    """
    first = _first(document, names)
    if first == state.value(PICKED) or has_something(first):
        return first
    return default_shown(document, names)


def _first(document: Document | None, names: list[str]) -> str:
    chosen = state.run_dir()
    if chosen is not None and chosen.name in names:
        return chosen.name
    known = set(names)
    return _of_project(document, lambda name: name in known) or names[0]


def _of_project(document: Document | None, usable: Callable[[str], bool]) -> str:
    """The name of the run of a project that all pages show, of those usable here; "" for none."""
    view = run_to_show(document, lambda each: usable(each.name)) if document is not None else None
    return view.name if view is not None else ""


def has_something(name: str) -> bool:
    """Whether a network can be shown or exported: a drawing, or a run with weights or to come."""
    folder = paths.find_run(name) if name else None
    if folder is None or weights_version(folder) != "none":
        return True
    return listing.view_run(folder).state in listing.ALIVE


def note_skipped(document: Document | None, names: list[str], shown: str) -> None:
    """Show which run was skipped because it has no weights, and what is shown instead."""
    first = _first(document, names)
    if shown != first and not has_something(first) and shown == default_shown(document, names):
        instead = TITLES.get(shown, shown)
        skipped = f"{first} ended without weights. Showing {instead} instead."
        st.caption(escape_markdown(skipped, 300))


def default_shown(document: Document | None, names: list[str]) -> str:
    """The network that is shown in place of one without weights."""
    known = set(names)
    best = _of_project(document, lambda name: name in known and has_something(name))
    return best or next((n for n in names if has_something(n)), _first(document, names))


def weights_version(folder: Path, which: str = "best") -> str:
    """A stamp that changes with the weights of a checkpoint."""
    return _version(checkpoint.path_of(folder, which)) or "none"


def of_run(folder: Path, which: str = "best") -> RunWeights:
    """A run with the weights of a checkpoint, as they are now."""
    stamp = weights_version(folder, which)
    return RunRef(folder, stamp) if which == "best" else CheckpointRef(folder, which, stamp)


def _version(file: Path) -> str:
    """A stamp that changes with a file, "" without one."""
    try:
        status = file.stat()
    except FileNotFoundError:
        return ""
    return f"{status.st_mtime_ns}-{status.st_size}"


TITLES = {
    DRAWING: "This drawing, not trained",
    IMPORTED: "This drawing, imported weights",
}


def select_network(names: list[str], preferred: str, key: str) -> str:
    """Draw the choice of a network: a run, or the open project."""
    name = st.selectbox(
        "Network",
        names,
        names.index(preferred),
        format_func=_title,
        label_visibility="collapsed",
        width=320,
        key=_select_key(names, preferred, key),
    )
    if name not in (*TITLES, preferred):
        state.keep(PICKED, name)
        state.choose_run(name)
    return name


def _select_key(names: list[str], preferred: str, key: str) -> str:
    return f"{key}:{preferred}:{len(names)}"


def pick(
    names: list[str], preferred: str, key: str, weights: Callable[[str], str]
) -> tuple[str, str]:
    """Draw one button that names the network; in it are the choices of the network and its weights.

    weights: draws the choice of the weights of a network and returns their name, "best" if they
    are nothing else. Returns the name of the network, and of its weights.
    """
    kept = state.value(_select_key(names, preferred, key))
    shown = _title(str(kept) if kept in names else preferred)
    with st.popover(escape_markdown(shown, 60), icon=":material/hub:", key=f"{key}_pick"):
        st.caption("The network, and the weights of a run")
        name = select_network(names, preferred, key)
        return name, weights(name)


def _title(name: str) -> str:
    return TITLES.get(name, name)


def warn_if_unfinished(document: Document, name: str) -> bool:
    """Warn if the chosen drawing is unfinished, with a link to the canvas; return whether it is."""
    problem = document.unfinished() if name in TITLES else ""
    if problem:
        st.warning(escape_markdown(problem, 500), icon=":material/build:")
        link_to_canvas()
    return bool(problem)


def link_to_canvas() -> None:
    """Link to the canvas to fix the drawing."""
    st.page_link(
        state.page("build"),
        label="Fix it on the canvas",
        icon=":material/account_tree:",
        query_params=state.address(),
    )
