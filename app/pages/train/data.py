"""The data half of the Train form: which data, what is asked of it, a look at some samples."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from app import forms, state
from app.process import pool
from app.process.pool import PoolError
from app.services import downloads, previews
from app.services.document import Document
from app.text import label
from blocks.spec import Setting
from core.data import SOURCES, DataError, DataSettings, Source, read_settings
from core.data.custom_source import OWN
from core.data.description import sizes

MORE = (
    Setting("noise", "float", "Standard deviation of noise added to what goes in, drawn anew each "
            "time; 0: none.", 0.0, low=0.0),
    Setting("validation", "float", "Share of samples to validate with; the network never learns "
            "from them.", 0.2, low=0.01, high=0.99, title="Share to validate with"),
    Setting("normalize", "bool", "Bring every channel or column to mean 0 and spread 1, both taken "
            "from the part that is learned from.", False, title="Normalise"),
    Setting("limit", "int", "To try things quickly, or to see what few samples do; none: all.",
            None, optional=True, title="Learn from so many samples only"),
)  # fmt: skip
_NOT_OF_TEXT = ("noise", "normalize")
_TARGET_WORDS = {
    "label": "its class or number",
    "input": "the clean sample itself (autoencoder)",
    "mask": "the pixels of the stroke (segmentation)",
    "labels": "which labels it has, none to all",
    "sequence": "its row of classes, from left to right",
    "next": "what comes next",
    "masked": "what is hidden",
    "answer": "the answer in letters",
    "pair": "whether two samples are of one class",
    "triplet": "which of two samples is of its class",
}


def ask(document: Document) -> bool:
    """Draw the form and keep what it says in the project; say whether data is chosen."""
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
    st.caption(label(source.about, 300))
    _look(source)
    if len(source.targets) > 1:
        data["target"] = _target(data, source, document.doc_id)
    with st.expander("More about the data"):
        more(data, source, document.doc_id)
    _page_link("Look at the data, vary it, bring your own")
    document.change(data=said(data, before, source))
    return True


def said(data: Mapping[str, Any], before: Mapping[str, Any], source: Source) -> dict[str, Any]:
    """What the project says of its data: what it said before, and what is not as usual."""
    return {k: v for k, v in data.items() if k in before or v != _usual(k, source)}


def _own(data: Mapping[str, Any]) -> None:
    """Tell what own data it is; it is set on the Data page."""
    path = data.get("root") or data.get("file") or "nothing chosen yet"
    st.markdown(f"**{label(path, 120)}** · {data['source']}")
    _page_link("Look at it and change it on the Data page")


def _page_link(words: str) -> None:
    st.page_link(state.page("data"), label=words, icon=":material/database:",
                 query_params=state.address())  # fmt: skip


def _source(data: dict[str, Any], key: str) -> Source | None:
    """Ask for the data set; None where none is chosen yet."""
    names = list(SOURCES)
    given = data.get("source")
    if given not in SOURCES and given is not None:
        st.warning(f"There is no data set {label(given, 60)}.", icon=":material/warning:")
    index = names.index(given) if given in SOURCES else None
    chosen = st.selectbox(
        "Data set",
        names,
        index,
        format_func=named,
        key=f"{key}:source",
        placeholder="Choose a data set",
    )
    if chosen is None:
        st.info("Choose the data that the network learns from.", icon=":material/database:")
        return None
    if chosen != given:
        data.pop("transform", None)  # what varies pictures may not suit the next
    data["source"] = chosen
    return SOURCES[chosen]


def named(name: str) -> str:
    """What a list calls a data set: its name, how much of what it is."""
    source = SOURCES[name]
    size = source.samples + source.test
    return f"{name} · {size:,} {source.things}"


def _look(source: Source) -> None:
    """Show samples, or offer the download that they need."""
    if not downloads.offer(source):
        return
    try:
        found = _preview(source.name)
    except PoolError as error:
        st.error(label(error, 400), icon=":material/error:")
        return
    with st.container(key="samples"):
        if found.picture:
            st.image(found.picture, width="stretch", alt=f"Samples of {source.name}")
        else:
            table = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
            st.dataframe(table, hide_index=True, height=248)


@st.cache_data(max_entries=16, show_spinner="Reading samples")
def _preview(name: str) -> previews.Preview:
    return pool.run(previews.preview, name)


def _target(data: Mapping[str, Any], source: Source, key: str) -> str:
    given = data.get("target")
    index = source.targets.index(given) if given in source.targets else 0
    return st.selectbox(
        "The network should tell",
        source.targets,
        index,
        format_func=_TARGET_WORDS.__getitem__,
        key=f"{key}:{source.name}:target",
    )


def more(data: dict[str, Any], source: Source, key: str) -> None:
    """Ask for noise, the split and normalisation."""
    for setting in MORE:
        if setting.name == "validation" and source.test:
            continue  # its makers keep a test part apart
        if setting.name in _NOT_OF_TEXT and source.kind == "text" and not data.get(setting.name):
            continue
        given = data.get(setting.name, _usual(setting.name, source))
        data[setting.name] = forms.ask(setting, given, f"{key}:data:{setting.name}")
    try:
        settings = read_settings(data)
    except DataError as error:
        st.error(label(error, 400), icon=":material/error:")
        return
    if said := _all_the_same(settings):
        st.caption(f":material/info: {label(said, 200)}")


def _all_the_same(settings: DataSettings) -> str:
    """Tell of a limit that leaves nothing out."""
    if settings.limit is None or settings.source.windows:
        return ""
    every = replace(settings, limit=None, target=settings.source.targets[0])
    try:
        many, _ = sizes(every)
    except DataError:  # said where the parts are counted
        return ""
    return f"There are only {many:,} samples to learn from." if settings.limit >= many else ""


def _usual(key: str, source: Source) -> Any:
    """What a setting is when the project does not say."""
    if key == "normalize":
        return source.kind == "table"
    return {"target": source.targets[0], "noise": 0.0, "validation": 0.2, "limit": None}.get(key)
