"""Downloading a data set: only on the button, in a thread of the server, with its progress."""

import threading
from dataclasses import dataclass

import streamlit as st

from app import pool
from app.pool import PoolError
from app.text import label
from core.data import Source, data_root
from core.data.here import is_here
from core.data.watch import size_of

MB = 1_000_000
LIMIT_S = 3600.0


@dataclass
class Download:
    """One download on its way: over when `done`; `error` says what went wrong."""

    done: bool = False
    error: str = ""


_lock = threading.Lock()
_under_way: dict[str, Download] = {}


def offer(source: Source) -> bool:
    """Say whether the data is here; otherwise draw its download button or its progress."""
    if is_here(source, data_root()):
        return True
    under_way = _under_way.get(source.name)
    if under_way is not None and not under_way.done:
        _progress(source)
        return False
    if under_way is not None and under_way.error:
        st.error(label(under_way.error, 400), icon=":material/error:")
    size = f"{source.download_bytes / MB:.0f} MB"
    st.caption(f"Not on this machine yet. It is downloaded once, by torchvision, about {size}.")
    if st.button(f"Download {source.name} ({size})", icon=":material/download:", key="download"):
        start(source.name)
        st.rerun()
    return False


@st.fragment(run_every=1.0)
def _progress(source: Source) -> None:
    under_way = _under_way.get(source.name)
    if under_way is None or under_way.done:
        st.rerun()
    here = _bytes_here(source)
    share = min(1.0, here / max(1, source.download_bytes))
    st.progress(
        share, f"Downloading {source.name}: {here / MB:.0f} of {source.download_bytes / MB:.0f} MB"
    )


def _bytes_here(source: Source) -> int:
    places = data_root().glob(f".{source.name}-*")
    return max((size_of(place) for place in places), default=0)


def start(name: str) -> None:
    """Begin a download unless it is under way."""
    with _lock:
        if name in _under_way and not _under_way[name].done:
            return
        _under_way[name] = Download()
    threading.Thread(target=_fetch, args=(name,), daemon=True).start()


def _fetch(name: str) -> None:
    download = _under_way[name]
    try:
        pool.fetch(name, LIMIT_S)
    except PoolError as error:
        download.error = f"{error.message} {error.hint}".strip()
    finally:
        download.done = True
