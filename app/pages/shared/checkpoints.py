"""The choice of a checkpoint where a run is resumed or exported."""

from pathlib import Path

import streamlit as st

from core.runs.checkpoint_choice import choices

TITLES = {"last": "the newest", "previous": "the one before", "best": "the best weights"}


def select(folder: Path, first: str, key: str, but: tuple[str, ...] = ()) -> str:
    """Ask for a checkpoint of a run where there are several; `first` stands first, `but` are left
    out. Returns its name."""
    steps = {name: step for name, step in choices(folder) if name not in but}
    names = sorted(steps, key=lambda name: name != first)
    if len(names) < 2 or names[0] != first:
        return first

    def title(name: str) -> str:
        return f"step {steps[name]:,}: {TITLES.get(name, 'one of the best epochs')}"

    return st.selectbox(
        "Checkpoint", names, format_func=title, label_visibility="collapsed", width=260,
        key=f"{key}:{folder.name}", help="Which of the run's checkpoints is meant.",
    )  # fmt: skip
