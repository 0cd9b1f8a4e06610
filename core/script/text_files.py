"""The lines of a training file that read texts with a class each, and make their vocabulary."""

from core.data.facts.info import DataInfo
from core.data.facts.row_fields import target_columns
from core.samples.text_tokens import SEPARATOR
from core.script.excerpt import excerpt
from core.source.layout import wrap_inside
from core.source.literal import literal

ONE_LINE = 84  # characters of a line inside a function


def imports(info: DataInfo, dated: bool) -> tuple[str, ...]:
    """The import lines that reading needs. dated: whether a column of dates splits the rows."""
    read = ["import csv"] if info.source == "TextCSV" else []
    read += ["from pathlib import Path"] if info.source == "TextFolder" else []
    times = ["import datetime"] if dated else []
    return (*read, *times, "import re", "from itertools import islice")


def functions(info: DataInfo) -> list[str]:
    """The functions that read, cut and number texts, word for word."""
    names = ("text_files", "file_text") if info.source == "TextFolder" else ()
    own = [excerpt("core.data.table.text_folder", name) for name in names]
    own += [excerpt("core.samples.text_tokens", "tokens_of")]
    return [*own, *(excerpt("core.data.batches.texts", n) for n in ("token_rows", "numbered"))]


def kept_lines(info: DataInfo) -> list[str]:
    """The lines that leave out rows of a table without a text or a class."""
    if not info.layout["dropped"]:
        return []
    places = info.layout["texts"]
    there = " or ".join(f"row[{place}]" for place in places)
    there = f"({there})" if len(places) > 1 else there
    for column in target_columns(info.layout):
        if missing := column["missing"]:
            there += f" and row[{column['place']}] not in {literal(list(missing))}"
    one = f"rows = [row for row in rows if {there}]"
    if len(one) <= ONE_LINE:
        return [one]
    return ["rows = [", "    row", "    for row in rows", f"    if {there}", "]"]


def folder_lines(info: DataInfo) -> list[str]:
    """Lines that read texts and their classes from the files of a folder."""
    names = f"names = [{', '.join(map(literal, info.classes))}]"
    return [
        *wrap_inside("    ", names),
        "files = text_files(folder, names)",
        "pairs = [(file_text(path).strip(), label) for path, label in files]",
        *(["pairs = [pair for pair in pairs if pair[0]]"] if info.layout["dropped"] else []),
        "texts = [text for text, _ in pairs]",
        "labels = torch.tensor([label for _, label in pairs])",
        *cut_lines(info),
    ]


def token_lines(info: DataInfo) -> list[str]:
    """Lines that cut the texts of `rows` into tokens."""
    places = info.layout["texts"]
    text = f"row[{places[0]}]"
    if len(places) > 1:
        cells = ", ".join(f"row[{place}]" for place in places)
        text = f"{literal(f' {SEPARATOR} ')}.join([{cells}])"
    return [*wrap_inside("    ", f"texts = [{text} for row in rows]"), *cut_lines(info)]


def cut_lines(info: DataInfo) -> list[str]:
    """The line that cuts `texts` into tokens."""
    origin = info.origin
    given = f"{literal(origin.cut_by)}, {origin.lower}, {info.input_shape[0]}"
    return [f"inputs, words = token_rows(texts, {given})"]


def number_lines(info: DataInfo) -> list[str]:
    """The line that numbers tokens by the vocabulary of the training part."""
    if info.custom is None or info.custom.texts is None:
        return []
    bounds = f"{literal(info.origin.most_tokens)}, {literal(info.custom.texts.least)}"
    return [f"inputs, _ = numbered(inputs, words, train, {bounds})"]
