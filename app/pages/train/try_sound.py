"""A sound of one's own for a trained network: recorded in the page, or a file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.process import pool
from app.process.pool import PoolError
from app.services.calls import sample
from core.data.pictures.layout import SOUNDS
from core.data.sources.source import SOUND_FOLDER
from core.runs.files import read_json
from core.runs.listing import RunView

LIMIT_S = 120.0
SHOWN = 5
MEDIA = "audio/wav"
"""Of every sound: how it is written is told from its bytes."""


def show(view: RunView) -> None:
    """Draw both ways to give a sound, and what the network says of it; nothing for other data."""
    data = read_json(view.dir / "spec.json").get("data", {})
    if not isinstance(data, Mapping) or data.get("source") != SOUND_FOLDER:
        return
    st.subheader("Try a sound", anchor=False)
    spoken, chosen = st.columns(2)
    with spoken:
        recorded = st.audio_input("Record one", key=f"record:{view.name}")
    with chosen:
        endings = [ending.removeprefix(".") for ending in SOUNDS.endings]
        file = st.file_uploader("Or choose a file", endings, key=f"sound:{view.name}")
    for given, title in ((file, file.name if file else ""), (recorded, "Your recording")):
        if given is not None:
            _answer(view.dir, title, given.getvalue())


def _answer(run_dir: Path, title: str, content: bytes) -> None:
    try:
        with st.spinner("Listening"):
            found = pool.call(sample.answer, str(run_dir), MEDIA, content, timeout_s=LIMIT_S)
    except PoolError as error:
        st.error(escape_markdown(f"{title}: {error}", 400), icon=":material/error:")
        return
    for said in found.values():
        _say(title, said)


def _say(title: str, said: Mapping[str, Any]) -> None:
    """The class, and how sure the network is of it and of others."""
    shares = said.get("probabilities")
    if not isinstance(shares, Mapping):
        st.json(said)
        return
    st.markdown(f"**{escape_markdown(str(said['class']), 80)}** · {escape_markdown(title, 80)}")
    ranked = sorted(shares.items(), key=lambda pair: -(pair[1] or 0))
    for name, share in ranked[:SHOWN]:
        st.progress(float(share or 0), f"{escape_markdown(str(name), 80)} {share or 0:.1%}")
