"""The Build page: the canvas, as large as the window, and the actions of its toolbar."""

import os
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from app import wing
from app.canvas import canvas
from app.markdown import escape_markdown
from app.pages.build import custom_block
from app.pages.shared import other_tab, rename_form, runs, state
from app.pages.shared.beginning import require_document
from app.services import divergence, documents, first_input, one_sample, paths
from app.services.document import Document
from app.services.project_runs import own_runs
from core.common.errors import LayerloomError
from core.project import Conflict, ProjectError
from core.project.title import is_named
from core.runs.listing import RunView, list_runs
from core.runs.remedies import Remedy
from core.worker import warm_worker

_ASKED = "build:asked"
WAYS = {"data": "data", "training": "train"}
"""Pages linked from findings of the canvas."""


def render() -> None:
    """Draw the page."""
    document = require_document("build")
    _asked(document)
    other_tab.show(document, on_canvas=True)
    _read_only(document)
    _conflict(document)
    _notices(document)
    custom_block.show(document)
    with st.container(key="build_checking"), st.spinner("Checking the network"):
        document.analysed()
    document.requirements.forget()
    document.trains_here = runs.chosen_launcher().plain
    document.session.fault = divergence.newest(
        paths.runs_dir(), document.project.name, document.run
    )
    document.session.first_input = first_input.of(document.project)
    document.session.trained = one_sample.has_finished_run(document)
    document.session.ways = [
        {"name": name, "title": part.TITLE} for name, part in wing.parts("share")
    ]
    document.session.acts = sorted(_of_wings())
    canvas(document.session, on_action=lambda action: _act(document, action))
    warm_worker.warm()  # after the first answer, so that the two do not import torch at once


def _asked(document: Document) -> None:
    """Draw the dialog that was asked for in the menu of the bar."""
    asked = state.take(_ASKED)
    if asked == "rename":
        _rename(document)
    for name, part in wing.parts("share"):
        if asked == name:
            part.dialog(document)


def _ask(dialog: str) -> None:
    """Show a dialog, from above the canvas: within it no page can be drawn anew."""
    state.keep(_ASKED, dialog)
    st.rerun()


@st.dialog("Rename", icon=":material/edit:")
def _rename(document: Document) -> None:
    before = document.project.name if is_named(document.project) else ""
    name, about = rename_form.ask("project", before, document.title, document.project.about)
    if name is not None:
        document.rename(name, about)
        st.rerun()


def _save(document: Document) -> None:
    try:
        document.save()
    except Conflict:
        st.rerun()
    except ProjectError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    st.rerun()  # the canvas then shows where it is saved


def _read_only(document: Document) -> None:
    """Warn before the first save if the project's folder is read-only."""
    folder = document.path.parent if document.path else paths.workspace()
    if not os.access(folder, os.W_OK):
        where = escape_markdown(str(folder), 300)
        st.warning(
            f"The folder {where} is read-only, so the project cannot be saved there. Use "
            "Download to keep it as a file.",
            icon=":material/lock:",
        )


def _conflict(document: Document) -> None:
    if not document.conflict:
        return
    st.warning(escape_markdown(document.conflict, 400), icon=":material/sync_problem:")
    with st.container(horizontal=True):
        if st.button("Save mine as a copy", key="save_copy"):
            _try(document.save_copy)
        if st.button("Open the file's version, keep mine as a backup", key="take_file"):
            _try(document.take_file)


def _try(action: Any) -> None:
    try:
        action()
    except ProjectError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    st.rerun()


def _notices(document: Document) -> None:
    notices = document.project.notices
    if not notices:
        return
    title = (
        f"{len(notices)} parts of this file could not be read and were kept unchanged"
        if len(notices) > 1
        else "1 part of this file could not be read and was kept unchanged"
    )
    with st.expander(title, icon=":material/info:"):
        for path, message in notices[:50]:
            st.text(f"{path}: {message}"[:400])


def _act(document: Document, action: dict[str, Any]) -> None:
    """Carry out a request of the toolbar, on exactly the graph that came with it."""
    if action["name"] == "save":
        _save(document)
    elif action["name"] == "rename":
        _ask("rename")
    elif action["name"] == "share":
        _ask(str(action["args"].get("way", "")))
    elif action["name"] in ("code", "review"):
        custom_block.ask(action)
    elif action["name"] == "merge":
        other_tab.ask()
    elif action["name"] in WAYS:
        state.go(WAYS[action["name"]])
    elif action["name"] == "part":
        _open_part(document, action["args"])
    elif act := _of_wings().get(action["name"]):
        act(action["args"])
    elif action["name"] == "run":
        _choose_run(document, action["args"])
    elif action["name"] == "remedy":
        _take_remedy(document, action["args"])
    elif action["name"] == "train":
        runs.start_and_show(document)


def _of_wings() -> dict[str, Callable[[Mapping[str, Any]], None]]:
    """What wings do with a request, by its name."""
    return {name: act for _, part in wing.parts("actions") for name, act in part.ACTIONS.items()}


def _open_part(document: Document, request: Mapping[str, Any]) -> None:
    """Open the selected blocks as a new project; the original stays a draft."""
    try:
        path = one_sample.keep_part(document, request)
        state.open_document(documents.from_file(path))
    except LayerloomError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    st.toast(
        "Saved with its weights. Its outputs equal those of the whole network exactly.",
        icon=":material/check:",
    )
    st.rerun()


def _choose_run(document: Document, request: Mapping[str, Any]) -> None:
    """Show the weights of another run of this project; all other pages then show it, too."""
    if request.get("run") in {view.name for view in _own_runs(document)}:
        state.choose_run(str(request["run"]))
        st.rerun()


def _own_runs(document: Document) -> list[RunView]:
    return own_runs(document, list_runs(paths.runs_dir()))


def _take_remedy(document: Document, request: Mapping[str, Any]) -> None:
    """Apply the remedy of a health mark; the canvas stays open and follows the new run."""
    title, changes = str(request.get("title", ""))[:80], request.get("changes")
    known = {view.name for view in _own_runs(document)}
    if request.get("run") not in known or not isinstance(changes, dict):
        return
    if runs.take_remedy(document, str(request["run"]), Remedy(title, changes)):
        st.rerun()
