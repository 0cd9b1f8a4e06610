"""Settings of a target that several columns hold, or several labels in one cell.

{"source": "CSV", "file": "data/films.csv", "target_columns": ["funny", "sad", "long"]}
{"source": "CSV", "file": "data/films.csv", "target_column": "genres", "label_separator": ";"}

target_columns: columns of 0 and 1, each a label that a row has or has not. Where each row has
exactly one of them they are one class, written as one-hot. label_separator: what stands between
the labels of a cell of the target column.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from core.common.errors import DataError

KEYS = ("target_columns", "label_separator")
SEPARATORS = (";", "|", ",", "/", " ")
"""What may stand between labels, the surest first: a comma stands in names, too."""


def targets_of(data: Mapping[str, Any], names: Sequence[str]) -> tuple[str, ...]:
    """The target columns that settings name among those of a file, else its last one."""
    one = data.get("target_column") or (names[-1] if names else "")
    return tuple(data.get("target_columns") or (one,))


def read_target_columns(data: Mapping[str, Any]) -> tuple[str, ...]:
    """The columns of a target that several hold; () for one. Raises DataError."""
    given = data.get("target_columns", ())
    good = isinstance(given, list | tuple) and all(isinstance(n, str) and n for n in given)
    if not good or len(set(given)) != len(given) or len(given) == 1:
        hint = "Write it as a list of two or more names, or name one column in data.target_column."
        raise DataError(f"data.target_columns is {given!r}.", hint)
    if given and data.get("target_column"):
        raise DataError(
            f"data.target_column is {data['target_column']!r}, and data.target_columns names "
            f"{len(given)} columns.",
            "Remove one of the two.",
        )
    return tuple(given)


def read_label_separator(data: Mapping[str, Any]) -> str:
    """What stands between the labels of a cell; "" where a cell is one answer. Raises DataError."""
    sign = data.get("label_separator", "")
    if sign != "" and sign not in SEPARATORS:
        listed = ", ".join(map(repr, SEPARATORS))
        raise DataError(f"data.label_separator is {sign!r}.", f"Use one of {listed}.")
    if sign and data.get("target_columns"):
        raise DataError(
            "data.label_separator parts the labels of one column, and data.target_columns names "
            f"{len(data['target_columns'])}.",
            "Remove one of the two.",
        )
    return sign
