"""Applying the settings of a trial to the project, and undoing that."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import state
from app.services.document import Document
from app.wings.sweep import service as sweeps
from app.wings.sweep import space
from app.wings.sweep.service import SweepView
from core.common.errors import LayerloomError
from core.project import Project
from core.settings.literal import text_of

APPLIED = "sweep_taken"


def summary(project: Project, view: SweepView, trial: Mapping[str, Any]) -> str:
    """The settings of a trial in one line, including those that all trials share."""
    settings = sweeps.settings_of(view, trial)
    names = space.titles(project, list(settings))
    found = (f"{_inside(names[key])} {rounded(value)}" for key, value in settings.items())
    return ", ".join(found) or "the project's own settings"


def rounded(value: Any) -> str:
    """A value rounded for reading: 0.027256 becomes 0.0273, and 117.44 becomes 117."""
    return f"{value:.3g}" if isinstance(value, float) else text_of(value)


def saved_epochs(view: SweepView) -> str:
    """The epochs of the trials, if they were shortened to save time; "" otherwise."""
    count = view.request.fixed.get(sweeps.EPOCHS)
    return f"{count} epoch{'s' * (count != 1)}" if count and sweeps.EPOCHS not in view.keys else ""


def _inside(name: str) -> str:
    """A name as it stands inside a sentence: "learning rate", but "GELU"."""
    return name[:1].lower() + name[1:] if name[1:2].islower() else name


def apply(
    document: Document, view: SweepView, trial: Mapping[str, Any], to_canvas: bool = False
) -> None:
    """Apply the settings of a trial to the project, or show why they do not fit it.

    to_canvas: show the drawing afterwards.
    """
    before = document.project
    try:
        sweeps.take(document, sweeps.with_settings(document, view, trial))
    except LayerloomError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    taken = sweeps.difference(before, document.project)
    settings = summary(before, view, trial)
    message = f"The settings of trial {trial['trial']} were applied: {settings}."
    state.keep(APPLIED, (document.doc_id, taken, message))
    if to_canvas:
        state.go("build", f"{escape_markdown(message, 300)} Undo it on the Sweep page.")
    st.rerun()


def show_undo(document: Document) -> None:
    """Show the applied settings with Undo, as long as the project has all of them."""
    doc_id, taken, message = state.value(APPLIED) or ("", None, "")
    if taken is None or doc_id != document.doc_id or not taken.still(document.project):
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="taken"):
        st.markdown(f":material/check_circle: {escape_markdown(message, 500)}", width="content")
        st.space("stretch")
        if st.button("Undo", icon=":material/undo:", key="sweep_undo"):
            sweeps.take(document, taken.undone(document.project))
            state.take(APPLIED)
            st.rerun()
        st.page_link(
            state.page("train"),
            label="Train with these settings",
            icon=":material/play_arrow:",
            query_params=state.address(),
        )
