"""Taking the settings of a trial into the project, and giving them back."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import state
from app.pages.sweeps import space
from app.services import sweeps
from app.services.document import Document
from app.services.sweeps import SweepView
from core.errors import LayerloomError
from core.project import Project
from core.sweep.search_space import text_of

TAKEN = "sweep_taken"


def words(project: Project, view: SweepView, trial: Mapping[str, Any]) -> str:
    """The settings of a trial in a line, as pages call them, with what all trials share."""
    settings = sweeps.settings_of(view, trial)
    names = space.titles(project, list(settings))
    found = (f"{_inside(names[key])} {shown(value)}" for key, value in settings.items())
    return ", ".join(found) or "the project's own settings"


def shown(value: Any) -> str:
    """A value as people read it: a rate of 0.027256 is one of 0.027."""
    return f"{value:.2g}" if isinstance(value, float) else text_of(value)


def economy(view: SweepView) -> str:
    """How long the trials were, where that was to save time and is not taken over."""
    count = view.asked.fixed.get(sweeps.EPOCHS)
    return f"{count} epoch{'s' * (count != 1)}" if count and sweeps.EPOCHS not in view.keys else ""


def _inside(name: str) -> str:
    """A name as it stands inside a sentence: "learning rate", but "GELU"."""
    return name[:1].lower() + name[1:] if name[1:2].islower() else name


def take(document: Document, view: SweepView, trial: Mapping[str, Any]) -> None:
    """Put the settings of a trial into the project; say why where they do not fit it."""
    before = document.project
    try:
        sweeps.take(document, sweeps.with_settings(document, view, trial))
    except LayerloomError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    taken = sweeps.difference(before, document.project)
    settings = words(before, view, trial)
    message = f"This project has the settings of trial {trial['trial']} now: {settings}."
    state.keep(TAKEN, (document.doc_id, taken, message))
    st.rerun()


def show_undo(document: Document) -> None:
    """Say what was taken, with the way back, as long as the project has all of it."""
    doc_id, taken, message = state.value(TAKEN) or ("", None, "")
    if taken is None or doc_id != document.doc_id or not taken.still(document.project):
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="taken"):
        st.markdown(f":material/check_circle: {escape_markdown(message, 500)}", width="content")
        st.space("stretch")
        if st.button("Undo", icon=":material/undo:", key="sweep_undo"):
            sweeps.take(document, taken.undone(document.project))
            state.take(TAKEN)
            st.rerun()
        st.page_link(
            state.page("train"),
            label="Train with them",
            icon=":material/play_arrow:",
            query_params=state.address(),
        )
