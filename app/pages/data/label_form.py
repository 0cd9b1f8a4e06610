"""Form of a target with several labels: further columns of 0 and 1, or the sign between labels."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from app.process import pool
from app.process.pool import PoolError
from app.services import data_guess
from app.services.table_preview import TablePreview
from core.data.sources.label_settings import targets_of

READ_S = 600.0
WORDS = {"": "One answer in a cell", " ": "blank"}
COLUMNS = (
    "Each is a label that a row has (1, yes) or has not. Where each row has exactly one of them, "
    "they are read as one class."
)


def ask(data: dict[str, Any], preview: TablePreview, key: str) -> None:
    """Draw what the chosen target allows, and store changes: the settings are guessed again."""
    targets = list(targets_of(data, preview.names))
    labels = [column.name for column in preview.columns if column.label]
    signs = next((c.separators for c in preview.columns if c.name == targets[0]), ())
    if targets[0] in labels and len(labels) > 1:
        _ask_columns(data, targets, labels, key)
    elif signs or data.get("label_separator"):
        _ask_separator(data, targets[0], signs, key)


def _ask_columns(data: dict[str, Any], targets: list[str], labels: list[str], key: str) -> None:
    rest = [name for name in labels if name != targets[0]]
    chosen = st.multiselect(
        "Further labels",
        rest,
        [name for name in targets[1:] if name in rest],
        key=f"{key}:labels:{targets[0]}",
        help=COLUMNS,
        placeholder="None: one target",
    )
    if chosen != targets[1:]:
        wanted = [targets[0], *chosen]
        guess_again(data, targets[0], {"target_columns": wanted} if chosen else {})


def _ask_separator(data: dict[str, Any], target: str, signs: Sequence[str], key: str) -> None:
    now = data.get("label_separator", "")
    options = list(dict.fromkeys(["", *signs, *([now] if now else [])]))
    chosen = st.selectbox(
        "Labels in a cell",
        options,
        options.index(now),
        format_func=lambda sign: WORDS.get(sign) or f"parted by {sign}",
        key=f"{key}:separator:{target}",
        help="Several labels of a row may stand in one cell, with a sign between them. An empty "
        "cell then has none.",
    )
    if chosen != now:
        guess_again(data, target, {"label_separator": chosen} if chosen else {})


def guess_again(data: dict[str, Any], target: str, labels: Mapping[str, Any]) -> None:
    """Guess the settings again for other targets; the user's own choices stay."""
    try:
        size = data_guess.bytes_of(data)
        given = dict(labels)
        found = pool.read(size, data_guess.with_target, data, target, given, timeout_s=READ_S)
    except PoolError:  # shown on the right, where the table is read
        return
    data.clear()
    data.update(found)
