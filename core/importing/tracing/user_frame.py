"""The line of the user's model that is running."""

import re
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import torch

OURS = {Path(torch.__file__).parent, Path(__file__).parents[1]}
"""Folders whose lines are not the user's."""


@cache
def is_ours(file: str) -> bool:
    """Whether a line of this file is torch's or the importer's."""
    return not OURS.isdisjoint(Path(file).parents)


def user_code() -> tuple[str, int] | None:
    """File and number of it; None if none is running."""
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not is_ours(file):
            return file, frame.f_lineno
        frame = frame.f_back
    return None


def user_line() -> str:
    """Name it, to stand behind a module's path; "" if none is running."""
    found = user_code()
    return f" ({Path(found[0]).name}, line {found[1]})" if found else ""


def once_per_line(said: Iterable[str]) -> tuple[str, ...]:
    """Sentences that end in a line of the source: the first of each line, with how many more there
    are, as of a class whose modules all decide there."""
    lines: dict[str, list[str]] = {}
    for sentence in dict.fromkeys(said):
        place = re.search(r"\([^()]+, line \d+\)$", sentence)
        lines.setdefault(place[0] if place else sentence, []).append(sentence)
    return tuple(
        f"{first}, and {len(more)} more at this line" if more else first
        for first, *more in lines.values()
    )
