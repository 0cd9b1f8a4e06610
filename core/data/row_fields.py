"""What a person fills in for a row of a table: numbers, and categories as choices.

The drawing's own sample, the exported web page and the server read this one description. No torch.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.data.info import DataInfo


@dataclass(frozen=True)
class InputField:
    """One value of a table's row that a person gives. places: in the row that the Input receives;
    words: its categories, one place for each; none for a number."""

    name: str
    places: tuple[int, ...]
    words: tuple[str, ...] = ()


def row_fields(info: DataInfo, picks: tuple[int, ...]) -> tuple[InputField, ...]:
    """What a person fills in: a category of a CSV file is one field, however many columns it is."""
    at = {pick: place for place, pick in enumerate(picks)}
    names = info.origin.columns or tuple(f"column {i + 1}" for i in range(info.sample_shape[0]))
    columns: list[Mapping[str, Any]] = list(info.layout.get("columns", ()))
    found: list[InputField] = []
    start = 0
    for column in columns or [{"name": name, "words": ()} for name in names]:
        words, parts = tuple(column["words"]), tuple(column.get("parts", ()))
        places = range(start, start + max(1, len(words), len(parts)))
        start = places.stop
        if not parts and all(place in at for place in places):
            own = tuple(at[place] for place in places)
            found.append(InputField(column["name"], own, words))
        else:
            found += [InputField(names[p], (at[p],)) for p in places if p in at]
    return tuple(found)
