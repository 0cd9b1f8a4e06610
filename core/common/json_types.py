"""JSON from anywhere: reading it, and type guards for its values, which are not known yet."""

import json
import re
from collections.abc import Mapping
from typing import Any, TypeGuard

HALF = re.compile(rb"\\u[dD][89a-fA-F]|\xed[\xa0-\xbf]")
"""How half a character (a lone surrogate) is written, and what may be the half of a whole one."""


def loads(data: bytes) -> Any:
    """Read JSON; half a character, which no page and no file can hold, becomes a question mark.

    Raises ValueError, RecursionError.
    """
    value = json.loads(data)
    if not HALF.search(data):
        return value
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def is_object(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether a value is an object of JSON, or another mapping."""
    return isinstance(value, Mapping)


def is_dict(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether a value is a dict, as an object of JSON is read; no other mapping."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether a value is a list, as an array of JSON is read; no tuple."""
    return isinstance(value, list)


def is_array(value: object) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    """Whether a value is an array of JSON, or a tuple that one became."""
    return isinstance(value, list | tuple)
