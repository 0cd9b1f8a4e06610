"""Form for reading a table: separators, rows, missing values and dates."""

import json
from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.process import pool
from app.process.pool import PoolError
from app.services import data_guess, table_preview
from app.services.table_preview import ColumnPreview, TablePreview
from core.common.errors import DataError
from core.data.facts.metadata import was_read_before
from core.data.sources.custom_source import read_custom_source
from core.data.sources.label_settings import KEYS as LABEL_KEYS
from core.data.sources.label_settings import targets_of
from core.data.sources.paths import locate
from core.data.sources.table_settings import PARTS

READ_S = 600.0
READ_BY = (
    "source",
    "file",
    "target_column",
    *LABEL_KEYS,
    "columns",
    "categories",
    "encoding",
    "separator",
    "decimal",
    "thousands",
    "header",
    "first",
    "footer",
    "missing",
    "fill",
    "dates",
    "copies",
)
SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar", " ": "space"}
DECIMALS = {".": "point", ",": "comma"}
THOUSANDS = {
    "": "none",
    ",": "comma",
    ".": "point",
    "'": "apostrophe",
    " ": "space",
    "\u2019": "curly apostrophe",
    "\u00a0": "non-breaking space",
    "\u202f": "narrow non-breaking space",
    "\u2009": "thin space",
}
WAYS = {
    "mean": "Mean of the training samples",
    "median": "Median of the training samples",
    "most_frequent": "Most frequent value",
    "missing": 'A category "missing"',
    "drop": "Leave these rows out",
    "": "Not decided",
}
ROWS = {
    "header": ("Row of column names", "Counted from 1; 0 if there are none."),
    "first": ("First row of values", "The first row that is a sample."),
    "footer": ("Rows to skip at the end", "Such as totals, notes and sources."),
}


def look(data: dict[str, Any]) -> TablePreview | None:
    """The table as it is read now; None before the user reads it."""
    named = {name: data[name] for name in READ_BY if name in data}
    try:
        given = read_custom_source(named)
        if given is None or not was_read_before(given):
            return None
        status = locate(given.path, given.key).stat()
    except (DataError, OSError):
        return None
    try:
        return _looked(json.dumps(named, default=list), status.st_size, status.st_mtime_ns)
    except PoolError as error:
        return TablePreview(error=str(error))


@st.cache_data(max_entries=32, show_spinner="Reading the table")
def _looked(text: str, size: int, changed: int) -> TablePreview:
    """A table by its settings. size, changed: of the file, which tell one state from another."""
    return pool.run(table_preview.preview_table, json.loads(text), timeout_s=READ_S)


def ask(data: dict[str, Any], preview: TablePreview, key: str) -> None:
    """Draw the settings for reading the file, and store changes."""
    _missing_values(data, preview, key)
    _dates(data, preview, key)
    _copies(data, key)
    ask_file(data, preview, key)


def ask_file(data: dict[str, Any], preview: TablePreview, key: str) -> None:
    """Draw how the cells of the file are found, and store changes."""
    before = dict(data)
    decided = any(name in data for name in ("separator", "decimal", "thousands", "header"))
    with st.expander(
        "How the file is read",
        expanded=bool(preview.error) or decided,
        icon=":material/table_rows:",
    ):
        for sentence in preview.notes:
            st.caption(escape_markdown(sentence, 300))
        left, right = st.columns(2)
        with left:
            _choice(data, "separator", "Separator", SEPARATORS, preview.separator, key)
            _choice(data, "decimal", "Decimal separator", DECIMALS, preview.decimal, key)
            _choice(data, "thousands", "Thousands separator", THOUSANDS, preview.thousands, key)
        with right:
            for name, (title, help_) in ROWS.items():
                _row(data, name, title, help_, getattr(preview, name), key)
        _words(data, preview, key)
    if data != before:
        _judge(data)


def _copies(data: dict[str, Any], key: str) -> None:
    """Show that rows which repeat an earlier one are left out, as the data card does it."""
    if not data.get("copies"):
        return
    title = "Leave out rows that repeat an earlier one"
    if not st.checkbox(title, value=True, key=f"{key}:copies"):
        del data["copies"]


