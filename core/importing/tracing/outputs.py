"""What models give back: tensors, in dictionaries, tuples, named tuples and dataclasses."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from torch import Tensor


def by_name(result: Any) -> Any:
    """A result as dictionaries and tuples: named tuples and dataclasses by their fields."""
    if isinstance(result, Mapping):
        return {name: by_name(item) for name, item in result.items()}
    if is_dataclass(result) and not isinstance(result, type):
        found = {f.name: getattr(result, f.name) for f in fields(result)}
        return {name: by_name(item) for name, item in found.items() if item is not None}
    if isinstance(result, tuple | list):
        names = getattr(type(result), "_fields", ())
        items = tuple(by_name(item) for item in result)
        return dict(zip(names, items, strict=True)) if names else items
    return result


def without_tensors(result: Any) -> list[str]:
    """Entries of a dictionary that hold something, but neither tensors nor plain numbers."""
    if not isinstance(result, Mapping):
        return []
    odd = {n: item for n, item in result.items() if not isinstance(item, PLAIN)}
    return [f"{name} ({type(item).__name__})" for name, item in odd.items()]


PLAIN = (Tensor, dict, tuple, str, int, float, type(None))


def tensors(found: Any) -> Iterator[Tensor]:
    """All tensors of a nested result, in order."""
    if isinstance(found, Tensor):
        yield found
    elif isinstance(found := by_name(found), Mapping):
        for item in found.values():
            yield from tensors(item)
    elif isinstance(found, tuple):
        for item in found:
            yield from tensors(item)
