"""Tensors of a trace that share storage: an in-place change is visible through every alias.

A view shares the storage of its base; addresses are compared, and no value is read.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import torch

from core.common.errors import ImportRefused

START = 1 << 40
"""Where the pretended memory begins."""


class AliasTracker:
    """Values of a trace by storage. stale: values that an in-place change of an alias overwrote."""

    def __init__(self) -> None:
        self.stored: dict[int, list[tuple[int, torch.Tensor]]] = {}
        self.stale: dict[int, str] = {}

    def add(self, value: int, tensor: torch.Tensor) -> None:
        """Register the storage of a value."""
        if tensor.layout is torch.strided:
            self.stored.setdefault(_storage(tensor), []).append((value, tensor))

    def aliases_of(self, tensor: torch.Tensor) -> Iterator[tuple[int, torch.Tensor]]:
        """All values that overlap a tensor in memory."""
        same_storage = (
            self.stored.get(_storage(tensor), ()) if tensor.layout is torch.strided else ()
        )
        for value, other in same_storage:
            if other is not tensor and np.shares_memory(_addresses(other), _addresses(tensor)):
                yield value, other

    def invalidate(self, values: Iterable[int], location: str) -> None:
        """Mark values as stale after an in-place change through another alias."""
        self.stale |= dict.fromkeys(values, location)

    def check_valid(self, value: int, location: Callable[[], str]) -> int:
        """Check a value that is read. Raises ImportRefused if it is stale."""
        if value in self.stale:
            raise ImportRefused(
                location(),
                f"reads a tensor changed in place under another name: {self.stale[value]}.",
                "Write that change as a new tensor, such as x = x + 1 for x.add_(1).",
            )
        return value


def _storage(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage()._cdata


class _Addresses:
    def __init__(self, tensor: torch.Tensor) -> None:
        size = tensor.element_size()
        self.__array_interface__: dict[str, Any] = {
            "data": (START + tensor.storage_offset() * size, False),
            "shape": tuple(tensor.shape),
            "strides": tuple(step * size for step in tensor.stride()),
            "typestr": f"|V{size}",
            "version": 3,
        }


def _addresses(tensor: torch.Tensor) -> Any:
    return np.asarray(_Addresses(tensor))