def _judge(data: dict[str, Any]) -> None:
    """Infer the columns again after the file is read in another way."""
    try:
        again = pool.run(data_guess.guess_again, data, timeout_s=READ_S)
    except PoolError:  # shown on the right, where the table is read
        return
    data.clear()
    data.update(again)


def _choice(
    data: dict[str, Any], name: str, title: str, options: dict[str, str], now: str, key: str
) -> None:
    values = list(options)
    chosen = st.selectbox(
        title,
        values,
        values.index(now) if now in values else 0,
        format_func=options.__getitem__,
        key=f"{key}:{name}:{now}",
    )
    if chosen != now:
        data[name] = chosen
        if name == "decimal" and data.get("thousands") == chosen:
            data.pop("thousands")


def _row(data: dict[str, Any], name: str, title: str, help_: str, now: int, key: str) -> None:
    value = int(st.number_input(title, 0, 1000, now, help=help_, key=f"{key}:{name}:{now}"))
    if value != now:
        data[name] = value
        if name == "header":
            data.pop("first", None)


def _words(data: dict[str, Any], preview: TablePreview, key: str) -> None:
    """Ask for the words that mean a missing value."""
    now = ", ".join(preview.missing)
    text = st.text_input(
        "Words that mean a missing value",
        now,
        key=f"{key}:missing:{now}",
        placeholder="unknown, -999",
        help="Separated by commas. Empty cells are always missing. Default: NA, NaN, null, ?, - "
        "and similar.",
    )
    words = [word.strip() for word in text.split(",") if word.strip()]
    if words != list(preview.missing):
        data.pop("missing", None)
        data |= {"missing": words} if words else {}


def _missing_values(data: dict[str, Any], preview: TablePreview, key: str) -> None:
    """Ask how to fill missing values, for each column that has some."""
    used = {*data.get("columns", preview.names), *targets_of(data, preview.names)}
    holes = [column for column in preview.columns if column.holes and column.name in used]
    fill = {c: how for c, how in data.get("fill", {}).items() if c in {h.name for h in holes}}
    open_ = [column for column in holes if fill.get(column.name) not in column.ways]
    if open_ and st.button(
        "Fill all missing values",
        key=f"{key}:fill_all",
        type="primary",
        icon=":material/format_color_fill:",
    ):
        fill |= {column.name: column.ways[0] for column in open_}
    for column in holes:
        if how := _way(column, fill.get(column.name, ""), key):
            fill[column.name] = how
    data.pop("fill", None)
    data |= {"fill": fill} if fill else {}


def _way(column: ColumnPreview, now: str, key: str) -> str:
    options = list(column.ways) if now in column.ways else ["", *column.ways]
    values = "value" if column.holes == 1 else "values"
    title = (
        f"{escape_markdown(column.name, 60)}: {column.holes:,} missing {values}, first in row "
        f"{column.first}"
    )
    index = options.index(now) if now in options else 0
    return st.selectbox(
        title, options, index, format_func=WAYS.__getitem__, key=f"{key}:fill:{column.name}:{now}"
    )


def _dates(data: dict[str, Any], preview: TablePreview, key: str) -> None:
    """Ask for the numbers that replace a date, and its format if several fit."""
    used = data.get("columns", preview.names)
    dates = {name: dict(how) for name, how in data.get("dates", {}).items()}
    for column in preview.columns:
        if column.kind != "date" or column.name not in used:
            continue
        name, form = escape_markdown(column.name, 60), column.form
        if len(column.forms) > 1:
            form = st.selectbox(
                f"Format of {name}",
                column.forms,
                column.forms.index(form) if form in column.forms else 0,
                key=f"{key}:form:{column.name}",
            )
        parts = st.multiselect(
            f"{name} becomes",
            PARTS,
            column.parts,
            key=f"{key}:parts:{column.name}",
            help="days: days since 1970, with a fraction for the time. weekday: 0 is Monday.",
        )
        if parts and (tuple(parts), form) != (column.parts, column.form):
            dates[column.name] = {"format": form, "parts": list(parts)}
    data.pop("dates", None)
    data |= {"dates": dates} if dates else {}
