"""The row of a sweep in a list of runs: its trials are listed under it once it is opened."""

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import runs, state
from core.runs.rows import ListedRuns


def is_open(row: ListedRuns, place: str) -> bool:
    """Whether the trials of a sweep are listed. place: the list, such as "train"."""
    return state.value(_opened(place)) == row.key


def button(row: ListedRuns, place: str) -> None:
    """Draw the button that opens a sweep in a list, and closes it again."""
    opened = is_open(row, place)
    st.button(
        f"{escape_markdown(row.sweep, 40)} · {row.count}",
        icon=":material/expand_less:" if opened else ":material/expand_more:",
        key=f"fold_{place}_{row.key}",
        type="tertiary",
        help="Fold its trials" if opened else "Show its trials",
        on_click=state.keep,
        args=(_opened(place), "" if opened else row.key),
    )


def badges(row: ListedRuns) -> None:
    """Draw how many trials are in each state."""
    for name, count in row.states:
        word, colour, icon = runs.BADGES[name]
        words = word if count == len(row.views) else f"{count} {word.lower()}"
        st.badge(words, color=colour, icon=icon)


def _opened(place: str) -> str:
    return f"{place}_sweep_open"
