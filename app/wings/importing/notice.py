"""One slim line on every page of an imported drawing: how it compares with its original.

It follows the comparison, states differences, and can be hidden. A drawing whose comparison had
ended equal before it was opened has none.
"""

from pathlib import Path

import streamlit as st

from app.pages.shared import markup, state
from app.wings.importing import service as imports
from app.wings.importing import verdicts
from app.wings.importing.service import Import
from core.project import ProjectError
from core.project.comparison import Comparison, read_comparison

_STYLE = Path(__file__).with_name("import.css")
EVERY_S = 1.0
MARKS = {"bad": "✗", "open": "!", "now": "", "good": "✓"}


def show() -> None:
    """Show how the open drawing compares with its original."""
    document = state.document()
    path = document.path if document else None
    with st.container(key="import_line"):
        if path is None:
            return
        job = imports.live(path)
        if job is not None:
            job.attend()
            state.keep(_key("seen", path), True)
            _follow(job, path)
        else:
            _last(path)


@st.fragment(run_every=EVERY_S)
def _follow(job: Import, path: Path) -> None:
    if job.state != "drawn":
        st.rerun()
    comparison = job.comparison()
    _line(path, *verdicts.sentence(comparison, goes_on=True), comparison, goes_on=True)


def _last(path: Path) -> None:
    """Show the saved comparison; one that is equal, only if this tab saw it run."""
    try:
        comparison = read_comparison(path)
    except ProjectError as error:
        _line(path, "open", f"The comparison with the original cannot be read: {error}", None)
        return
    if comparison is None:
        return
    kind, message = verdicts.sentence(comparison)
    if kind != "good" or state.value(_key("seen", path)):
        _line(path, kind, message, comparison)


def _line(
    path: Path, kind: str, message: str, comparison: Comparison | None, goes_on: bool = False
) -> None:
    key = _key(f"gone:{kind}", path)
    if state.value(key):
        return
    markup.style()
    st.html(_STYLE)
    with st.container(key=f"import_said_{kind}", horizontal=True, vertical_alignment="center"):
        mark = f'<i aria-hidden="true">{MARKS[kind]}</i>'
        st.html(
            f'<p class="ll-said" role="status">{mark}{markup.escape(message)}</p>', width="stretch"
        )
        if comparison is not None:
            with st.popover("Show all comparisons", type="tertiary", key="import_line_table"):
                st.html(verdicts.table(comparison, goes_on))
        st.button(
            "",
            icon=":material/close:",
            key="import_line_close",
            type="tertiary",
            help="Hide this message",
            on_click=state.keep,
            args=(key, True),
        )


def _key(what: str, path: Path) -> str:
    return f"import:{what}:{path}"
