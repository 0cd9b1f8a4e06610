"""The form of the split: what decides which samples train, validate and test, and the shares."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import setting_widgets, state
from blocks.spec import Setting
from core.data.facts.row_split import names_parts
from core.data.sources.source import FILE_FOLDERS, Source
from core.data.sources.split_by import (
    BY_FOLDER,
    BY_NAME,
    IN_TIME,
    MODES,
    NAMED_PARTS,
    SPLIT,
    VALUES,
)
from core.data.sources.split_by import KEYS as SPLIT_KEYS
from core.data.sources.split_settings import MAKERS, PARTS, proportionate

KEYS = ("validation", *(setting.name for setting in PARTS), *SPLIT_KEYS)
"""Settings of the data that this form stores."""
VALIDATION = Setting(
    "validation",
    "float",
    "Share of the samples kept apart for validation; the network never trains on them.",
    0.2,
    low=0.01,
    high=0.99,
    title="Share of validation samples",
)
TITLES = {"random": "Random", "group": "By group", "time": "In time", "column": "By a column"}
HELP = (
    "**Random**: each sample is as likely to validate as any other.  \n"
    "**By group**: samples that belong together, such as those of one patient, stay in one part; "
    "else the network is tested on patients it knows.  \n"
    "**In time**: the latest samples validate, as when a forecast is made.  \n"
    "**By a column**: a column names the samples that validate."
)
ORDER = "Order of the rows"
PICTURES = {BY_FOLDER: "Sub-folder of the class", BY_NAME: "Series in the file name"}
GAP_HELP = (
    "What is left out between the parts, so that the last training sample does not give away the "
    "first one that validates: a number of rows, or a time such as 7 days or 12 hours."
)
UNTIL_HELP = (
    "Pictures whose names begin alike are one series. Empty: all before the last number, so that "
    "patient12_003.png is of the series patient12."
)
WHOLE = {setting.name: setting for setting in (*PARTS, *SPLIT)}


@dataclass(frozen=True)
class Splittable:
    """What this data can be split by.

    modes: that it can have. columns: that may hold groups or parts; times: those with an order.
    shares: whether a share for validation can be chosen. proportional: whether a random split
    keeps classes in proportion. pictures: whether files in folders are split.
    """

    modes: tuple[str, ...] = MODES[:1]
    columns: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    shares: bool = True
    proportional: bool = False
    pictures: bool = False


ValuesOf = Callable[[str], Mapping[str, int]]
"""The values of a column with their rows, {} where they are not known."""


def of_source(source: Source) -> Splittable:
    """What a ready-made data set can be split by: only what comes one after another, in time."""
    makers = bool(source.test or source.validation)
    ordered = source.kind in ("text", "series") and not makers
    modes = ("random", "time") if ordered else MODES[:1]
    return Splittable(modes, shares=not makers, proportional=proportionate(source))


def of_own(
    kind: str, columns: Sequence[str], times: Sequence[str], source: Source | None
) -> Splittable:
    """What own data can be split by. columns: all but the target; source: None where unread."""
    if kind in IN_TIME:
        return Splittable(("time",))
    modes = MODES if columns else ("random", "time")
    pictures = kind in FILE_FOLDERS
    if pictures or kind == "TextFolder":
        modes = MODES[:2] if pictures else MODES[:1]
    even = source is not None and proportionate(source)
    return Splittable(modes, tuple(columns), tuple(times), True, even, pictures)


def ask(
    data: dict[str, Any], can: Splittable, key: str, values_of: ValuesOf = lambda _: {}
) -> None:
    """Draw the form and store its values in the data; defaults are not stored."""
    opened = f"{key}:split_open"
    if state.value(opened) is None:
        state.keep(opened, any(data.get(name) is not None for name in KEYS[1:]))
    with st.expander("Split", expanded=bool(state.value(opened)), icon=":material/call_split:"):
        mode = _mode(data, can, key)
        found = _by(data, mode, can, key, values_of)
        for name in SPLIT_KEYS:
            data.pop(name, None)
        data.update(found)
        _shares(data, can, key)


def _mode(data: Mapping[str, Any], can: Splittable, key: str) -> str:
    saved = data.get("split", "random")
    modes = can.modes if saved in can.modes or saved not in MODES else (*can.modes, saved)
    if len(modes) == 1:
        return modes[0]
    words = TITLES | ({"random": "Random, classes in proportion"} if can.proportional else {})
    return st.selectbox(
        "Which samples validate",
        modes,
        modes.index(saved) if saved in modes else 0,
        format_func=words.__getitem__,
        key=f"{key}:split",
        help=HELP,
    )


def _by(
    data: Mapping[str, Any], mode: str, can: Splittable, key: str, values_of: ValuesOf
) -> dict[str, Any]:
    """The settings of this kind of split; those of a random one until they are complete."""
    seed = {"split_seed": data["split_seed"]} if data.get("split_seed") is not None else {}
    if mode == "random":
        return seed
    if mode == "time":
        chosen = {"split": mode} if len(can.modes) > 1 else {}
        return chosen | seed | _time(data, can, key)
    by = _pictures(data, key) if can.pictures else _column(data, mode, can, key)
    if not by:
        st.caption("Choose the column. Until then the split is random.")
        return seed
    if mode == "group":
        return {"split": mode} | by | seed
    values = _values(data, by["split_by"], key, values_of)
    return seed if values is None else {"split": mode} | by | seed | values


def _column(data: Mapping[str, Any], mode: str, can: Splittable, key: str) -> dict[str, Any]:
    saved = str(data.get("split_by") or "")
    options = [*can.columns] if saved in can.columns or not saved else [saved, *can.columns]
    title = "Column of the groups" if mode == "group" else "Column of the parts"
    column = st.selectbox(
        title,
        options,
        options.index(saved) if saved in options else None,
        key=f"{key}:split_by:{mode}",
        placeholder="Choose a column",
    )
    return {"split_by": column} if column else {}


def _pictures(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Ask what the pictures of one group share."""
    saved = data.get("split_by")
    options = list(PICTURES)
    by = st.selectbox(
        "Pictures of one group share the",
        options,
        options.index(saved) if saved in options else 1,
        format_func=PICTURES.__getitem__,
        key=f"{key}:split_by:pictures",
    )
    if by == BY_FOLDER:
        return {"split_by": by}
    until = st.text_input(
        "Series ends before",
        data.get("split_until") or "",
        key=f"{key}:split_until",
        placeholder="the last number",
        help=UNTIL_HELP,
    )
    return {"split_by": by} | ({"split_until": until} if until else {})


