"""What a person fills in for a row of a table: numbers, and categories as choices.

The drawing's own sample, the exported web page and the server read this one description. No torch.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.data.facts.info import DataInfo
from core.data.sources.table_settings import FILLED, OTHER

MOST_LEFT_OUT = 20  # rows above a table that are named


@dataclass(frozen=True)
class InputField:
    """One value of a table's row that a person gives. places: in the row that the Input receives;
    words: its categories, one place for each; none for a number.

    fill: what its places hold where the value is missing, in the data's own numbers, and rule: what
    that is (mean, median, most_frequent, missing); none where a value is needed. missing: the words
    that stand for a missing value in the file. date: the format of a date, parts: the numbers made
    of it, one place for each. decimal, thousands, symbol, minus: how numbers are written in the
    file, "" for plainly. others: its further categories, of which the Input receives nothing.
    """

    name: str
    places: tuple[int, ...]
    words: tuple[str, ...] = ()
    fill: tuple[float, ...] = ()
    rule: str = ""
    missing: tuple[str, ...] = ()
    date: str = ""
    parts: tuple[str, ...] = ()
    decimal: str = ""
    thousands: str = ""
    symbol: str = ""
    minus: str = ""
    others: tuple[str, ...] = ()


def row_fields(
    info: DataInfo, picks: tuple[int, ...], fillers: Sequence[float] = ()
) -> tuple[InputField, ...]:
    """What a person fills in, in the file's own words: a category or a date of a CSV file is one
    field, however many numbers are made of it.

    fillers: what fills the missing values of each column, as `Dataset.fillers` has it.
    """
    at = {pick: place for place, pick in enumerate(picks)}
    names = info.origin.columns or tuple(f"column {i + 1}" for i in range(info.sample_shape[0]))
    columns: list[Mapping[str, Any]] = list(info.layout.get("columns", ()))
    found: list[InputField] = []
    start = 0
    for column in columns or [{"name": name, "words": ()} for name in names]:
        words, parts = tuple(column["words"]), tuple(column.get("parts", ()))
        places = range(start, start + max(1, len(words), len(parts)))
        start = places.stop
        if had := [place for place in places if place in at]:
            own = tuple(at[place] for place in had)
            field = _field(column, own, tuple(place - places.start for place in had))
            found.append(_with_fill(field, column, had, fillers))
    return tuple(found)


def table_file(info: DataInfo) -> dict[str, Any]:
    """How the rows of a table's own file are written; {} for what is no such file."""
    layout = info.layout
    if "all" not in layout or not {"labels", "target"} & layout.keys():
        return {}
    above = list(layout.get("above", ()))[:MOST_LEFT_OUT]
    return {
        "separator": layout["delimiter"],
        "encoding": layout["encoding"],
        "columns": list(layout["all"]),
        "targets": [column["name"] for column in target_columns(layout)],
        "left_out": [text for _, text in (*above, *layout.get("below", ())) if text],
    }


def target_columns(layout: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The columns of a file that hold what is predicted: several of labels, else one."""
    return layout["labels"]["columns"] if "labels" in layout else [layout["target"]]


def text_columns(info: DataInfo, node: str) -> tuple[str, ...]:
    """The columns of a table of texts to predict: those of its file; one called like the Input for
    a folder of texts, () for what is no text with a class."""
    if not info.origin.cut_by:
        return ()
    names = info.layout.get("all", ())
    return tuple(names[place] for place in info.layout.get("texts", ())) or (node,)


def _field(column: Mapping[str, Any], own: tuple[int, ...], had: tuple[int, ...]) -> InputField:
    """A date, a category, or a number with its spelling where that is not plain. had: which of the
    numbers that are made of it the Input receives."""
    name, words, parts = column["name"], tuple(column["words"]), column.get("parts", ())
    if parts:
        return InputField(name, own, date=column["date"], parts=tuple(parts[i] for i in had))
    if words:
        others = tuple(word for i, word in enumerate(words) if i not in had)
        return InputField(name, own, tuple(words[i] for i in had), others=others)
    spelling = {key: column.get(key, "") for key in ("thousands", "symbol", "minus")}
    return InputField(name, own, decimal=column.get("decimal", "").replace(".", ""), **spelling)


def _with_fill(
    field: InputField, column: Mapping[str, Any], places: Sequence[int], fillers: Sequence[float]
) -> InputField:
    """The field with what fills it, where the run filled missing values of its column."""
    rule, missing = column.get("fill", ""), tuple(column.get("missing", ()))
    if not missing:
        return field
    fill: tuple[float, ...] = ()
    if rule == OTHER and OTHER in (*field.words, *field.others):
        fill = tuple(float(word == OTHER) for word in field.words)
    elif rule in FILLED and fillers:
        fill = tuple(fillers[place] for place in places)
    if not fill or not all(map(math.isfinite, fill)):
        return field
    return replace(field, fill=fill, rule=rule, missing=missing)
