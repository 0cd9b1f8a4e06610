"""What comes of a split, in words: how many samples and groups learn, validate and test."""

from datetime import date, timedelta

from core.data.facts import row_split
from core.data.facts.description import counts
from core.data.facts.settings import DataSettings
from core.data.sources.source import FILE_FOLDERS, Shape
from core.data.sources.split_by import BY_FOLDER, BY_NAME

START = date(1970, 1, 1)
"""From where the days of a column of dates are counted."""
NAMES = {BY_FOLDER: "sub-folders", BY_NAME: "series"}
"""What the groups of a folder of pictures are."""


def split_in_words(data: DataSettings, shape: Shape = ()) -> str:
    """ "1,200 rows train, 300 validate; patient: 40 train, 10 validate".

    shape: of the Input, which the windows of a text depend on. Raises DataError where nothing is
    left of a part that is needed, Unread where the data was not read.
    """
    things = "text windows" if data.source.windows else data.source.things
    words = f"{_listed(counts(data, shape), things)}{_fold(data)}"
    more = _more(data)
    return f"{words}; {more}" if more else words


def _fold(data: DataSettings) -> str:
    parts = data.parts
    return f" (fold {parts.fold} of {parts.folds})" if parts.folds else ""


def _listed(sizes: tuple[int, int, int], things: str) -> str:
    train, validation, test = sizes
    words = f"{train:,}{things and f' {things}'} train, {validation:,} validate"
    return f"{words}, {test:,} test" if test else words


def _more(data: DataSettings) -> str:
    """The groups of each part, or from when on samples validate; "" for other splits."""
    split = data.parts.split
    if data.split is None or data.rows is None:
        return ""
    given = data.split, data.rows, data.source.samples
    if split.mode == "group":
        name = NAMES.get(split.by, "") if data.source.name in FILE_FOLDERS else split.by
        return f"{name}: {_listed(row_split.groups(*given), '')}"
    if split.mode == "time":
        column = data.layout.get("date") or data.layout.get("split", {}).get("column") or {}
        last, first = (_time(value, bool(column.get("date"))) for value in row_split.border(*given))
        name = column.get("name") or split.by or "row"
        return f"{name}: up to {last} trains, from {first} on validates"
    return ""


def _time(value: float, dated: bool) -> str:
    return (START + timedelta(days=int(value // 1))).isoformat() if dated else f"{value:g}"
