"""Guess the settings of own data, and describe it in sentences. Runs in a worker process."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from core.data import DataError
from core.data.facts.metadata import read_own
from core.data.sources.custom_source import OWN, read_custom_source
from core.data.sources.label_settings import KEYS as LABEL_KEYS
from core.data.sources.paths import locate
from core.data.sources.source import Source
from core.data.sources.table_settings import KEYS, read_table_settings
from core.data.table.arrays import readable_arrays
from core.data.table.cells import read_cells
from core.data.table.columns import read_column
from core.data.table.guess import Guess, guess_arrays, guess_table, with_other_target
from core.data.table.guess_texts import guess_texts
from core.data.table.plain_text import read_text
from core.data.table.series_guess import guess_series, in_time

GuessResult = tuple[dict[str, Any], tuple[str, ...], str]
"""Settings of `data`, sentences on its content, and why it cannot be read, "" if it can."""
SHOWN, NAMED = 5, 8


def check(kind: str, path: str, title: str) -> None:
    """Raises DataError for a file that is not a table, arrays or a text."""
    if kind in ("CSV", "TextCSV", "SeriesCSV"):
        read_cells(Path(path), title)
    elif kind == "NPZ":
        readable_arrays(Path(path), title)
    else:
        read_text(Path(path), title)


def guess_and_read(data: dict[str, Any]) -> GuessResult:
    """Read own data of which only file or folder are set. Raises DataError if it is missing."""
    path = locate(data[OWN[data["source"]][0]], OWN[data["source"]][0])
    guess = _GUESSES.get(data["source"])
    try:
        return read_guess(guess(path, data.get("file", "")) if guess else Guess(data))
    except DataError as error:  # with the file kept, the way it is read can be changed
        with suppress(DataError):
            read_own(data)
        return data, (), str(error)


def bytes_of(data: Mapping[str, Any]) -> int:
    """Size of the table, arrays or text that own data lies in; 0 for a folder, for a Dataset in
    Python, whose memory follows from what it does, and where it cannot be found."""
    try:
        if OWN[data["source"]][0] != "file" or data["source"] == "Dataset":
            return 0
        key = OWN[data["source"]][0]
        path = locate(data[key], key)
        return path.stat().st_size if path.is_file() else 0
    except (DataError, KeyError, OSError):
        return 0


def with_target(
    data: dict[str, Any], target: str, labels: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Settings of a table for another target, guessed again. labels: settings of several labels.

    Raises DataError.
    """
    return with_other_target(locate(data["file"], "file"), data, target, labels)


KEPT = ("validation", "test", "folds", "fold", "limit", "normalize")
"""What stays where the rows of a file are read as another kind."""


def read_as(data: dict[str, Any], kind: str) -> dict[str, Any]:
    """Settings of a table whose rows are samples of their own (CSV) or in time (SeriesCSV).

    Raises DataError.
    """
    guess = guess_series if kind == "SeriesCSV" else guess_table
    path, spelled = locate(data["file"], "file"), {k: v for k, v in data.items() if k in KEYS}
    spelled.pop("fill", None)
    found = guess(path, data["file"], given=spelled).data
    return {**found, **{key: value for key, value in data.items() if key in KEPT}}


def guess_again(data: dict[str, Any]) -> dict[str, Any]:
    """Settings of a table that is read in another way: its columns are guessed again.

    Raises DataError.
    """
    if data["source"] == "SeriesCSV":
        return guess_series(locate(data["file"], "file"), data["file"], data).data | {
            key: data[key] for key in (*KEPT, "ahead", "window") if key in data
        }
    path, target = locate(data["file"], "file"), data.get("target_column", "")
    names = read_cells(path, data["file"], read_table_settings(data)).names
    found = guess_table(path, data["file"], target if target in names else "", data).data
    own = ("target_column", *LABEL_KEYS, "columns", "categories", *KEYS)
    classes = [c for c in data.get("categories", ()) if c in names]
    classes = list(dict.fromkeys([*classes, *found.get("categories", ())]))
    rest = {name: value for name, value in data.items() if name not in own}
    return {**rest, **found, **({"categories": classes} if classes else {})}