def _time(data: Mapping[str, Any], can: Splittable, key: str) -> dict[str, Any]:
    saved = str(data.get("split_by") or "")
    options = ["", *can.times]
    options += [saved] if saved not in options else []
    by = ""
    if len(options) > 1:
        by = st.selectbox(
            "Time is in",
            options,
            options.index(saved),
            format_func=lambda name: name or ORDER,
            key=f"{key}:split_by:time",
        )
    gap = st.text_input(
        "Gap between the parts",
        str(data.get("gap") or ""),
        key=f"{key}:gap",
        placeholder="none, or such as 7 days",
        help=GAP_HELP,
    ).strip()
    return ({"split_by": by} if by else {}) | ({"gap": _number(gap)} if gap else {})


def _number(text: str) -> int | str:
    return int(text) if text.isdecimal() else text


def _values(
    data: Mapping[str, Any], by: str, key: str, values_of: ValuesOf
) -> dict[str, Any] | None:
    """Ask which values validate and test, unless they say so; None until that is chosen."""
    saved = data.get(VALUES) if data.get("split_by") == by else None
    chosen: Mapping[str, Any] = saved if isinstance(saved, Mapping) else {}
    values = values_of(by)
    if not values or (names_parts(values) and not chosen):
        return {VALUES: chosen} if chosen else {}
    found: dict[str, list[str]] = {}
    for part in NAMED_PARTS[1:] if data.get("folds") else NAMED_PARTS:
        taken = {value for words in found.values() for value in words}
        before = [str(value) for value in chosen.get(part, ()) if str(value) in values]
        found[part] = st.multiselect(
            f"Values that {'validate' if part == 'validation' else part}",
            [value for value in values if value not in taken],
            [value for value in before if value not in taken],
            format_func=lambda value: f"{value} ({values[value]:,})",
            key=f"{key}:{VALUES}:{by}:{part}",
            placeholder="Choose one or more" if part == "validation" else "none",
        )
    kept = {part: words for part, words in found.items() if words}
    if "validation" in found and not kept.get("validation"):
        st.caption("Choose the values that validate. Until then the split is random.")
        return None
    return {VALUES: kept} if kept else {}


def _shares(data: dict[str, Any], can: Splittable, key: str) -> None:
    """Ask for the shares, the folds and the seed."""
    by_column = data.get("split") == "column"
    if can.shares and not data.get("folds"):
        _store(data, VALIDATION, key)
    if data.get("test") != MAKERS and not (by_column and data.get("test") is None):
        _store(data, WHOLE["test"], key)
    _store(data, WHOLE["folds"], key)
    if data.get("folds"):
        _store(data, WHOLE["fold"], key)
    else:
        data.pop("fold", None)
    if data.get("split") != "time":
        _store(data, WHOLE["split_seed"], key)


def _store(data: dict[str, Any], setting: Setting, key: str) -> None:
    value = data.get(setting.name, setting.default)
    answer = setting_widgets.ask(setting, value, f"{key}:{setting.name}")
    if answer is None or (answer == setting.default and setting.name not in data):
        data.pop(setting.name, None)
    else:
        data[setting.name] = answer


def result(words: str, error: str) -> None:
    """Show what comes of the split below its fields, or why it cannot be."""
    if error:
        st.error(escape_markdown(error, 500), icon=":material/call_split:")
    elif words:
        st.caption(escape_markdown(words, 300))
