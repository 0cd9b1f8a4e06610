"""The form of the Shrink page: methods, their amounts, and epochs of fine-tuning."""

import shlex

import streamlit as st

from app.markdown import escape_markdown
from core.wings.shrink.catalogue import WAYS
from core.wings.shrink.way import EXTRA, Way

FIRST = ("onnx-int8", "structured", "unstructured")
"""Methods that are shown and ticked at first: one of each kind."""
KINDS = {"As a drawing, to open and train further": False, "As a file": True}
"""What a method makes: whether that is a file."""


def ask(run: str) -> tuple[list[str], int | None]:
    """Draw the form; return the ticked methods in the syntax of the command, and the epochs."""
    st.subheader("Methods")
    first = [way for way in WAYS.values() if way.name in FIRST]
    others = [way for way in WAYS.values() if way.name not in FIRST]
    words = {way.name: _way(run, way) for way in first}
    with st.expander(f"{len(others)} more methods", key=f"shrink:{run}:more"):
        for title, is_file in KINDS.items():
            st.caption(title)
            words |= {way.name: _way(run, way) for way in others if bool(way.ending) is is_file}
    chosen = [words[name] for name in WAYS if words[name]]
    missing = sorted({way.missing for way in WAYS.values() if way.missing})
    if missing:
        st.caption(f"{', '.join(missing)} is not installed. To install: `{EXTRA}`")
    trains = [
        name
        for name in (text.partition(":")[0] for text in chosen)
        if WAYS[name].epochs is not None
    ]
    return chosen, _epochs(run) if trains else None


def _way(run: str, way: Way) -> str:
    """Draw the tick of a method, with its amount if it has one; "" if it is not ticked."""
    ticked = st.checkbox(
        escape_markdown(way.title),
        value=way.name in FIRST,
        key=f"shrink:{run}:{way.name}",
        help=escape_markdown(way.about, 400),
        disabled=bool(way.missing),
    )
    if not ticked or way.missing:
        return ""
    if way.amount is None:
        return way.name
    share = st.slider(
        escape_markdown(way.amount.title),
        5,
        95,
        round(way.amount.default * 100),
        5,
        format="%d%%",
        key=f"shrink:{run}:{way.name}:amount",
    )
    return f"{way.name}:{share / 100:g}"


def _epochs(run: str) -> int:
    return int(
        st.number_input(
            "Epochs of fine-tuning",
            0,
            1000,
            3,
            key=f"shrink:{run}:epochs",
            help="After pruning, training continues with the settings of the run. "
            "With 0, open the drawing and train it yourself.",
        )
    )


def command(words: list[str]) -> str:
    """The command that does the same."""
    return " ".join(["layerloom", *(shlex.quote(word) for word in words)])
