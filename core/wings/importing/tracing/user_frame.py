"""The stack frame of the user's model: the file and line that is running."""

import re
import sys
import sysconfig
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import torch

OURS = {Path(torch.__file__).parent, Path(__file__).parents[1]}
"""Folders whose lines are not the user's."""
STANDARD = sysconfig.get_path("stdlib")


@cache
def is_library_file(file: str) -> bool:
    """Whether a file belongs to torch or to the importer."""
    return not OURS.isdisjoint(Path(file).parents)


def is_users_file(file: str) -> bool:
    """Whether a file is the model's own: none of torch, the importer or Python itself."""
    python = file.startswith((STANDARD, "<frozen")) and "site-packages" not in file
    return not python and not is_library_file(file)


def user_code() -> tuple[str, int] | None:
    """File and line of the innermost user frame; None if there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not is_library_file(file):
            return file, frame.f_lineno
        frame = frame.f_back
    return None


def user_line() -> str:
    """The file and line as a suffix to a module's path; "" if there is none."""
    position = user_code()
    return f" ({Path(position[0]).name}, line {position[1]})" if position else ""


def once_per_line(messages: Iterable[str]) -> tuple[str, ...]:
    """Messages that end in a source line: the first of each line, with the number of further
    ones."""
    lines: dict[str, list[str]] = {}
    for sentence in dict.fromkeys(messages):
        location = re.search(r"\([^()]+, line \d+\)$", sentence)
        lines.setdefault(location[0] if location else sentence, []).append(sentence)
    return tuple(
        f"{first}, and {len(more)} more at this line" if more else first
        for first, *more in lines.values()
    )
