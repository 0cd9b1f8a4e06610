"""The weights of classes on the Train form: none, balanced, or a number for each class."""

from typing import Any

import streamlit as st

from app.markdown import label
from core.data import DataInfo
from core.settings.class_weights import TASKS, count_of
from core.settings.schema import TRAINING

NONE, BALANCED, LISTED = "none", "balanced", "a number for each class"
HELP = next(setting.help for setting in TRAINING if setting.name == "class_weights")


def ask(training: dict[str, Any], info: DataInfo | None, key: str) -> None:
    """Draw the field where the loss can weigh classes, and keep what it says."""
    given = training.get("class_weights")
    loss = training.get("loss") or (info.losses[0] if info and info.losses else "")
    fits = info is not None and loss in TASKS.get(info.task, ())
    if given is None and not fits:
        return
    before = NONE if given is None else BALANCED if given == BALANCED else LISTED
    options = (NONE, BALANCED, LISTED)
    place = options.index(before)
    chosen = st.selectbox("Class weights", options, place, key=f"{key}:class_weights", help=HELP)
    if chosen == LISTED:
        training["class_weights"] = _listed(given, info, key)
    elif chosen == BALANCED:
        training["class_weights"] = BALANCED
    else:
        training.pop("class_weights", None)


def _listed(given: Any, info: DataInfo | None, key: str) -> list[float | str]:
    """One number for each class, as text; what is none goes on, for the check to name."""
    count = count_of(info) if info else 0
    values = list(given) if isinstance(given, list | tuple) else [1.0] * count
    shown = ", ".join(f"{v:g}" if isinstance(v, int | float) else str(v) for v in values)
    text = st.text_input("Weights of the classes", shown, key=f"{key}:class_weights:{count}")
    if info and info.task in ("classification", "labels"):
        st.caption(label(", ".join(info.classes), 160))
    return [_read(part) for part in text.split(",") if part.strip()]


def _read(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text.strip()
