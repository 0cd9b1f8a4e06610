"""Decoding the pictures before training: in a thread, with its progress."""

import json
from pathlib import Path
from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.process import pool
from app.process.background import Background
from app.process.pool import PoolError
from app.services import data_previews
from app.services.calls import files
from core.common.errors import LayerloomError
from core.data import SOURCES, data_root, read_settings
from core.data.builtin.downloads import folder_of
from core.data.facts.metadata import listing_of
from core.data.pictures.cache import DecodingProgress, progress_in, progress_of

LIMIT_S, LIST_S = 6 * 3600.0, 600.0
Shape3 = tuple[int, int, int]
Key = tuple[str, Shape3]  # the data as JSON, and the shape of the Input


def offer(data: dict[str, Any], shape: Shape3) -> None:
    """Show that the pictures are decoded, or the progress, or a button that decodes them."""
    key = (_named(data), shape)
    if _decoding.running(key):
        _progress(key)
        return
    error = _decoding.error(key)
    if error:
        st.error(escape_markdown(error, 600), icon=":material/broken_image:")
    try:
        now, total = _far(data, shape)
    except PoolError as damage:
        st.error(escape_markdown(damage, 600), icon=":material/broken_image:")
        return
    if now.done >= total and not error:
        _whole(now, total, bool(data.get("skip_corrupt")), shape)
        return
    if st.button(
        "Prepare the pictures now",
        icon=":material/photo_library:",
        key="prepare",
        help="Decodes every picture once, at the size of the Input. Otherwise training "
        "does this before its first step.",
    ):
        _decoding.start(key)
        st.rerun()


def _named(data: dict[str, Any]) -> str:
    return json.dumps({k: data[k] for k in ("source", "root", "skip_corrupt") if k in data})


def _far(data: dict[str, Any], shape: Shape3) -> tuple[DecodingProgress, int]:
    custom = read_settings(json.loads(_named(data))).custom
    if custom is None:
        folder = folder_of(SOURCES[data["source"]], data_root())
        place, total = _place(_named(data), shape, folder.stat().st_mtime_ns)
        return progress_in(Path(place), shape, total), total
    listing = listing_of(custom)
    return progress_of(listing, shape), len(listing.pictures)


@st.cache_data(max_entries=16, show_spinner="Reading the data")
def _place(named: str, shape: Shape3, changed_ns: int) -> tuple[str, int]:
    """The folder of a data set's decoded pictures, and their number, from torchvision's class."""
    return pool.run(data_previews.place_decoded, named, shape, timeout_s=LIST_S)


@st.fragment(run_every=0.5)
def _progress(key: Key) -> None:
    if not _decoding.running(key):
        st.rerun()
    try:
        now, total = _far(json.loads(key[0]), key[1])
    except LayerloomError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    bad = f", {now.damaged:,} cannot be read" if now.damaged else ""
    text = f"Decoding pictures: {now.done:,} of {total:,}{bad}"
    st.progress(min(1.0, now.done / max(1, total)), text)


def _whole(now: DecodingProgress, total: int, skip: bool, shape: Shape3) -> None:
    """Show that all pictures are decoded, and how many cannot be read."""
    if now.damaged and not skip:
        st.warning(
            f"{now.damaged:,} of {total:,} pictures cannot be read, so training cannot "
            "start. Repair or delete them, or leave them out.",
            icon=":material/broken_image:",
        )
        return
    count, left_out = f"All {total:,} pictures", ""
    if now.damaged:
        count = f"{total - now.damaged:,} of {total:,} pictures"
        left_out = f" {now.damaged:,} cannot be read and are left out."
    st.caption(
        f":material/check_circle: {count} are decoded at {shape[2]} x {shape[1]} pixels, ready to "
        f"train.{left_out}"
    )


def _decode(key: Key) -> None:
    pool.alone("The decoding of the pictures", files.decode, *key, timeout_s=LIMIT_S)


_decoding = Background(_decode)
