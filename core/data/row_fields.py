"""What a person fills in for a row of a table: numbers, and categories as choices.

The drawing's own sample, the exported web page and the server read this one description. No torch.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.data.info import DataInfo
from core.data.table_settings import FILLED, OTHER


@dataclass(frozen=True)
class InputField:
    """One value of a table's row that a person gives. places: in the row that the Input receives;
    words: its categories, one place for each; none for a number.

    fill: what its places hold where the value is missing, in the data's own numbers, and rule: what
    that is (mean, median, most_frequent, missing); none where a value is needed. missing: the words
    that stand for a missing value in the file. date: the format of a date, parts: the numbers made
    of it, one place for each. decimal, thousands, symbol, minus: how numbers are written in the
    file, "" for plainly.
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


def row_fields(
    info: DataInfo, picks: tuple[int, ...], fillers: Sequence[float] = (), dates: bool = False
) -> tuple[InputField, ...]:
    """What a person fills in: a category of a CSV file is one field, however many columns it is.

    fillers: what fills the missing values of each column, as `Dataset.fillers` has it. dates: a
    date is one field, in the file's own words, however many numbers are made of it.
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
        if parts and dates:
            found += _date(column, places, at, fillers)
        elif not parts and all(place in at for place in places):
            own = tuple(at[place] for place in places)
            found.append(_with_fill(_spelled(column, own, words), column, places, fillers))
        else:
            found += [
                _with_fill(InputField(names[p], (at[p],)), column, [p], fillers)
                for p in places
                if p in at
            ]
    return tuple(found)


def _date(
    column: Mapping[str, Any], places: range, at: Mapping[int, int], fillers: Sequence[float]
) -> list[InputField]:
    """A date as one field, of the parts that the Input receives; none where it receives none."""
    had = [place for place in places if place in at]
    if not had:
        return []
    parts = tuple(column["parts"][place - places.start] for place in had)
    own = tuple(at[place] for place in had)
    field = InputField(column["name"], own, date=column["date"], parts=parts)
    return [_with_fill(field, column, had, fillers)]


def _spelled(column: Mapping[str, Any], own: tuple[int, ...], words: tuple[str, ...]) -> InputField:
    """A category, or a number with its spelling where that is not plain."""
    keys = ("thousands", "symbol", "minus")
    spelling = {} if words else {key: column.get(key, "") for key in keys}
    decimal = "" if words else column.get("decimal", "").replace(".", "")
    return InputField(column["name"], own, words, decimal=decimal, **spelling)


def _with_fill(
    field: InputField, column: Mapping[str, Any], places: Sequence[int], fillers: Sequence[float]
) -> InputField:
    """The field with what fills it, where the run filled missing values of its column."""
    rule, missing = column.get("fill", ""), tuple(column.get("missing", ()))
    if not missing:
        return field
    fill: tuple[float, ...] = ()
    if rule == OTHER and OTHER in field.words:
        fill = tuple(float(word == OTHER) for word in field.words)
    elif rule in FILLED and fillers:
        fill = tuple(fillers[place] for place in places)
    if not fill or not all(map(math.isfinite, fill)):
        return field
    return replace(field, fill=fill, rule=rule, missing=missing)
