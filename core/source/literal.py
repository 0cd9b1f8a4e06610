"""Print values as source: numbers, strings, None and tuples of these. The only place that does."""

import ast
import math
from typing import Any, cast


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
    printable = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(printable.replace("\\", "/").replace('"', "'").split())


def type_name(value: Any) -> str:
    """Write the annotation of an argument that is given this value."""
    if isinstance(value, Bare):
        text = ast.parse(value, mode="eval").body
        if isinstance(text, ast.Attribute):
            return "torch.dtype"
        return _made_by(text) if isinstance(text, ast.Call) else _type_of(text)
    if isinstance(value, tuple):
        items = {type_name(item) for item in cast(tuple[Any, ...], value)} or {"int"}
        return f"tuple[{' | '.join(sorted(items, key=lambda n: (n == 'None', n)))}, ...]"
    return "None" if value is None else type(value).__name__


def _made_by(call: ast.Call) -> str:
    """The annotation of what a constructor makes: Tensor, or its own class."""
    name = ast.unparse(call.func)
    return "Tensor" if name == "torch.tensor" else name


def _type_of(text: ast.expr) -> str:
    """The annotation of numbers in brackets."""
    if isinstance(text, ast.List):
        items = sorted({_type_of(item) for item in text.elts}) or ["float"]
        return f"list[{'float' if set(items) == {'float', 'int'} else ' | '.join(items)}]"
    if isinstance(text, ast.UnaryOp):
        return _type_of(text.operand)
    return type(text.value).__name__ if isinstance(text, ast.Constant) else "float"
