"""The Learn page: what wings show there, one part at a time."""

from typing import Any

import streamlit as st

from app import wing
from app.pages.shared import state


def parts() -> list[Any]:
    """What wings show here, in order."""
    return sorted((part for _, part in wing.parts("learn")), key=lambda part: part.ORDER)


def render() -> None:
    """Draw the page."""
    shown = parts()
    with st.container(key="learn"):
        if any(part.whole_page() for part in shown):
            return
        st.title("Learn")
        _chosen(shown).show()


def _chosen(shown: list[Any]) -> Any:
    """Draw the choice between the parts, where there are several; return what was chosen."""
    names = [part.PART for part in shown]
    if len(names) < 2:
        return shown[0]
    kept = state.value("learn:part") or names[0]
    name = st.segmented_control(
        "Show",
        names,
        default=kept if kept in names else names[0],
        key="learn_part",
        label_visibility="collapsed",
        required=True,
    )
    state.keep("learn:part", name)
    return shown[names.index(name or names[0])]
