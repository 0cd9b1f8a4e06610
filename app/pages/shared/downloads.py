"""Downloading a data set: only on the button, in a thread of the server, with its progress."""

import streamlit as st

from app.markdown import escape_markdown
from app.process import pool
from app.process.background import Background
from app.services.calls import files
from core.data import Source, data_root
from core.data.builtin.download_progress import size_of
from core.data.builtin.downloads import is_here

MB = 1_000_000
LIMIT_S = 3600.0


def offer(source: Source) -> bool:
    """Return whether the data is here; otherwise draw its download button or progress."""
    if is_here(source, data_root()):
        return True
    if _downloads.running(source.name):
        _progress(source)
        return False
    if error := _downloads.error(source.name):
        st.error(escape_markdown(error, 400), icon=":material/error:")
    size = f"{source.download_bytes / MB:.0f} MB"
    st.caption(f"Not on this machine yet. torchvision downloads it once (about {size}).")
    if st.button(f"Download {source.name} ({size})", icon=":material/download:", key="download"):
        _downloads.start(source.name)
        st.rerun()
    return False


@st.fragment(run_every=1.0)
def _progress(source: Source) -> None:
    if not _downloads.running(source.name):
        st.rerun()
    here = _bytes_downloaded(source)
    share = min(1.0, here / max(1, source.download_bytes))
    st.progress(
        share, f"Downloading {source.name}: {here / MB:.0f} of {source.download_bytes / MB:.0f} MB"
    )


def _bytes_downloaded(source: Source) -> int:
    folders = data_root().glob(f".{source.name}-*")
    return max((size_of(folder) for folder in folders), default=0)


def _fetch(name: str) -> None:
    pool.alone("The download", files.download, name, timeout_s=LIMIT_S)


_downloads = Background(_fetch)
