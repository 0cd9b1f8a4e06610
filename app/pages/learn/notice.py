"""One slim line over the pages that a lesson leads to: what to do there, and the way back."""

import streamlit as st

from app.pages.learn import lesson_view
from app.pages.learn.text import paragraph
from app.pages.shared import markup, state
from app.services import lessons
from core.lessons import progress


def show() -> None:
    """Say which step is at hand, where the open drawing is that of the chosen lesson."""
    with st.container(key="learn_line"):
        name = state.lesson()
        if name is None:
            return
        found = progress.read_progress()
        if not lessons.is_of(found.lessons.get(name), state.document()):
            return
        lesson = lessons.find(name)
        step = lesson_view.chosen(lesson, found)
        lesson_view.style()
        with st.container(key="learn_said", horizontal=True, vertical_alignment="center"):
            said = f"<b>{markup.text(lesson.title)}</b> · {markup.text(step.title)}"
            st.html(f'<p class="ll-said">{said}</p>', width="stretch")
            with st.popover("What to do", type="tertiary", key="learn_what"):
                st.html(paragraph(step.text))
            st.page_link(state.page("learn"), label="Back to the lesson",
                         icon=":material/school:", query_params=state.address())  # fmt: skip
