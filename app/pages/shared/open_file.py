"""The button "Open a file": projects of the workspace, or a file from elsewhere."""

import html
from collections.abc import Sequence

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import arrivals, project_facts, state
from app.pages.shared.beginning import begin
from app.services import documents, projects_with_runs
from app.services.projects_with_runs import Work
from app.wing import parts

SHOWN = 30


def button() -> None:
    """Draw the button. What it opens is made once it is open, as projects are read for it."""
    with st.popover(
        "Open a file", icon=":material/folder_open:", key="open_file", on_change="rerun"
    ) as popover:
        if popover.open:
            _projects(projects_with_runs.list_works(()))
            _upload()


def _projects(listed: Sequence[Work]) -> None:
    """Draw the projects of My work, changed last first, with a search if there are many."""
    if not listed:
        return
    words = ""
    if len(listed) > SHOWN // 3:
        words = st.text_input(
            "Search my projects",
            key="open_search",
            placeholder=f"Search {len(listed)} projects …",
            icon=":material/search:",
            label_visibility="collapsed",
        )
    else:
        st.caption("Projects in this workspace")
    matching = [work for work in listed if projects_with_runs.fits(work, words)]
    height = 300 if len(matching) > SHOWN // 6 else "content"
    with st.container(key="open_list", height=height, border=False, gap=None):
        for work in matching[:SHOWN]:
            _project(work)
        if not matching:
            st.caption("No results.")
    if len(matching) > SHOWN:
        st.page_link(
            state.page("work"), label=f"All {len(listed)} on My work", icon=":material/folder_open:"
        )


def _project(work: Work) -> None:
    name = escape_markdown(work.title, 60)
    if st.button(name, key=f"open_work_{work.key}", type="tertiary"):
        begin(lambda: documents.restore(work.doc_id))
    st.html(f'<small class="ll-small">{html.escape(project_facts.facts(work))}</small>')


def _upload() -> None:
    kinds = [kind for _, kind in parts("upload")]
    packed = "".join(f" or a shared {kind.NOUN} (NAME{kind.ENDING})" for kind in kinds)
    uploaded = st.file_uploader(
        "A project (NAME.loom.json)" + packed,
        key="upload",
        max_upload_size=documents.LARGEST_MB,
        help="The file is checked strictly, and nothing in it is executed.",
    )
    if uploaded is not None and st.button("Open", type="primary", key="upload_open"):
        begin(lambda: arrivals.announce(documents.from_upload(uploaded.getvalue(), uploaded.name)))
