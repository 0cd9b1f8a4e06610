"""The Data page: choose a data set, inspect and augment it, fit the network to it."""

import json
from pathlib import Path
from typing import Any

import streamlit as st

from app import wing
from app.markdown import escape_markdown
from app.pages.data import augmentation, cards, data_notice, decoding, fit, samples, source_form
from app.pages.shared import downloads, markup, skeletons, suggested_settings, trust_form
from app.pages.shared.beginning import require_document
from app.process import pool
from app.process.pool import PoolError
from app.services import data_guess, data_previews, suggestions
from app.services.document import Document
from core.data import DataError, DataSettings, Unread, read_settings
from core.data.custom import dataset_file
from core.data.facts.metadata import was_read_before
from core.data.sources.custom_source import OWN, read_custom_source

READ_S = 600.0
_STYLE = Path(__file__).parents[2] / "theme" / "data.css"


def render() -> None:
    """Draw the page."""
    document = require_document("data")
    st.html(_STYLE)
    markup.style()
    left, right = st.columns([4, 11], gap="large")
    with left, st.container(key="data_form"):
        data, wrong = source_form.ask(document)
    with right, st.container(key="data_look"):
        st.header(escape_markdown(document.title, 80))
        if not data.get("source"):
            cards.choose(document)
            return
        if wrong:
            st.info("The split on the left cannot be made like this yet.", icon=":material/west:")
            return
        data_notice.show(document)
        settings = _read(document, data)
        if settings is not None:
            _show(document, data, settings)


def _read(document: Document, data: dict[str, Any]) -> DataSettings | None:
    """The data settings, or an error with the button that reads the data."""
    try:
        return read_settings(data, _seed(document))
    except Unread as error:
        before = was_read_before(read_custom_source(data))
        if not before:
            st.info(escape_markdown(error.message, 300), icon=":material/lock:")
    except DataError as error:
        st.error(escape_markdown(error, 500), icon=":material/error:")
        return None
    if not _trusted(data):
        return None
    if before or st.button("Read", type="primary", icon=":material/file_open:", key="read_data"):
        try:
            with st.spinner("Reading"):
                if data.keys() == {"source", OWN.get(data["source"], ("",))[0]}:
                    data_notice.read_as_meant(document, data)
                else:
                    size = data_guess.bytes_of(data)
                    pool.read(size, data_previews.read, json.dumps(data), timeout_s=READ_S)
        except PoolError as error:
            st.error(escape_markdown(error, 500), icon=":material/error:")
            return None
        st.rerun()
    return None


def _trusted(data: dict[str, Any]) -> bool:
    """Whether the data has no untrusted Python; otherwise show it and ask for trust."""
    name = dataset_file.untrusted_path(data)
    if not name:
        return True
    text = dataset_file.python_of(data)[name]
    if wrong := dataset_file.faults(text):
        st.error(escape_markdown(f"{name}: {wrong[0]}", 300), icon=":material/error:")
        return False
    st.warning(
        f"{escape_markdown(name, 80)} {dataset_file.WAITS}. It does not run.",
        icon=":material/gpp_maybe:",
    )
    trust_form.code(text)
    trust_form.meaning()
    trust_form.button(name, text)
    return False


def _show(document: Document, data: dict[str, Any], settings: DataSettings) -> None:
    source = settings.source
    st.caption(escape_markdown(source.about, 600))
    if not downloads.offer(source):
        return
    if suggestions.follow(document):
        st.rerun()
    offered = fit.offer(document, settings)
    with st.container(horizontal=True, vertical_alignment="center", key="data_network"):
        if not offered:
            fit.show_next_step(document)
        data_notice.offer_network(document, settings)
    shape = fit.input_shape(document)
    named = _named(data, settings)
    look = "table" if source.kind == "table" else "pictures"
    file = settings.custom.path if settings.custom else ""
    top = st.container()
    with (
        st.container(key="data_page"),
        skeletons.instead(look, "data", (document.doc_id, source.name, file)),
        st.container(key="data_body"),
    ):
        try:
            shown = _preview(named, _seed(document), _version(settings))
        except PoolError as error:
            st.error(escape_markdown(error, 500), icon=":material/error:")
        else:
            _previewed(document, data, settings, shown, shape)
    with top:
        for _, part in wing.parts("data"):
            part.show(document, _version(settings))
    suggested_settings.show(document)


def _previewed(
    document: Document,
    data: dict[str, Any],
    settings: DataSettings,
    shown: data_previews.DataPreview,
    shape: tuple[int, ...],
) -> None:
    """Draw what is in the data, and what is done with it. shape: that of the network's Input."""
    source = settings.source
    samples.figures(settings, shown, fit.sizes(document, settings))
    if source.decoded and len(shape) == 3 and shape[0] in (1, 3):
        decoding.offer(data, (shape[0], shape[1], shape[2]))
    samples.sounds(shown)
    samples.samples(shown)
    samples.pixels(shown)
    _statistics(shown, samples.class_word(settings))
    if source.kind == "image" and "label" in source.targets:
        augmentation.ask(document, data, settings, shape, _version(settings))


def _statistics(shown: data_previews.DataPreview, word: str) -> None:
    """Classes and columns, side by side if there are both."""
    if not (shown.counts and shown.columns):
        samples.classes(shown, word)
        samples.columns(shown)
        return
    classes, columns = st.columns([2, 3], gap="large")
    with classes:
        samples.classes(shown, word)
    with columns:
        samples.columns(shown)


def _named(data: dict[str, Any], settings: DataSettings) -> str:
    """The settings that the preview depends on, as JSON."""
    source_data = {
        k: v for k, v in data.items() if k not in ("transform", "noise", "normalize", "inputs")
    }
    source_data.pop("target", None)
    return json.dumps(source_form.plain(source_data), sort_keys=True)


def _version(settings: DataSettings) -> str:
    """A text that changes with own files, so that caches of them end."""
    return json.dumps([settings.source.samples, settings.source.classes, str(settings.layout)])


def _seed(document: Document) -> int:
    seed = document.project.training.get("seed", 0)
    return seed if isinstance(seed, int) else 0


@st.cache_data(max_entries=16, show_spinner="Reading the data")
def _preview(text: str, seed: int, mark: str) -> data_previews.DataPreview:
    size = data_guess.bytes_of(json.loads(text))
    return pool.read(size, data_previews.preview_data, text, seed, timeout_s=READ_S)
