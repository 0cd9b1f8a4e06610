"""Which values of a run lie in the same memory: what is changed in place changes under every name.

A view shares the memory of what it is a view of; the addresses are compared, no value is read.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import torch

from core.errors import ImportRefused

START = 1 << 40
"""Where the pretended memory begins."""


class Memory:
    """The tensors of a run by the storage they lie in. stale: values that are no longer there."""

    def __init__(self) -> None:
        self.stored: dict[int, list[tuple[int, torch.Tensor]]] = {}
        self.stale: dict[int, str] = {}

    def keep(self, value: int, tensor: torch.Tensor) -> None:
        """Note where a value lies."""
        if tensor.layout is torch.strided:
            self.stored.setdefault(_storage(tensor), []).append((value, tensor))

    def sharing(self, tensor: torch.Tensor) -> Iterator[tuple[int, torch.Tensor]]:
        """All values that have a number in common with a tensor."""
        there = self.stored.get(_storage(tensor), ()) if tensor.layout is torch.strided else ()
        for value, other in there:
            if other is not tensor and np.shares_memory(_addresses(other), _addresses(tensor)):
                yield value, other

    def age(self, values: Iterable[int], place: str) -> None:
        """Note values that a call changed under another name."""
        self.stale |= dict.fromkeys(values, place)

    def read(self, value: int, place: Callable[[], str]) -> int:
        """A value that is read. Raises ImportRefused if it was changed under another name."""
        if value in self.stale:
            raise ImportRefused(
                place(),
                f"reads what was changed in place under another name: {self.stale[value]}.",
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
