"""Types of the columns of a table, changed in place: number, category, date or left out."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.services.table_preview import ColumnPreview, TablePreview
from core.data.table.column_kinds import CATEGORY, DATE, NUMBER
from core.data.table.read import fill_choices_of

MAX_COLUMNS = 40
"""A table with more columns gets one list of the columns to use."""
OUT = "out"
TITLES = {NUMBER: "Number", CATEGORY: "Category", DATE: "Date parts", OUT: "Leave out"}
TEXT = "Text (left out)"
LISTS = ("columns", "categories")


def ask(data: dict[str, Any], preview: TablePreview, targets: Sequence[str], key: str) -> bool:
    """Draw a choice for each column and store the changes; return whether there were any."""
    used = data.get("columns") or [name for name in preview.names if name not in targets]
    asked = [c for c in preview.columns if len(targets) == 1 or c.name not in targets]
    ordered = sorted(asked, key=lambda column: column.name not in targets)
    before = {name: data.get(name) for name in (*LISTS, "dates", "fill")}
    with st.expander("Column types", expanded=True, icon=":material/view_column:"):
        for column in ordered:
            now = column.kind if column.name in used or column.name in targets else OUT
            with st.container(gap=None):
                chosen = _choice(column, now, column.name in targets, key)
            if chosen != now:
                change(data, preview.names, column, chosen, targets)
    return before != {name: data.get(name) for name in before}


def _choice(column: ColumnPreview, now: str, target: bool, key: str) -> str:
    options = [*column.kinds.possible, *([] if target else [OUT])]
    options = options if now in options else [now, *options]
    titles = TITLES | ({OUT: TEXT} if column.kinds.text else {})
    name = escape_markdown(column.name, 60)
    chosen = st.selectbox(
        f"{name} (target)" if target else name,
        options,
        options.index(now),
        format_func=titles.__getitem__,
        key=f"{key}:kind:{column.name}:{now}",
    )
    why = column.kinds.why
    st.caption(escape_markdown(f"{why[:1].upper()}{why[1:]}", 200))
    return chosen


def change(
    data: dict[str, Any],
    names: Sequence[str],
    column: ColumnPreview,
    kind: str,
    targets: Sequence[str],
) -> None:
    """Store another type of a column in the data settings."""
    name, rest = column.name, [each for each in names if each not in targets]
    used = set(data.get("columns") or rest)
    used = used - {name} if kind == OUT else used | {name}
    columns = [each for each in rest if each in used]
    _put(data, "columns", columns if columns != rest else [])
    if kind == OUT:
        return
    classes = [each for each in data.get("categories", ()) if each != name]
    _put(data, "categories", [*classes, name] if kind == CATEGORY else classes)
    dates = {c: how for c, how in data.get("dates", {}).items() if c != name}
    if kind == DATE:
        dates[name] = {"format": column.kinds.form, "parts": list(column.kinds.parts)}
    _put(data, "dates", dates)
    if column.holes:
        possible = fill_choices_of(kind == CATEGORY, name in targets)
        now = data.get("fill", {}).get(name)
        _put(data, "fill", {**data.get("fill", {}), name: now if now in possible else possible[0]})


def _put(data: dict[str, Any], setting: str, value: Any) -> None:
    data.pop(setting, None)
    data.update({setting: value} if value else {})
