"""Nested outputs of models: tensors in dictionaries, tuples, named tuples and dataclasses."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from torch import Tensor

from core.common.errors import ImportRefused


def as_containers(result: Any) -> Any:
    """An output as dictionaries and tuples only: named tuples and dataclasses by field."""
    if isinstance(result, Mapping):
        return {name: as_containers(item) for name, item in result.items()}
    if is_dataclass(result) and not isinstance(result, type):
        by_field = {f.name: getattr(result, f.name) for f in fields(result)}
        return {name: as_containers(item) for name, item in by_field.items() if item is not None}
    if isinstance(result, tuple | list):
        names = getattr(type(result), "_fields", ())
        items = tuple(as_containers(item) for item in result)
        return dict(zip(names, items, strict=True)) if names else items
    return result


def without_tensors(result: Any) -> list[str]:
    """Dictionary entries that hold neither tensors nor plain numbers."""
    if not isinstance(result, Mapping):
        return []
    odd = {n: item for n, item in result.items() if not isinstance(item, PLAIN)}
    return [f"{name} ({type(item).__name__})" for name, item in odd.items()]


PLAIN = (Tensor, dict, tuple, str, int, float, type(None))


def tensor_leaves(nested: Any) -> Iterator[Tensor]:
    """All tensors of a nested output, in order (torch's tree_leaves)."""
    if isinstance(nested, Tensor):
        yield nested
    elif isinstance(nested := as_containers(nested), Mapping):
        for item in nested.values():
            yield from tensor_leaves(item)
    elif isinstance(nested, tuple):
        for item in nested:
            yield from tensor_leaves(item)


def refuse_nothing(kind: str, result: Any) -> None:
    """Raises ImportRefused for a forward that returns nothing. kind: the class of the model."""
    if result is None:
        raise ImportRefused(
            kind,
            "returns nothing: its forward ends without a return.",
            "Write return in front of its result.",
        )
