"""Decoding a folder of pictures ahead of the training: in a thread, with its progress."""

import json
import threading
from dataclasses import dataclass
from typing import Any

import streamlit as st

from app import pool
from app.pool import PoolError
from app.text import label
from core.data import DataError, read_settings
from core.data.cache import Far, far
from core.data.facts import listing_of

LIMIT_S = 6 * 3600.0
Shape3 = tuple[int, int, int]


@dataclass
class Preparing:
    """One folder on its way: over when `done`; `error` says what went wrong."""

    done: bool = False
    error: str = ""


_lock = threading.Lock()
_under_way: dict[tuple[str, Shape3], Preparing] = {}


def offer(data: dict[str, Any], shape: Shape3) -> None:
    """Say that the pictures are decoded, or how far that is, or offer to do it now."""
    key = (_named(data), shape)
    found = _under_way.get(key)
    if found is not None and not found.done:
        _progress(key)
        return
    if found is not None and found.error:
        st.error(label(found.error, 600), icon=":material/broken_image:")
    now, total = _far(data, shape)
    if now.done >= total and not (found and found.error):
        _whole(now, total, bool(data.get("skip_corrupt")), shape)
        return
    if st.button("Prepare the pictures now", icon=":material/photo_library:", key="prepare",
                 help="Decodes every picture once, at the size of the Input. Training does it too, "
                 "before its first step."):  # fmt: skip
        start(key)
        st.rerun()


def _named(data: dict[str, Any]) -> str:
    return json.dumps({k: data[k] for k in ("source", "root", "skip_corrupt") if k in data})


def _far(data: dict[str, Any], shape: Shape3) -> tuple[Far, int]:
    given = read_settings(json.loads(_named(data))).given
    assert given is not None
    listing = listing_of(given)
    return far(listing, shape), len(listing.pictures)


@st.fragment(run_every=0.5)
def _progress(key: tuple[str, Shape3]) -> None:
    found = _under_way.get(key)
    if found is None or found.done:
        st.rerun()
    try:
        now, total = _far(json.loads(key[0]), key[1])
    except DataError as error:
        st.error(label(error, 400), icon=":material/error:")
        return
    bad = f", {now.damaged:,} cannot be read" if now.damaged else ""
    said = f"Decoding pictures: {now.done:,} of {total:,}{bad}"
    st.progress(min(1.0, now.done / max(1, total)), said)


def _whole(now: Far, total: int, skip: bool, shape: Shape3) -> None:
    """Say that all is decoded, and what of it cannot be read."""
    if now.damaged and not skip:
        st.warning(f"{now.damaged:,} of {total:,} pictures cannot be read, so training refuses the "
                   "folder. Repair or delete them, or leave them out.",
                   icon=":material/broken_image:")  # fmt: skip
        return
    count = f"All {total:,} pictures are decoded"
    if now.damaged:
        count = (f"{total - now.damaged:,} of {total:,} pictures are decoded, {now.damaged:,} that "
                 "cannot be read are left out,")  # fmt: skip
    st.caption(f":material/check_circle: {count} at {shape[2]} x {shape[1]} pixels, ready to "
               "train.")  # fmt: skip


def start(key: tuple[str, Shape3]) -> None:
    """Begin unless it is under way."""
    with _lock:
        if key in _under_way and not _under_way[key].done:
            return
        _under_way[key] = Preparing()
    threading.Thread(target=_make, args=(key,), daemon=True).start()


def _make(key: tuple[str, Shape3]) -> None:
    found, lane = _under_way[key], pool.Lane("The decoding of the pictures")
    try:
        pool.work(lane, "core.data.files:prepare", *key, timeout_s=LIMIT_S)
    except PoolError as error:
        found.error = f"{error.message} {error.hint}".strip()
    finally:
        lane.close()
        found.done = True
