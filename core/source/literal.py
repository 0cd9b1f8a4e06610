"""The only printer of values into source: numbers, strings, None and tuples of these."""

import math
from typing import Any


class Bare(str):
    """Checked text that stands in source as it is, such as torch.float32."""


def literal(value: Any) -> str:
    """Write a plain value as Python text.

    Raises TypeError for anything but None, bool, int, float, str, and tuples or lists of them.
    """
    if value is None or type(value) in (bool, int):
        return repr(value)
    if type(value) is float:
        return repr(value) if math.isfinite(value) else f'float("{value}")'
    if type(value) is str:
        return quote(value)
    if type(value) is Bare:
        return str(value)
    if type(value) in (tuple, list):
        items = [literal(item) for item in value]
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    raise TypeError(f"a {type(value).__name__} cannot be written into source")


def quote(text: str) -> str:
    """Write a string in double quotes, all but printable ASCII escaped."""
    body = text.encode("unicode_escape").decode("ascii").replace('"', '\\"')
    return f'"{body}"'


def prose(text: str) -> str:
    """Make free text safe for a docstring or comment: one printable line, no quotes."""
    kept = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(kept.replace("\\", "/").replace('"', "'").split())
