"""The data half of the Train form: data set, target and split, some samples."""

import json
from collections.abc import Mapping
from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import data_settings, downloads, glossary, scatter, state
from app.process import pool
from app.process.pool import PoolError
from app.services import previews
from app.services.document import Document
from core.data import SOURCES, Source
from core.data.sources.custom_source import OWN
from core.tasks.registry import target_of, targets_of


def ask(document: Document) -> bool:
    """Draw the form and store its values in the project; return whether data is chosen."""
    with st.container():  # what comes and goes here must not close what is open below
        return _ask(document)


def _ask(document: Document) -> bool:
    before = document.project.data
    data = dict(before)
    st.subheader("Data")
    if before.get("source") in OWN:
        _own(before)
        return True
    source = _source(data, document.doc_id)
    if source is None:
        return False
    st.caption(escape_markdown(source.about, 300))
    _show_samples(source, data.get("made"))
    if len(targets_of(source)) > 1:
        data["target"] = _target(data, source, document.doc_id)
    with st.expander("More data settings"):
        data_settings.ask_settings(data, source, document.doc_id)
    _page_link("Inspect, augment or bring your own data")
    document.change(data=data_settings.without_defaults(data, before, source))
    return True


def _own(data: Mapping[str, Any]) -> None:
    """Show the user's own data set; it is set on the Data page."""
    path = data.get("root") or data.get("file") or "nothing chosen yet"
    st.markdown(f"**{escape_markdown(path, 120)}** · {data['source']}")
    _page_link("View and change it on the Data page")


def _page_link(words: str) -> None:
    st.page_link(
        state.page("data"), label=words, icon=":material/database:", query_params=state.address()
    )


def _source(data: dict[str, Any], key: str) -> Source | None:
    """Draw the choice of a data set; None if none is chosen yet."""
    names = list(SOURCES)
    name = data.get("source")
    if name not in SOURCES and name is not None:
        st.warning(f"Unknown data set {escape_markdown(name, 60)}.", icon=":material/warning:")
    index = names.index(name) if name in SOURCES else None
    chosen = st.selectbox(
        "Data set",
        names,
        index,
        format_func=data_settings.source_title,
        key=f"{key}:source",
        placeholder="Choose a data set",
    )
    if chosen is None:
        st.info("Choose the data to train on.", icon=":material/database:")
        return None
    if chosen != name:
        # what suits one data set may not suit the next
        for key in ("transform", "made", "normalize"):
            data.pop(key, None)
    data["source"] = chosen
    return SOURCES[chosen]


def _show_samples(source: Source, made: Any) -> None:
    """Show samples, or offer the download that they need."""
    if not downloads.offer(source):
        return
    try:
        shown = _preview(source.name, json.dumps(dict(made) if isinstance(made, Mapping) else None))
    except PoolError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    with st.container(key="samples"):
        if shown.points:
            st.html(scatter.picture(shown.points))
        elif shown.picture:
            st.image(shown.picture, width="stretch", alt=f"Samples of {source.name}")
        else:
            table = [dict(zip(shown.columns, row, strict=True)) for row in shown.rows]
            st.dataframe(table, hide_index=True, height=248)


@st.cache_data(max_entries=16, show_spinner="Reading samples")
def _preview(name: str, made: str) -> previews.Preview:
    return pool.run(previews.preview, name, json.loads(made))


def _target(data: Mapping[str, Any], source: Source, key: str) -> str:
    saved, targets = data.get("target"), targets_of(source)
    index = targets.index(saved) if saved in targets else 0
    return st.selectbox(
        "Target",
        targets,
        index,
        format_func=lambda target: target_of(target, source).words,
        key=f"{key}:{source.name}:target",
        help=glossary.WORDS["Target"],
    )
