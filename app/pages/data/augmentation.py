"""Augmentation on the Data page: choice of transforms, their settings, and examples."""

import json
from collections.abc import Iterator
from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import markup, setting_widgets, state
from app.process import pool
from app.process.pool import PoolError
from app.services import data_previews
from app.services.document import Document
from core.data import DataError, DataSettings
from core.data.pictures.transform import TRANSFORMS, AugmentStep, read_transform


def ask(
    document: Document,
    data: dict[str, Any],
    settings: DataSettings,
    shape: tuple[int, ...],
    mark: str,
) -> None:
    """Draw the choice of transforms and the pictures before and after them."""
    st.subheader("What the network will see")
    key = f"{document.doc_id}:{document.form.data_epoch}:vary"
    if settings.target != "label":
        _noise_only(data, settings, shape, key, mark)
        return
    entry_of = {entry["name"]: entry for entry in data.get("transform", ())}
    chosen = st.multiselect(
        "Vary training samples",
        list(TRANSFORMS),
        list(entry_of),
        key=key,
        select_all=False,
        placeholder="None: pictures are used unchanged",
        help="Each time a picture is used, it is changed a little at random, so that the network "
        "learns what stays the same. Validation samples are never changed.",
    )
    entries = [_entry(name, entry_of.get(name, {}), key) for name in chosen]
    changed = {k: v for k, v in data.items() if k != "transform"}
    changed |= {"transform": entries} if entries else {}
    document.change(data=changed)
    _show(changed, settings, shape, key, mark)


def _noise_only(
    data: dict[str, Any], settings: DataSettings, shape: tuple[int, ...], key: str, mark: str
) -> None:
    """Show the noise, the only augmentation without a class or a number as the target."""
    if settings.noise:
        _show(data, settings, shape, key, mark)
    st.caption("Pictures can be rotated, shifted or flipped if the target is a class or a number.")


def _entry(name: str, before_entry: dict[str, Any], key: str) -> dict[str, Any]:
    """The settings of one transform; default values are not written to the file."""
    declared = TRANSFORMS[name]
    with st.expander(
        f"{name}: {declared.summary}", expanded=name not in before_entry.get("name", "")
    ):
        entry: dict[str, Any] = {"name": name}
        columns = st.columns(max(2, len(declared.settings)))
        for column, setting in zip(columns, declared.settings, strict=False):
            with column:
                before = before_entry.get(setting.name, setting.default)
                answer = setting_widgets.ask(setting, before, f"{key}:{name}:{setting.name}")
                if answer != setting.default:
                    entry[setting.name] = answer
    return entry


def _show(
    data: dict[str, Any], settings: DataSettings, shape: tuple[int, ...], key: str, mark: str
) -> None:
    try:
        steps: tuple[AugmentStep, ...] = read_transform(data.get("transform", ()))
    except DataError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    drawn, is_random = f"{key}:turn", bool(steps) or settings.noise > 0
    if is_random and st.button("Draw again", icon=":material/casino:", key="vary_again"):
        state.keep(drawn, (state.value(drawn) or 0) + 1)
    try:
        source_data = {k: v for k, v in data.items() if k not in ("target", "inputs")}
        rows = _variations(
            json.dumps(source_data, sort_keys=True), shape, state.value(drawn) or 0, mark
        )
    except PoolError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    st.html(_grid(rows, is_random))
    for note in _notes(settings, shape, bool(steps)):
        st.caption(note)


def _notes(settings: DataSettings, shape: tuple[int, ...], varied: bool) -> Iterator[str]:
    """Notes on these pictures."""
    if settings.noise:
        yield (
            "Above: the original. Below: with Gaussian noise of standard deviation "
            f"{settings.noise:g}, different in each batch. Validation samples get the same noise "
            "every time."
        )
    if settings.source.decoded and settings.source.shape[:1] == (3,) and shape[:1] == (1,):
        yield (
            ":material/palette: The Input takes one channel, so pictures are read as grey. Where "
            "they have colours, give it a shape of (3, height, width) to learn from those."
        )
    if settings.target == "label" and not varied:
        yield (
            "Add RandomCrop and RandomHorizontalFlip for photos. Do not flip digits or letters: a "
            "mirrored one means something else."
        )


def _grid(rows: list[list[bytes]], varied: bool) -> str:
    """A column for each picture: the original, then its augmentations."""
    columns: list[str] = []
    for number, row in enumerate(rows, 1):
        after = "".join(
            f"<li>{markup.picture(png, f'Picture {number}, augmented {turn}')}</li>"
            for turn, png in enumerate(row[1:], 1)
        )
        before = markup.picture(row[0], f"Picture {number}, original")
        columns.append(f"<div><span>{before}</span>{f'<ul>{after}</ul>' if varied else ''}</div>")
    return (
        f'<div class="ll-vary" role="group" aria-label="Before and after">{"".join(columns)}</div>'
    )


@st.cache_data(max_entries=32, show_spinner=False)
def _variations(text: str, shape: tuple[int, ...], turn: int, mark: str) -> list[list[bytes]]:
    return pool.run(data_previews.variations, text, shape, turn)
