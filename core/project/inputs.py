"""Parse a model's inputs `[NAME=]SHAPE[:DTYPE][<BOUND]` and arguments NAME=VALUE of an import."""

import ast
import re
from dataclasses import dataclass
from typing import Any

from core.common.errors import LayerloomError

Shape = tuple[int, ...]
SYNTAX = re.compile(
    r"(?:(?P<name>[A-Za-z_]\w*(?:\.\w+)*)=)?(?P<shape>(?:\d{1,7}(?:,\d{1,7})*,?)?)"
    r"(?::(?P<dtype>\w+))?(?:<(?P<bound>\d{1,9}))?"
)
DTYPES = (
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "int64",
    "int32",
    "int16",
    "int8",
    "uint8",
    "bool",
    "complex64",
)


class InputError(LayerloomError, ValueError):
    """A text that is not an input or argument; `hint`: how to write one."""


@dataclass(frozen=True)
class Input:
    """One input. shape: of one sample. dtype: torch's name. bound: integers are below it; 0 for
    not known. name: the argument of forward, dotted for a part of a dictionary; "" for the next.
    """

    shape: Shape
    dtype: str = "float32"
    bound: int = 0
    name: str = ""

    @property
    def kind(self) -> str:
        """Its dtype with the bound of its integers: int64<100."""
        return f"{self.dtype}<{self.bound}" if self.bound else self.dtype

    def __str__(self) -> str:
        sizes = ",".join(map(str, self.shape))
        kind = "" if self.kind == "float32" else f":{self.kind}"
        return f"{self.name}={sizes}{kind}" if self.name else f"{sizes}{kind}"


def read_input(text: str) -> Input:
    """Read `[NAME=]SHAPE[:DTYPE][<BOUND]`, such as 3,224,224 or ids=12:int64<100.

    Raises InputError.
    """
    match = SYNTAX.fullmatch(text.replace(" ", ""))
    if match is None or not (match["shape"] or match["dtype"]):
        raise InputError(
            f"{text} is not the shape of an input.", "Write it as 3,224,224 or ids=12:int64<100."
        )
    dtype = match["dtype"] or ("int64" if match["bound"] else "float32")
    if dtype not in DTYPES:
        raise InputError(f"{text} has an unknown dtype {dtype}.", f"Write {', '.join(DTYPES)}.")
    shape = tuple(int(size) for size in match["shape"].split(",") if size)
    if 0 in shape:
        raise InputError(f"{text} has a size of 0.", "Write sizes of 1 or more.")
    if match["bound"] and (not int(match["bound"]) or "int" not in dtype):
        raise InputError(
            f"{text} has a bound, which needs an integer dtype and a number of 1 or more.",
            "Write 12:int64<100.",
        )
    return Input(shape, dtype, int(match["bound"] or 0), match["name"] or "")


def read_argument(text: str) -> tuple[str, Any]:
    """Read NAME=VALUE: None, True, numbers, strings, tuples; any other text is a string.

    Raises InputError.
    """
    name, sign, value = text.partition("=")
    if not sign or not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise InputError(
            f"{text} is not an argument.", "Write NAME=VALUE, such as valid_lens=None."
        )
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value
