"""Tables of one's own whose rows have several labels, as users save them."""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

COLOURS = ("red", "green", "blue")
SAID = ("you fool", "thank you", "buy it now", "see you at noon", "what a fool, buy it")


def _write(file: Path, rows: Iterable[Iterable[Any]], delimiter: str = ",") -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out, delimiter=delimiter).writerows(rows)


def _numbers(i: int) -> tuple[str, int]:
    return f"{i * 7 % 31 / 10}".replace(".", ","), i * 5 % 17


def films(workspace: Path) -> dict[str, Any]:
    """Three labels in columns, one of them in words and one with a missing value."""
    rows = [["length", "year", "colour", "is funny", "is sad", "is long"]]
    for i in range(72):
        length, year = _numbers(i)
        sad = "" if i == 71 else int(year > 8)  # the last, as others are found by their place
        row = [length, year, COLOURS[i % 3], "yes" if i % 3 else "no", sad, i * 7 % 31 // 16]
        rows.append([str(cell) for cell in row])
    _write(workspace / "data/films.csv", rows, ";")
    return {"source": "CSV", "file": "data/films.csv", "separator": ";", "decimal": ",",
            "target_columns": ["is funny", "is sad", "is long"],
            "fill": {"is sad": "drop"}, "normalize": True}  # fmt: skip


def genres(workspace: Path) -> dict[str, Any]:
    """Labels in one cell, of some rows none."""
    rows = [["year", "length", "genres"]]
    for i in range(60):
        length, year = _numbers(i)
        names = [
            name for name, yes in zip(COLOURS, (i % 2, year > 8, i % 5 == 0), strict=True) if yes
        ]
        rows.append([str(year), length.replace(",", "."), "; ".join(names)])
    _write(workspace / "data/genres.csv", rows)
    return {"source": "CSV", "file": "data/genres.csv", "label_separator": ";", "test": 0.1}


def one_hot(workspace: Path) -> dict[str, Any]:
    """A class as three columns, as pandas writes them, with equal rows of which one counts."""
    rows = [["size", "weight", *(f"colour_{name}" for name in COLOURS)]]
    for i in range(60):
        length, year = _numbers(i % 50)
        kind = (year > 5) + (year > 11)
        rows.append([length.replace(",", "."), str(year), *(str(kind == k) for k in range(3))])
    _write(workspace / "data/colours.csv", rows)
    return {"source": "CSV", "file": "data/colours.csv", "copies": "drop",
            "target_columns": [f"colour_{name}" for name in COLOURS]}  # fmt: skip


def comments(workspace: Path) -> dict[str, Any]:
    """Texts with labels in columns, by groups of their authors."""
    rows = [["author", "text", "rude", "advert"]]
    for i in range(60):
        said = f"{SAID[i % 5]}, number {i % 7}"
        rows.append([f"author {i % 11}", said, str(int("fool" in said)), str(int("buy" in said))])
    _write(workspace / "data/comments.csv", rows, ";")
    return {"source": "TextCSV", "file": "data/comments.csv", "columns": ["text"],
            "target_columns": ["rude", "advert"], "min_count": 1,
            "split": "group", "split_by": "author"}  # fmt: skip
