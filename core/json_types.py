"""Type guards for values that were read from JSON: their contents are not known yet."""

from collections.abc import Mapping
from typing import Any, TypeGuard


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
