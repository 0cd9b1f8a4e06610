"""The split of own data on the Data page: what it can be, and what comes of it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from app.pages.data import fit, table_form
from app.pages.shared import split_form
from app.process import pool
from app.process.pool import PoolError
from app.services import data_guess, data_previews
from app.services.document import Document
from core.data import DataError, Unread, read_settings
from core.data.facts.metadata import read_known, was_read_before
from core.data.facts.split_words import split_in_words
from core.data.sources.custom_source import read_custom_source
from core.data.sources.label_settings import targets_of
from core.data.sources.source import Source
from core.data.table.column_kinds import CATEGORY

READ_S = 600.0


def ask(document: Document, data: dict[str, Any], names: Sequence[str], key: str) -> str:
    """Draw the form and what comes of it; return why that cannot be, "" where it can.

    names: columns of the table, or arrays of the file.
    """
    taken = {*targets_of(data, names)}
    taken |= set() if data["source"] == "CSV" else {*data.get("columns", ())}
    columns = [name for name in names if name not in taken]
    can = split_form.of_own(data["source"], columns, _times(data, columns), _source(data))
    split_form.ask(data, can, key, lambda by: _values_of(data, by))
    words, error = _outcome(document, data)
    split_form.result(words, error)
    return error


def _without_split(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name not in split_form.KEYS}


def _source(data: Mapping[str, Any]) -> Source | None:
    """What is known of the data; None before it was read, or where its settings do not fit."""
    for settings in (data, _without_split(data)):
        try:
            return read_settings(settings).source
        except DataError:  # shown below the form, or on the right, where the data is read
            continue
    return None


def _times(data: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    """Columns whose values have an order."""
    if data["source"] != "CSV":
        return list(columns)
    preview = table_form.look(dict(data))
    words = {c.name for c in (preview.columns if preview else ()) if c.kind == CATEGORY}
    return [name for name in columns if name not in words]


def _values_of(data: Mapping[str, Any], by: str) -> Mapping[str, int]:
    """The values of a column that names the parts, read where they are not known."""
    asked = {**_without_split(data), "split": "column", "split_by": by}
    if not _read(asked):
        try:
            given = read_custom_source(asked)
            known = read_known(given).layout["split"]["values"] if given else ()
        except DataError:  # it was never read: the button on the right reads it
            return {}
        return {str(value): rows for value, rows in known}
    return {}


def _read(data: Mapping[str, Any]) -> str:
    """Read own data that the user read before; why it cannot be read with this split."""
    try:
        given = read_custom_source(data)
        if given is None or not was_read_before(given):
            return ""
        read_known(given)
    except Unread:
        pass
    except DataError as error:
        return str(error)
    else:
        return ""
    try:
        with st.spinner("Reading the column"):
            size = data_guess.bytes_of(data)
            pool.read(size, data_previews.read, json.dumps(data, default=dict), timeout_s=READ_S)
    except PoolError as error:
        return str(error)
    return ""


def _outcome(document: Document, data: Mapping[str, Any]) -> tuple[str, str]:
    """What comes of the split, and why it cannot be; the latter only where the data is fine."""
    seed = document.project.training.get("seed", 0)
    shape = fit.input_shape(document) or (fit.SIDE,)
    error = _read(data) if data.get("split_by") else ""
    if not error:
        try:
            return split_in_words(read_settings(data, seed if type(seed) is int else 0), shape), ""
        except Unread:
            return "", ""
        except DataError as fault:
            error = str(fault)
    return "", error if _fits(_without_split(data)) else ""


def _fits(data: Mapping[str, Any]) -> bool:
    """Whether the data can be read with the usual split."""
    try:
        read_settings(data)
    except Unread:
        return was_read_before(read_custom_source(data))
    except DataError:
        return False
    return True
