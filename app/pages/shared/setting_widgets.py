"""One Streamlit widget from one declared setting: the form follows the declaration."""

import sys
from collections.abc import Callable
from typing import Any

import streamlit as st

from app.pages.shared import glossary
from blocks.spec import REQUIRED, Setting

NONE = "none"


def title(setting: Setting) -> str:
    """The title of a setting in a form, with its unit if the title does not name it."""
    if setting.title:
        return setting.title
    words = setting.name.replace("_", " ").capitalize()
    named = not setting.unit or setting.unit in words.lower()
    return words if named else f"{words} ({setting.unit})"


def _help(setting: Setting) -> str | None:
    """Help of the setting, with the glossary terms in its title."""
    return glossary.explained(title(setting), first=setting.help)


def ask(
    setting: Setting,
    value: Any,
    key: str,
    choices: tuple[str, ...] = (),
    words: Callable[[str], str] = str,
) -> Any:
    """Draw the widget of a setting with its present value; return its new value.

    choices: a subset of the declared choices; words: their labels. None stands for "none" in an
    optional setting.
    """
    shown = _start(setting) if value is None and not setting.optional else value
    if setting.kind == "choice":
        return _choose(setting, shown, key, choices or setting.choices, words)
    if setting.kind == "bool":
        return st.toggle(title(setting), bool(shown), key, _help(setting))
    if setting.kind == "dims" or setting.length or setting.optional or setting.several:
        return _write(setting, shown, key)
    return _number(setting, shown, key)


def _start(setting: Setting) -> Any:
    return setting.low if setting.default is REQUIRED else setting.default


def _choose(
    setting: Setting, value: Any, key: str, choices: tuple[str, ...], words: Callable[[str], str]
) -> Any:
    options = [NONE, *choices] if setting.optional else list(choices)
    chosen = value if value is not None else NONE
    index = options.index(chosen) if chosen in options else 0
    answer = st.selectbox(title(setting), options, index, words, key=key, help=_help(setting))
    return None if answer == NONE and setting.optional else answer


def _number(setting: Setting, value: Any, key: str) -> Any:
    plain = value if _is_number(value) else _start(setting)
    if setting.kind != "int":
        text = st.text_input(title(setting), f"{plain:g}", key=key, help=_help(setting))
        return _read(text)
    low = 1 - 2**53 if setting.low is None else int(setting.low)
    high = 2**53 - 1 if setting.high is None else int(setting.high)
    within = min(max(int(plain), low), high)
    return st.number_input(title(setting), low, high, within, 1, key=key, help=_help(setting))


def _is_number(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and abs(value) <= sys.float_info.max  # which NaN is not, nor a longer integer


def _write(setting: Setting, value: Any, key: str) -> Any:
    """A list, or a number that may be left out, as text."""
    listed = value if isinstance(value, list | tuple) else [] if value is None else [value]
    text = st.text_input(
        title(setting),
        ", ".join(f"{item:g}" for item in listed if _is_number(item)),
        key=key,
        help=_help(setting),
        placeholder=NONE if setting.optional else "",
    )
    if not text.strip() and setting.optional:
        return None
    parts = [_read(part) for part in text.split(",")]
    listed = setting.kind == "dims" or setting.length or (setting.several and len(parts) > 1)
    return parts if listed else parts[0]


def _read(text: str) -> int | float | str:
    """Read a typed number; text that is not a number is left for the check of the settings."""
    plain = text.strip().replace("_", "")
    try:
        return int(plain) if plain.lstrip("+-").isdecimal() else float(plain)
    except ValueError:
        return plain
