"""The choice of a checkpoint to resume or export."""

from pathlib import Path

import streamlit as st

from core.runs.checkpoint_choice import choices

TITLES = {"last": "Last weights", "previous": "Previous weights", "best": "Best weights"}


def select(folder: Path, first: str, key: str, but: tuple[str, ...] = ()) -> str:
    """Draw the choice of a checkpoint if there are several, `first` on top, without those in `but`.

    Returns its name.
    """
    steps = {name: step for name, step in choices(folder) if name not in but}
    names = sorted(steps, key=lambda name: name != first)
    if len(names) < 2 or names[0] != first:
        return first

    def title(name: str) -> str:
        return f"{TITLES.get(name, 'One of the best epochs')}, step {steps[name]:,}"

    return st.selectbox(
        "Checkpoint",
        names,
        format_func=title,
        label_visibility="collapsed",
        width=260,
        key=f"{key}:{folder.name}",
        help="The checkpoint to use.",
    )
