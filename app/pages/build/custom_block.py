"""Custom blocks on the Build page: reading and trusting their code, and opening its editor."""

from typing import Any

import streamlit as st

from app.canvas import custom_blocks
from app.markdown import escape_markdown
from app.pages.build import custom_block_editor
from app.pages.build.custom_block_editor import Draft
from app.pages.shared import state, trust_form
from app.services.document import Document
from core.files.trust import trusted
from core.graph import Graph
from core.project.untrusted import untrusted

_ASKED = "custom:asked"


def ask(action: dict[str, Any]) -> None:
    """Store the dialog requested by the canvas, and rerun the page to show it."""
    state.keep(_ASKED, (action["name"], action["args"].get("block", "")))
    st.rerun()


def show(document: Document) -> None:
    """Draw the messages about the project's custom blocks, and the dialog that is open."""
    names = untrusted(document.project.graph)
    if names:
        _warn(names)
    asked = state.take(_ASKED)
    if asked is None:
        return
    name, block = asked
    code = custom_blocks.code_of(document.project.graph, block)
    if name == "review" or (name == "code" and code and not trusted(code)):
        _review(document)
    else:
        mine = not code or trusted(code)
        custom_block_editor.edit(document, Draft(block if code else "", code, mine))


def _warn(names: tuple[str, ...]) -> None:
    """Warn about untrusted code, with a button to read it."""
    *others, last = [f"**{escape_markdown(name, 40)}**" for name in names]
    who = f"{', '.join(others)} and {last}" if others else last
    with st.container(key="untrusted", horizontal=True, vertical_alignment="center"):
        st.warning(
            f"{who} {'contain' if len(names) > 1 else 'contains'} Python code that you have not "
            "trusted yet. It does not run, so the blocks after it cannot be checked.",
            icon=":material/gpp_maybe:",
        )
        if st.button("Read the code", key="review", type="primary"):
            state.keep(_ASKED, ("review", ""))
            st.rerun()


@st.dialog(
    "Code you have not trusted yet",
    width="large",
    icon=":material/gpp_maybe:",
    on_dismiss="rerun",
)
def _review(document: Document) -> None:
    graph = document.project.graph
    names = untrusted(graph)
    if not names:
        st.rerun()  # closes the dialog and updates the canvas
    custom_block_editor.scheme()
    where = f", from {escape_markdown(document.path.name, 80)}" if document.path else ""
    st.markdown(
        f"It came with the project **{escape_markdown(document.project.name, 80)}**{where}. "
        "Layerloom cannot know who wrote it."
    )
    trust_form.meaning()
    for name in names:
        _one(graph, name)


def _one(graph: Graph, name: str) -> None:
    """One block's code in full, and the button that trusts this text."""
    text = custom_blocks.code_of(graph, name)
    with st.container(border=True, key=f"review_{name}"):
        count = len(text.splitlines())
        st.markdown(
            f"**{escape_markdown(name, 40)}** · {count} {'line' if count == 1 else 'lines'}"
        )
        trust_form.code(text)
        with st.container(horizontal=True):
            trust_form.button(name, text)
            if st.button("Edit without trusting it", key=f"change_{name}"):
                state.keep(_ASKED, ("change", name))
                st.rerun()
