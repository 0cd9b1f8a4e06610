"""Messages about invalid project files, and how values from a file are quoted in them.

Text from a file reaches a message only through `quote` or `at`: shortened and printable.
"""

import json
import re
from collections.abc import Iterable
from typing import Any, NoReturn

from core.common.errors import ProjectError

SIMPLE_KEY = re.compile(r"\A[A-Za-z][A-Za-z0-9_]{0,39}\Z")
LONGEST = 60


def quote(value: Any, whole: bool = False) -> str:
    """Write a value from a file for a message: as JSON, printable, at most 60 characters.

    whole: never cut, as what somebody is asked to trust must not be.
    """
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, str) and not whole:
        value = value if len(value) <= LONGEST - 2 else value[: LONGEST - 5] + "..."
    text = json.dumps(value, ensure_ascii=False) if not _long(value) else "a very long number"
    text = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)
    return text if whole or len(text) <= 3 * LONGEST else text[: 3 * LONGEST] + '..."'


def _long(value: Any) -> bool:
    return isinstance(value, int) and value.bit_length() > 4 * LONGEST


def shown(name: str) -> str:
    """Write the name of a file for a message, quoted if it holds invisible characters."""
    return name if name.isprintable() else quote(name)


def at(path: str, key: str | int) -> str:
    """Extend a JSON path: `graph.nodes` and `conv1` give `graph.nodes.conv1`."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    if not SIMPLE_KEY.match(key):
        return f"{path}[{quote(key)}]"
    return f"{path}.{key}" if path else key


def fail(path: str, message: str, hint: str = "") -> NoReturn:
    """Refuse a file. Raises ProjectError."""
    raise ProjectError(path, message, hint)


def one_of(names: Iterable[str]) -> str:
    """List names for a hint, at most a dozen of them."""
    listed = list(names)
    return ", ".join(listed[:12]) + (", ..." if len(listed) > 12 else "")


def in_file(name: str, error: ProjectError) -> ProjectError:
    """The error with the name of the file before its JSON path."""
    name = shown(name)
    where = f"{name}: {error.place}" if error.place else name
    return ProjectError(where, error.message, error.hint)
