"""The small file that names the classes of masks: a class in each line, as tools write it.

road                  the first line is class 0
1 road                the number of the class
128 64 128 road       its colour, red, green and blue; also road,128,64,128 and road:128,64,128::
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core.common.errors import DataError

CLASS_FILES = (
    "classes.txt",
    "classes.csv",
    "class_dict.csv",
    "class_names.txt",
    "labels.txt",
    "label_colors.txt",
    "labelmap.txt",
    "codes.txt",
)
"""What it may be called, in lower case."""
LARGEST_BYTES = 1 << 16
MOST_LETTERS = 80
KINDS: dict[int, Literal["order", "numbers", "colours"]] = {0: "order", 1: "numbers", 3: "colours"}
_BETWEEN = re.compile(r"[,;:\t ]+")


@dataclass(frozen=True)
class ClassFile:
    """kind: what it says of each class. values: a number, or a colour as red * 65536 + green * 256
    + blue, of each; names: theirs."""

    kind: Literal["order", "numbers", "colours"]
    values: tuple[int, ...]
    names: tuple[str, ...]


def read_class_file(path: Path) -> ClassFile:
    """Read the file. Raises DataError naming the line that cannot be read."""
    if path.stat().st_size > LARGEST_BYTES:
        raise DataError(
            f"{path.name} has {path.stat().st_size:,} bytes, too many for the names of classes.",
            "Write a class in each line, such as “1 road”.",
        )
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeError as error:
        raise DataError(f"{path.name} is not UTF-8 text.", "Save it in UTF-8.") from error
    lines = [(n, line.strip()) for n, line in enumerate(text.splitlines(), 1)]
    rows = [(n, *_parted(line)) for n, line in lines if line and not line.startswith("#")]
    if len(rows) > 1 and not rows[0][1] and rows[1][1]:
        rows = rows[1:]  # the names of columns
    if not rows:
        raise DataError(f"{path.name} names no class.", "Write a class in each line.")
    return _checked(path.name, rows)


def _parted(line: str) -> tuple[tuple[int, ...], str]:
    """The numbers of a line, and its other words."""
    words = [word for word in _BETWEEN.split(line) if word]
    numbers = tuple(int(w) for w in words if w.isdecimal() and len(w) < 6)
    return numbers, " ".join(word for word in words if not word.isdecimal())[:MOST_LETTERS]


def _checked(name: str, rows: list[tuple[int, tuple[int, ...], str]]) -> ClassFile:
    """The classes of the rows. Raises DataError."""
    count = len(rows[0][1])
    for number, numbers, word in rows:
        good = len(numbers) == count and count in KINDS and (count < 3 or max(numbers) < 256)
        if not good or not word:
            raise DataError(
                f"Line {number} of {name} is not a class: it has {len(numbers)} numbers and "
                f"{'a' if word else 'no'} name.",
                "Write a name, a number and a name, or three numbers of a colour and a name, the "
                "same in each line.",
            )
    if count == 3:
        values = [red << 16 | green << 8 | blue for _, (red, green, blue), _ in rows]
    else:
        values = [numbers[0] if numbers else place for place, (_, numbers, _) in enumerate(rows)]
    names = tuple(word for _, _, word in rows)
    for what, each in (("value", values), ("name", names)):
        twice = next((one for one in each if [*each].count(one) > 1), None)
        if twice is not None:
            raise DataError(f"{name} gives one {what} to two classes.", "Make them differ.")
    return ClassFile(KINDS[count], tuple(values), names)
