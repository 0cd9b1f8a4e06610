"""Form of a folder of sounds: what a network reads of them, and how long they are."""

from typing import Any

import streamlit as st

from app.pages.shared import setting_widgets
from blocks.spec import Setting
from core.data.sources.sound_settings import (
    FEWEST_MELS,
    FORMS,
    HIGHEST_RATE,
    LONGEST,
    LOWEST_RATE,
    MELS,
    MOST_MELS,
    SHORTEST,
)

TITLES = {"spectrogram": "a spectrogram", "wave": "its wave"}
LENGTH = (
    Setting(
        "seconds",
        "float",
        "Shorter sounds are filled up with silence, longer ones are cut off. Empty: the length "
        "that 95 of 100 files do not exceed, at most 10 seconds.",
        None,
        low=SHORTEST,
        high=LONGEST,
        optional=True,
        title="Seconds",
    ),
    Setting(
        "rate",
        "int",
        "Samples a second; sounds with others are resampled. Pitch up to half of it is kept. "
        "Empty: that of most files, at most 16,000.",
        None,
        low=LOWEST_RATE,
        high=HIGHEST_RATE,
        optional=True,
        title="Sampling rate",
    ),
)
BANDS = Setting(
    "mels",
    "int",
    "How many bands of pitch a spectrogram has. They are evenly spaced as the ear hears pitch.",
    MELS,
    low=FEWEST_MELS,
    high=MOST_MELS,
    title="Bands of pitch",
)


def ask(data: dict[str, Any], key: str) -> None:
    """Draw the form and store its values in the data; defaults are not stored."""
    form = st.segmented_control(
        "The network reads of each sound",
        list(FORMS),
        default=data.get("form", FORMS[0]),
        format_func=TITLES.__getitem__,
        key=f"{key}:form",
        required=True,
        help="A spectrogram is a picture of how loud each pitch is at each time. The wave is the "
        "sound itself, many thousand numbers a second.",
    )
    _put(data, "form", form, FORMS[0])
    bands = (BANDS,) if form == FORMS[0] else ()
    for setting in (*LENGTH, *bands):
        answer = setting_widgets.ask(
            setting, data.get(setting.name, setting.default), f"{key}:sound:{setting.name}"
        )
        _put(data, setting.name, answer, setting.default)
    if not bands:
        data.pop("mels", None)
    skip = st.toggle(
        "Leave out sounds that cannot be read",
        data.get("skip_corrupt", False),
        f"{key}:skip",
        "If off, one of them stops training. If on, each sound is read whole to find them.",
    )
    _put(data, "skip_corrupt", skip, False)


def _put(data: dict[str, Any], name: str, value: Any, usual: Any) -> None:
    data.pop(name, None)
    if value != usual:
        data[name] = value
