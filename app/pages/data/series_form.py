"""Form of a table whose rows may be steps in time: what is predicted, from how many rows."""

from dataclasses import replace
from typing import Any

import streamlit as st

from app.pages.data import table_form
from app.pages.shared import markup, setting_widgets
from app.process import pool
from app.process.pool import PoolError
from app.services import data_guess
from app.services.table_preview import TablePreview
from blocks.spec import Setting
from core.data.sources.series_settings import AHEAD, MOST_AHEAD, MOST_WINDOW, WINDOW
from core.data.sources.table_settings import KEYS as SPELLED

ROWS = {"CSV": "a sample", "SeriesCSV": "a step in time"}
NO_DATE = "none: rows are in order"
SIZES = (
    Setting(
        "window",
        "int",
        "How many rows the network reads before what it predicts, such as two seasons.",
        WINDOW,
        low=1,
        high=MOST_WINDOW,
        title="Rows of a window",
    ),
    Setting(
        "ahead",
        "int",
        "How many rows after the window it predicts the target of.",
        AHEAD,
        low=1,
        high=MOST_AHEAD,
        title="Rows to predict",
    ),
)


def choose(data: dict[str, Any], key: str) -> bool:
    """Ask what a row of a table is, where it may be a step in time, and draw the form of a series;
    False for other data."""
    kind = data["source"]
    preview = _looked(data) if kind in ROWS else None
    if preview is None or not (preview.in_time or preview.error or kind == "SeriesCSV"):
        return False
    chosen = st.segmented_control(
        "Each row is",
        list(ROWS),
        default=kind,
        format_func=ROWS.__getitem__,
        key=f"{key}:rows:{kind}",
        required=True,
        help="Rows in time are split in time: the network learns from the earlier ones and is "
        "tried on the later ones, and predicts the next values of a column.",
    )
    if chosen != kind:
        _read_as(data, str(chosen))
    if data["source"] != "SeriesCSV":
        return False
    _ask(data, key)
    return True


def _looked(data: dict[str, Any]) -> TablePreview | None:
    """The table as it is read now, whatever its rows are; None before the user reads it."""
    target = ("target_column",) if data["source"] == "CSV" else ()
    names = ("file", *target, *SPELLED)
    plain = {name: data[name] for name in names if name in data and name != "fill"}
    return table_form.look({"source": "CSV", **plain})


def _read_as(data: dict[str, Any], kind: str) -> None:
    """Guess the settings again for rows of another kind; shares of the split stay."""
    try:
        size = data_guess.bytes_of(data)
        found = pool.read(size, data_guess.read_as, data, kind, timeout_s=table_form.READ_S)
    except PoolError as error:
        st.error(str(error), icon=":material/error:")
        return
    data.clear()
    data.update(found)


def _ask(data: dict[str, Any], key: str) -> None:
    preview = _looked(data)
    if preview is None:
        return
    numbers = [column.name for column in preview.columns if column.kind == "number"]
    if numbers:
        _date(data, preview, key)
        _columns(data, [name for name in numbers if name != data.get("date_column")], key)
    for setting in SIZES:
        value = data.get(setting.name, setting.default)
        answer = setting_widgets.ask(setting, value, f"{key}:series:{setting.name}:{value}")
        if answer != value:
            data[setting.name] = answer
    table_form.ask_file(data, replace(preview, notes=()), key)  # they are of columns as inputs


def _date(data: dict[str, Any], preview: TablePreview, key: str) -> None:
    """Ask for the column that orders the rows, and how its dates are written if that is open."""
    choices, saved = [NO_DATE, *preview.names], data.get("date_column", NO_DATE)
    index = choices.index(saved) if saved in choices else 0
    date = st.selectbox("Date column", choices, index, key=f"{key}:date")
    data.pop("date_column", None)
    if date == NO_DATE:
        return
    data["date_column"] = date
    column = next(column for column in preview.columns if column.name == date)
    if len(column.forms) < 2:
        return
    at = column.forms.index(column.form) if column.form in column.forms else 0
    form = st.selectbox("Format of the dates", column.forms, at, key=f"{key}:form:{date}")
    if form != column.form:
        data["dates"] = {date: {"format": form, "parts": ["days"]}}


def _columns(data: dict[str, Any], numbers: list[str], key: str) -> None:
    """Ask for the target and for what a window holds of each row."""
    saved = data.get("target_column", numbers[-1])
    index = numbers.index(saved) if saved in numbers else len(numbers) - 1
    target = st.selectbox("Target", numbers, index, key=f"{key}:series:target")
    data.pop("target_column", None)
    if target != numbers[-1]:
        data["target_column"] = target
    used = [name for name in data.get("columns", numbers) if name in numbers]
    columns = st.multiselect("Columns of a window", numbers, used, key=f"{key}:series:columns")
    data.pop("columns", None)
    if columns and columns != numbers:
        data["columns"] = columns


def about_split() -> None:
    """Say how a series is split."""
    markup.prose(
        "The split is in time: the last rows validate. No window of the training part holds one "
        "of them; the first windows that validate read back into the training rows. Mean and "
        "standard deviation are computed on the training samples.",
        small=True,
    )
