"""A project changed in two tabs: the differences and the choice; until then nothing is lost."""

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import markup, state
from app.services.document import Document
from app.wing import parts
from core.project import Project
from core.project.changes import changed, changes, lines

CHOICES = {
    "both": (
        "Merge both",
        "Takes the changes of both tabs; if both changed the same thing, this tab wins",
    ),
    "mine": ("Keep this tab's", "The other tab's version is kept under Earlier versions"),
    "theirs": ("Take the other tab's", "This tab's version stays on My work, as (other tab)"),
}
ASKED = "other_tab_asked"
MOST = 40


def ask() -> None:
    """Show the choice on Build, too, when the user opens it from the canvas."""
    state.keep(ASKED, True)
    st.rerun()


def show(document: Document | None, on_canvas: bool) -> None:
    """Draw the choice between two tabs. on_canvas: on Build, only on request."""
    if document is None or (theirs := document.session.elsewhere()) is None:
        state.take(ASKED)
        return
    if on_canvas and not state.value(ASKED):
        return
    markup.style()
    st.warning("This project was changed in another tab.", icon=":material/tab_duplicate:")
    _differences(document, theirs)
    with st.container(horizontal=True):
        for choice, (words, help_) in CHOICES.items():
            if choice == "both" and not any(parts("versions")):
                continue
            kind = "primary" if choice == "both" else "secondary"
            if st.button(words, key=f"tab_{choice}", help=help_, type=kind):
                document.session.settle(choice)
                state.take(ASKED)
                st.rerun()


def _differences(document: Document, theirs: Project) -> None:
    """The differences of the other tab, and the conflicts of merging."""
    listed = differing(document.project, theirs)
    with st.expander(f"Differences in the other tab ({len(listed)})", expanded=True):
        st.html(f'<pre class="ll-diff">{markup.escape(chr(10).join(listed[:MOST]))}</pre>')
        if len(listed) > MOST:
            st.caption(f"and {len(listed) - MOST} more")
    merged = document.session.merged()
    for sentence in merged[1] if merged else ():
        st.caption(escape_markdown(sentence, 300))


def differing(mine: Project, theirs: Project) -> list[str]:
    """A line for each difference of the other tab's version: + added, - removed, ~ changed."""
    graph_changes, settings = changes(mine, theirs)
    of_settings = [changed("settings", name, *pair) for name, pair in settings.items()]
    names = [changed("project", "name", mine.name, theirs.name)] if mine.name != theirs.name else []
    return [*names, *lines(graph_changes), *of_settings]
