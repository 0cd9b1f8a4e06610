"""The form of texts with a class each: their columns, and how texts are cut into tokens."""

from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.data import label_form
from app.pages.shared import glossary, setting_widgets
from blocks.spec import Setting
from core.data.sources.custom_source import LAYOUT_KEYS
from core.data.sources.label_settings import KEYS as LABEL_KEYS
from core.data.sources.label_settings import targets_of
from core.data.sources.text_settings import (
    FEWEST,
    LEAST,
    MOST,
    MOST_LEAST,
    USUAL,
    WAYS,
)

SETTINGS = (
    Setting(
        "tokens",
        "choice",
        "What a text is cut into. Letters suit names, codes, and scripts without blanks.",
        WAYS[0],
        choices=WAYS,
        title="Tokens",
    ),
    Setting(
        "vocabulary",
        "int",
        "The most tokens that the network knows: the most frequent of the training samples.",
        USUAL,
        low=FEWEST,
        high=MOST,
        title="Size of the vocabulary",
    ),
    Setting(
        "min_count",
        "int",
        "How often the training samples must have a token. All others are <unknown>.",
        LEAST,
        low=1,
        high=MOST_LEAST,
        title="Least count of a token",
    ),
    Setting("lower", "bool", "Read capitals as small letters.", True, title="Small letters"),
)


def offer_texts(data: dict[str, Any], columns: tuple[str, ...], key: str) -> bool:
    """Offer to learn from the free text of a table; True where that was chosen."""
    targets = targets_of(data, ())
    columns = tuple(column for column in columns if column not in targets)
    if not columns:
        return False
    named = escape_markdown(", ".join(columns), 60)
    words = (
        f"Reads {', '.join(columns)} as text and leaves out the other columns: a network reads "
        "either numbers and categories, or text."
    )
    if not st.button(f"Learn from the text: {named}", key=f"{key}:as_texts", help=words):
        return False
    names = ("file", "target_column", *LABEL_KEYS, *LAYOUT_KEYS)
    kept = {name: data[name] for name in names if name in data}
    data.clear()
    data.update({"source": "TextCSV", **kept, "columns": list(columns)})
    return True


def ask(data: dict[str, Any], names: list[str], key: str) -> None:
    """Ask for target, columns of text and tokens; defaults are not stored."""
    if names:
        _ask_columns(data, names, key)
    for setting in SETTINGS:
        value = data.get(setting.name, setting.default)
        answer = setting_widgets.ask(setting, value, f"{key}:texts:{setting.name}")
        _put(data, setting.name, answer, setting.default)


def _ask_columns(data: dict[str, Any], names: list[str], key: str) -> None:
    before = [name for name in targets_of(data, names) if name in names] or names[-1:]
    where, words = f"{key}:target:texts", glossary.WORDS["Target"]
    target = st.selectbox("Target", names, names.index(before[0]), key=where, help=words)
    rest = [name for name in names if name != target]
    further = [] if target != before[0] else [name for name in before[1:] if name in rest]
    if "label_separator" not in data:
        further = _ask_labels(rest, further, f"{key}:texts:{target}")
    _put(data, "target_columns", [target, *further] if further else [], [])
    _put(data, "target_column", "" if further else target, names[-1])
    rest = [name for name in rest if name not in further]
    chosen = [name for name in data.get("columns", rest) if name in rest]
    columns = st.multiselect("Columns of text", rest, chosen, key=f"{key}:texts:{target}")
    _put(data, "columns", columns, rest if len(rest) == 1 else [])


def _ask_labels(rest: list[str], further: list[str], key: str) -> list[str]:
    """Ask for further columns of 0 and 1, each of which is a label beside the target."""
    return st.multiselect(
        "Further labels",
        rest,
        further,
        key=f"{key}:labels",
        help=label_form.COLUMNS,
        placeholder="None: one target",
    )


def _put(data: dict[str, Any], name: str, value: Any, usual: Any) -> None:
    """Store a setting unless it is the default."""
    data.pop(name, None)
    if value not in (None, [], "") and value != usual:
        data[name] = value
