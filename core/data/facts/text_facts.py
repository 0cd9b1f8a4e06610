"""The facts of texts with a class each: size of the vocabulary, usual length, where they lie."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

from core.common.errors import DataError
from core.data.sources.custom_source import CustomSource
from core.data.sources.source import Source
from core.data.sources.text_settings import LONGEST
from core.data.table.split_column import facts_of
from core.data.table.text_folder import TextFolder, read_text_folder
from core.data.table.text_table import TextTable, read_text_table
from core.samples.text_tokens import tokens_of

SHARE = 0.95  # of the texts that a suggested Input takes in whole


@dataclass(frozen=True)
class TextFacts:
    """A source, how its file is read, and what decides the part of each row, [] for nothing.
    labels: the class of each text; None where one has several."""

    source: Source
    layout: Mapping[str, Any]
    keys: Sequence[Any]
    labels: list[int] | None


def read_texts(given: CustomSource, path: Path) -> TextTable | TextFolder:
    """Read texts and their classes. Raises DataError."""
    folder = given.key == "root"
    return read_text_folder(path, given.path) if folder else read_text_table(path, given)


def text_facts(given: CustomSource, path: Path) -> TextFacts:
    """Read texts, and count their tokens. Raises DataError."""
    read = read_texts(given, path)
    texts, answers = read.texts(), read.answers()
    labels: list[int] | None = answers.tolist() if answers.ndim == 1 else None
    named, about, layout = ("class", f"The texts of {given.path}, a folder for each class.", {})
    if isinstance(read, TextTable):
        about = f"The texts of {given.path}, column {', '.join(read.columns)}."
        named, layout = read.answer.name, _table_layout(read)
    left_out = f" Left out: {read.left_out:,} without a text or a class." if read.left_out else ""
    tokens, length = _counted(given, texts)
    assert given.texts is not None
    source = Source(
        given.kind,
        "files",
        "text",
        "texts",
        (length,),
        len(texts),
        read.classes,
        target_name=named,
        targets=("label",) if labels is not None else ("labels",),
        about=about + left_out,
        cut_by=given.texts.cut_by,
        lower=given.texts.lower,
        most_tokens=tokens,
    )
    counts = Counter(labels or ())
    known = range(len(read.classes)) if labels is not None else ()
    layout |= {"dropped": read.left_out, "counts": [counts[i] for i in known]}
    return TextFacts(source, layout, read.keys(), labels)


def _table_layout(table: TextTable) -> dict[str, Any]:
    """How the file of a table is read, as scripts and pages need it."""
    found = {
        **table.read.structure.layout(table.read.names),
        "texts": table.places,
        **table.answer.layout(),
    }
    split = {"split": facts_of(table.mode, table.keys(), table.split)} if table.split else {}
    return found | split


def _counted(given: CustomSource, texts: Sequence[str]) -> tuple[int, int]:
    """How many tokens the vocabulary may have, and a length that most texts have at most.

    Raises DataError where no token is there often enough.
    """
    assert given.texts is not None
    how, counts, lengths = given.texts, Counter[str](), list[int]()
    for text in texts:
        tokens = tokens_of(text, how.cut_by, how.lower, LONGEST)
        counts.update(tokens)
        lengths.append(len(tokens))
    known = sum(count >= how.least for count in counts.values())
    if not known:
        raise DataError(
            f"{given.path} has no {how.cut_by} {how.least} times or more, so there is no "
            "vocabulary.",
            "Set data.min_count to 1, or use more texts.",
        )
    return min(how.most, known + 2), max(1, sorted(lengths)[ceil(SHARE * len(lengths)) - 1])
