"""Classes that are rare, and names that differ only in case, blanks or signs."""

import re
from collections import Counter, defaultdict

import numpy as np

from core.wings.findings.finding import DataFinding, named
from core.wings.findings.table_view import TableColumn, TableView

FEW_ROWS = 5
"""Rows of a class below which a validation part of a fifth has none of it."""
MOST_RARE = 0.5
"""The share of classes that may be rare; where most are, the target is a name, not a class."""
_BLANKS = re.compile(r"[\s_\-./]+")


def find_classes(view: TableView) -> list[DataFinding]:
    """What is odd about the classes of the target, and about words of inputs."""
    found = _rare(view)
    words = (_words_of(view, column) for column in view.used if column.kind == "category")
    classes = {name: int((view.answers == i).sum()) for i, name in enumerate(view.classes)}
    named_words = [(view.target, classes), *words]
    return [*found, *(f for name, counts in named_words if (f := _alike(name, counts)))]


def _words_of(view: TableView, column: TableColumn) -> tuple[str, dict[str, int]]:
    places, counts = np.unique(column.known.astype(int), return_counts=True)
    words = {column.words[p]: int(n) for p, n in zip(places, counts, strict=True)}
    return column.name, words


def _rare(view: TableView) -> list[DataFinding]:
    if not view.classes or view.note:
        return []
    counts = np.bincount(view.answers.astype(int), minlength=len(view.classes))
    rare = [i for i, count in enumerate(counts) if count < FEW_ROWS]
    if not rare or len(rare) > MOST_RARE * len(counts) or len(view.answers) < 4 * FEW_ROWS:
        return []
    told = named(f"{view.classes[i]} ({counts[i]})" for i in rare)
    one = len(rare) == 1
    sentence = (
        f"{'A class has' if one else f'{len(rare)} classes have'} fewer than {FEW_ROWS} rows: "
        f"{told}. {'It' if one else 'They'} can hardly be learned, nor judged: collect more rows, "
        "or put them together with others in the file."
    )
    rows = np.flatnonzero(np.isin(view.answers, rare))
    return [DataFinding("rare_class", sentence, (view.target,), view.file_rows(rows), len(rows))]


def _alike(name: str, counts: dict[str, int]) -> DataFinding | None:
    """Words of a column that are the same but for their spelling."""
    same: defaultdict[str, list[str]] = defaultdict(list)
    for word in counts:
        if not word.replace(".", "").replace("-", "").isdecimal():
            same[_BLANKS.sub(" ", word.strip().casefold())].append(word)
    several = [words for words in same.values() if len(words) > 1]
    if not several:
        return None
    first = sorted(several[0], key=lambda word: -counts[word])
    told = Counter({word: counts[word] for word in first})
    texts = " and ".join(f"'{w}' ({n:,})" for w, n in told.most_common(4))
    more = f" So are {len(several) - 1} more." if len(several) > 1 else ""
    sentence = (
        f"{name}: {texts} are different categories, but the same word in another spelling. "
        f"Write them alike in the file.{more}"
    )
    return DataFinding("spelling", sentence, (name,), count=sum(told.values()))
