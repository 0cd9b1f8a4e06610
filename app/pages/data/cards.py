"""Choice of data for a project without any: a card for each data set, with a preview."""

from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import drop_zone, markup, scatter
from app.process import pool
from app.process.pool import PoolError
from app.services import previews
from app.services.document import Document
from core.data import SOURCES

ROWS, COLUMNS, LETTERS = 4, 4, 40


def choose(document: Document) -> None:
    """Draw a drop zone for own data, and a card for each data set that needs no download."""
    st.subheader("Choose the data that the network learns from", anchor=False)
    drop_zone.zone("data_drop")
    st.caption("Or choose one of the data sets that come with Layerloom.")
    here = [name for name, source in SOURCES.items() if source.embedded]
    with st.container(key="data_cards"):
        for name in here:
            _card(document, name)
    others = [name for name in SOURCES if name not in here]
    st.caption(
        f"{', '.join(others[:-1])} and {others[-1]} can be downloaded: choose one on the left."
    )


def _card(document: Document, name: str) -> None:
    source = SOURCES[name]
    with st.container(key=f"data_card_{name}"):
        st.html(f'<div class="ll-look">{_look(name)}</div>')
        st.button(
            name, key=f"choose_{name}", type="tertiary", on_click=_take, args=(document, name)
        )
        size = f"{source.total:,} {source.things}"
        st.caption(escape_markdown(f"{size}. {_sentence(source.about)}", 140))


def _take(document: Document, name: str) -> None:
    document.change(data={"source": name})
    document.form.data_epoch += 1  # so that the form on the left starts from it


def _sentence(about: str) -> str:
    return about.partition(". ")[0].rstrip(".") + "."


@st.cache_data(max_entries=32, show_spinner=False)
def _look(name: str) -> str:
    """A picture of samples, or the beginning of a table, as HTML."""
    try:
        shown = pool.run(previews.preview, name)
    except PoolError:  # the card can be chosen without its picture, too
        return ""
    if shown.points:
        return scatter.picture(shown.points, axes=False, words=f"Samples of {name}")
    if shown.picture:
        return markup.picture(shown.picture, f"Samples of {name}")
    rows = "".join(_row(row) for row in shown.rows[:ROWS])
    return f"<table aria-label='Samples of {markup.escape(name)}'>{rows}</table>"


def _row(row: tuple[Any, ...]) -> str:
    cells = (markup.escape(str(cell)[:LETTERS]) for cell in row[:COLUMNS])
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
