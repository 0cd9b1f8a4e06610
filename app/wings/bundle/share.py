"""The button "Share", on several pages: project, runs and data as one file for a team mate."""

import hashlib
import tempfile
from pathlib import Path

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import runs, state
from app.process.pool import PoolError
from app.services import current_run, documents
from app.services.document import Document
from app.wings.bundle import service as bundles

WHAT = (
    "One file for a teammate or a teacher. It holds the drawing with its settings and notes, and "
    "the runs you choose: curves, settings, best weights and your notes on them. Others open it "
    "with **Open a file** on the start page, or with `layerloom FILE.loom.zip`."
)
WEIGHTS = (
    "The optimiser state is not included: a new run can start from the weights, but a shared run "
    "cannot be resumed. Others must read and trust your Python code before it runs."
)


TITLE = "Share with runs…"
"""In the menu of Build."""


def button(document: Document, where: str) -> None:
    """Draw the button. where: the page it stands on, for its key."""
    if st.button(
        "Share",
        icon=":material/group_add:",
        key=f"share_{where}",
        help="This project and its runs as one file, for others to open",
    ):
        dialog(document)


@st.dialog("Share this project", width="medium", icon=":material/group_add:")
def dialog(document: Document) -> None:
    """Draw what is asked before the file is written."""
    st.markdown(WHAT)
    views = {view.name: view for view in bundles.runs_to_share(document)}
    shown = current_run.run_to_show(document, lambda view: view.name in views)
    begun = shown.name if shown is not None else None
    chosen: list[str] = []
    if views:
        chosen = st.multiselect(
            "Runs",
            list(views),
            [begun] if begun else [],
            key="share_runs",
            format_func=lambda name: f"{name} {runs.best_result(views[name])}".strip(),
        )
    else:
        st.caption("This project has no run that has ended, so the file holds only the drawing.")
    data = _ask_data(document)
    if chosen:
        st.caption(WEIGHTS)
    _make(document, sorted(chosen), data)


def _ask_data(document: Document) -> bool:
    """Draw the toggle for own data; return whether to include it."""
    size = bundles.own_data_bytes(document)
    if size is None:
        return False
    return st.toggle(
        f"Include the data ({_size(size)})",
        key="share_data",
        help="Otherwise the file holds only a fingerprint, which shows others whether their data "
        "is the same.",
    )


def _size(count: float) -> str:
    return f"{count / 1e6:,.1f} MB" if count >= 1e6 else f"{max(count / 1e3, 1):,.0f} kB"


def _make(document: Document, chosen: list[str], data: bool) -> None:
    """Draw the button that writes the file, and the file once it is written."""
    asked = repr((document.text(), chosen, data))
    key = f"share:{hashlib.sha256(asked.encode()).hexdigest()[:16]}"
    with st.container(horizontal=True, vertical_alignment="center"):
        if state.value(key) is None and st.button("Create file", type="primary", key="share_make"):
            _write(document, chosen, data, key)
        content = state.value(key)
        if content is None:
            return
        st.download_button(
            f"Download {_size(len(content))}",
            content,
            f"{document.stem}.loom.zip",
            "application/zip",
            icon=":material/download:",
            type="primary",
            on_click="ignore",
            key="share_download",
        )


def _write(document: Document, chosen: list[str], data: bool, key: str) -> None:
    try:
        with st.spinner("Writing the file"), tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "bundle.loom.zip")
            made = bundles.write(document, chosen, data, out)
            if made["bytes"] > documents.LARGEST_MB * 1e6:
                st.error(
                    f"The file has {made['bytes'] / 1e6:,.0f} MB; a download can have at most "
                    f"{documents.LARGEST_MB} MB. Use `layerloom bundle` on the command line.",
                    icon=":material/error:",
                )
                return
            state.keep(key, out.read_bytes())
    except (PoolError, OSError) as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    st.rerun(scope="fragment")
