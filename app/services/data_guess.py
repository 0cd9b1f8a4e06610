"""Guess the settings of own data, and describe it in sentences. Runs in a worker process."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from core.data import DataError
from core.data.facts.metadata import read_own, read_text
from core.data.sources.custom_source import OWN
from core.data.sources.paths import locate
from core.data.sources.source import Source
from core.data.sources.table_settings import KEYS, read_table_settings
from core.data.table.arrays import readable_arrays
from core.data.table.cells import read_cells
from core.data.table.guess import Guess, guess_arrays, guess_table, with_other_target
from core.data.table.guess_texts import guess_texts

GuessResult = tuple[dict[str, Any], tuple[str, ...], str]
"""Settings of `data`, sentences on its content, and why it cannot be read, "" if it can."""
SHOWN, NAMED = 5, 8


def check(kind: str, path: str, title: str) -> None:
    """Raises DataError for a file that is not a table, arrays or a text."""
    if kind in ("CSV", "TextCSV"):
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


def with_target(data: dict[str, Any], target: str) -> dict[str, Any]:
    """Settings of a table for another target, guessed again. Raises DataError."""
    return with_other_target(locate(data["file"], "file"), data, target)


def guess_again(data: dict[str, Any]) -> dict[str, Any]:
    """Settings of a table that is read in another way: its columns are guessed again.

    Raises DataError.
    """
    path, target = locate(data["file"], "file"), data.get("target_column", "")
    names = read_cells(path, data["file"], read_table_settings(data)).names
    found = guess_table(path, data["file"], target if target in names else "", data).data
    own = ("target_column", "columns", "categories", *KEYS)
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
    notes = tuple(facts.layout.get("notes", ())) if guess.data["source"] == "ImageFolder" else ()
    return guess.data, (*_findings(facts.source, guess), *notes), ""


def _findings(source: Source, guess: Guess) -> tuple[str, ...]:
    """Sentences on the size, the target, and unused columns with their reasons."""
    count = f"{source.samples:,} {source.things}"
    if source.kind == "text" and not source.cut_by:
        return (
            f"{count}, {len(source.alphabet):,} different. The network learns to predict "
            "each from the ones before it.",
        )
    folders = OWN[source.name][0] == "root"
    target = "Each folder is a class" if folders else source.target_name
    if source.classes:
        names = ", ".join(source.classes[:SHOWN]) + (" …" if len(source.classes) > SHOWN else "")
        what = f"{len(source.classes)} classes ({names})"
    else:
        what = "a number"
    target_text = f"{target}: {what}" if folders else f"{target} is the target: {what}"
    sentences = [f"{count}. {target_text}."]
    if source.cut_by:
        sentences.append(
            f"Texts are cut into {source.cut_by}s: the vocabulary has at most "
            f"{source.most_tokens:,}, and 95 of 100 texts have {source.shape[0]} or fewer."
        )
    if guess.left_out:
        listed = "; ".join(guess.left_out[:NAMED])
        more = len(guess.left_out) - NAMED
        sentences.append(f"Left out: {listed}{f'; and {more} more' if more > 0 else ''}.")
    return (*sentences, *guess.notes)


def _guess_csv(path: Path, name: str) -> Guess:
    """Texts with a class each where the table has them, else numbers and categories."""
    return guess_texts(path, name) or guess_table(path, name)


_GUESSES: dict[str, Callable[[Path, str], Guess]] = {"CSV": _guess_csv, "NPZ": guess_arrays}
