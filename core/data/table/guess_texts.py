"""Guess whether a table holds texts with a class each: one column of classes, and free text."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.data.sources.custom_source import read_custom_source
from core.data.table.answers import is_label
from core.data.table.cells import Cells, read_cells
from core.data.table.column_check import MOST_MISSING
from core.data.table.columns import read_column
from core.data.table.dates import formats_of
from core.data.table.guess import TARGETS, Guess, is_id
from core.data.table.guess_labels import label_columns, separator_of

WORDS_EACH = 3.0  # the least mean number of words of free text: names and places have fewer
DISTINCT = 0.5  # the least share of different cells: categories come again and again
MOST_CLASSES, ROWS_EACH = 50, 2  # the most classes, and the fewest rows of each on average
MANY_LABELS = 3  # columns of 0 and 1 that are labels, whatever they are called
LOOKED_AT = 500  # different cells that tell what a column holds


def guess_texts(path: Path, name: str) -> Guess | None:
    """Settings of texts with a class each; None where it is another table. Raises DataError."""
    read = read_cells(path, name)
    places = [place for place in range(len(read.names)) if not _is_empty(read, place)]
    texts = [place for place in places if _is_text(read, place)]
    rest = [place for place in places if place not in texts and not _is_unused(read, place)]
    told = _told(read, name, rest) if texts else {}
    if not told:
        return None
    names, targets = read.names, told.get("target_columns") or [told["target_column"]]
    if told.get("target_column") == names[-1]:
        del told["target_column"]
    data: dict[str, Any] = {"source": "TextCSV", "file": name, **told}
    if len(names) > len(texts) + len(targets) or len(texts) > 1:
        data["columns"] = [names[place] for place in texts]
    if _is_unspaced(read, texts[0]):
        data["tokens"] = "letter"
    used = [*targets, *(names[place] for place in texts)]
    left_out = [name for name in names if name not in used]
    return Guess(data, tuple(f"{column} is neither text nor class" for column in left_out))


def _told(read: Cells, name: str, rest: Sequence[int]) -> dict[str, Any]:
    """Settings of the class of each text, or of its labels: in columns of 0 and 1 that are all
    there is beside the texts, or parted in a cell; {} for another table. rest: other columns."""
    names = [read.names[place] for place in rest]
    if len(rest) == 1:
        sign = separator_of(read, names[0])
        if sign or _has_classes(read, rest[0]):
            return {"target_column": names[0], **({"label_separator": sign} if sign else {})}
        return {}
    given = read_custom_source({"source": "CSV", "file": name})
    assert given is not None
    columns = {each: read_column(read, each, given) for each in read.names}
    labels = len(rest) > 1 and all(is_label(read, columns[each]) for each in names)
    sure = len(rest) >= MANY_LABELS or names == label_columns(read, columns)
    return {"target_columns": names} if labels and sure else {}


def free_texts(read: Cells) -> tuple[str, ...]:
    """Names of the columns of a table that hold free text."""
    return tuple(name for place, name in enumerate(read.names) if _is_text(read, place))


def _is_text(read: Cells, place: int) -> bool:
    """Whether cells are mostly different, of several words or long, and no dates or numbers."""
    if place in read.numbers:
        return False
    words = [word for word in read.words(place).words if word]
    if len(words) < DISTINCT * read.count or len(words) < 3:
        return False
    some = words[:: max(1, len(words) // LOOKED_AT)]
    if read.reading(place).share > 0.5 or formats_of(some):
        return False
    long = np.mean([len(word.split()) for word in some]) >= WORDS_EACH
    return bool(long or _is_unspaced(read, place))


def _is_unspaced(read: Cells, place: int) -> bool:
    """Whether it is a script without blanks between words, such as Chinese."""
    words = [word for word in read.words(place).words if word][:LOOKED_AT]
    letters = "".join(words)
    dense = sum("\u3040" <= letter <= "\u9fff" for letter in letters)
    return dense > 0.5 * max(1, len(letters)) and len(letters) >= 4 * len(words)


def _is_empty(read: Cells, place: int) -> bool:
    """Whether most rows have no value, or all have the same."""
    if place in read.numbers:
        values = read.numbers[place]
        return bool(np.isnan(values).mean() > MOST_MISSING) or len(np.unique(values)) < 2
    words = read.words(place)
    missing = read.missing(place)
    return words.is_any(missing).mean() > MOST_MISSING or len({*words.words} - missing) < 2


def _is_unused(read: Cells, place: int) -> bool:
    """Whether a column identifies rows, by numbers or by words without a blank."""
    if place in read.numbers:
        return is_id(read, place)
    words = read.words(place).words
    return len(words) == read.count and not any(" " in word for word in words)


def _has_classes(read: Cells, place: int) -> bool:
    """Whether a column has few values, each of them in several rows; no numbers with a fraction."""
    values = read.numbers.get(place)
    if values is not None and (values[~np.isnan(values)] % 1 != 0).any():
        return False
    count = len({*read.words(place).words} - read.missing(place))
    named = read.names[place].lower() in TARGETS
    return 2 <= count <= MOST_CLASSES and (named or ROWS_EACH * count <= read.count)