def read_guess(guess: Guess) -> GuessResult:
    """Read data with guessed settings, and describe it."""
    try:
        facts = read_own(guess.data)
    except DataError as error:
        return guess.data, (), str(error)
    assert facts is not None
    notes = tuple(facts.layout.get("notes", ()))
    return guess.data, (*_findings(facts.source, guess), *notes), ""


def _tokens(source: Source) -> str:
    """What texts are cut into, and how long most of them are."""
    one, most = source.cut_by, source.shape[0]
    return (
        f"Texts are cut into {one}s, of which the network knows at most {source.most_tokens:,}. Of "
        f"100 texts, 95 have at most {most:,} {one}{'s' * (most != 1)}."
    )


def _findings(source: Source, guess: Guess) -> tuple[str, ...]:
    """Sentences on the size, the target, and unused columns with their reasons."""
    count = f"{source.samples:,} {source.things}"
    if source.kind == "text" and not source.cut_by:
        return (
            f"{count}, {len(source.alphabet):,} different. The network learns to predict "
            "each from the ones before it.",
        )
    if source.ahead:
        return (
            f"A series: {source.target_name} is predicted from the {source.shape[0]:,} rows before "
            f"it, in {count}.",
            *_left_out(guess),
            *guess.notes,
        )
    if source.masked:
        names = ", ".join(source.classes[:SHOWN]) + (" …" if len(source.classes) > SHOWN else "")
        return (f"{count}. Each pixel has one of {len(source.classes)} classes ({names}).",)
    folders = OWN[source.name][0] == "root"
    target = "Each folder is a class" if folders else source.target_name
    what = _told(source, guess)
    target_text = f"{target}: {what}" if folders else f"{target} is the target: {what}"
    target_text = what if "labels" in source.targets else target_text
    return (
        f"{count}. {target_text}.",
        *([_tokens(source)] if source.cut_by else ()),
        *_left_out(guess),
        *guess.notes,
    )


def _told(source: Source, guess: Guess) -> str:
    """What the network tells of each sample, with the first names."""
    if not source.classes:
        return "a number"
    names = ", ".join(source.classes[:SHOWN]) + (" …" if len(source.classes) > SHOWN else "")
    if "labels" in source.targets:
        columns = "target_columns" in guess.data
        where = "columns of 0 and 1" if columns else f"the cells of {source.target_name}"
        return f"Each row has any of {len(source.classes)} labels, in {where} ({names})"
    many = " in columns of 0 and 1, of which each row has one," * ("target_columns" in guess.data)
    return f"{len(source.classes)} classes{many} ({names})".replace(", (", " (")


def _left_out(guess: Guess) -> list[str]:
    """A sentence on the columns or arrays that are left out, if there are any."""
    if not guess.left_out:
        return []
    listed = "; ".join(guess.left_out[:NAMED])
    more = len(guess.left_out) - NAMED
    return [f"Left out: {listed}{f'; and {more} more' if more > 0 else ''}."]


def _guess_csv(path: Path, name: str) -> Guess:
    """Texts with a class each where the table has them, else a series or a table."""
    read_custom_source({"source": "CSV", "file": name})  # refuses files of other kinds
    return guess_texts(path, name) or _guess_rows(path, name)


def _guess_rows(path: Path, name: str) -> Guess:
    """A table of numbers whose rows are evenly spaced in time is a series, any other a table."""
    table = guess_table(path, name)
    given = read_custom_source(table.data)
    assert given is not None
    read = read_cells(path, name, given.table)
    if {*LABEL_KEYS} & {*table.data}:
        return table
    target = table.data.get("target_column", read.names[-1])
    found = in_time(read, given)
    if not found or not found.even or read_column(read, target, given).kind != "number":
        return table
    return guess_series(path, name)


_GUESSES: dict[str, Callable[[Path, str], Guess]] = {
    "CSV": _guess_csv,
    "SeriesCSV": guess_series,
    "NPZ": guess_arrays,
}
