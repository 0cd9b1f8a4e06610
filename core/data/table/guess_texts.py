"""Guess whether a table holds texts with a class each: one column of classes, and free text."""

from pathlib import Path

import numpy as np

from core.data.table.cells import Cells, read_cells
from core.data.table.column_check import MOST_MISSING
from core.data.table.dates import formats_of
from core.data.table.guess import TARGETS, Guess, is_id

WORDS_EACH = 3.0  # the least mean number of words of free text: names and places have fewer
DISTINCT = 0.5  # the least share of different cells: categories come again and again
MOST_CLASSES, ROWS_EACH = 50, 2  # the most classes, and the fewest rows of each on average
LOOKED_AT = 500  # different cells that tell what a column holds


def guess_texts(path: Path, name: str) -> Guess | None:
    """Settings of texts with a class each; None where it is another table. Raises DataError."""
    read = read_cells(path, name)
    places = [place for place in range(len(read.names)) if not _is_empty(read, place)]
    texts = [place for place in places if _is_text(read, place)]
    rest = [place for place in places if place not in texts and not _is_unused(read, place)]
    if not texts or len(rest) != 1 or not _has_classes(read, rest[0]):
        return None
    target, names = rest[0], read.names
    data: dict[str, object] = {"source": "TextCSV", "file": name}
    data |= {"target_column": names[target]} if target != len(names) - 1 else {}
    if len(names) > len(texts) + 1 or len(texts) > 1:
        data["columns"] = [names[place] for place in texts]
    if _is_unspaced(read, texts[0]):
        data["tokens"] = "letter"
    left_out = [names[p] for p in range(len(names)) if p not in (*texts, target)]
    return Guess(data, tuple(f"{column} is neither text nor class" for column in left_out))


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
