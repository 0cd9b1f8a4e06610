"""How far a network's outputs move where its values are kept in fewer bits.

Measured on the network itself: each weight, and each value that an operation gives, is rounded as
the file keeps it. The rounding goes through all layers as it does in the file.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map


@dataclass(frozen=True)
class Rounding:
    """How values are kept in fewer bits.

    keep: a float32 tensor as it is kept, in float32 again. unit: the largest relative error.
    """

    keep: Callable[[Tensor], Tensor]
    unit: float


def half(value: Tensor) -> Tensor:
    """A float32 tensor with the precision and the range of float16."""
    return value.half().float()


HALF_PRECISION = Rounding(half, 2**-11)


def rounded(module: Callable[..., Any], rounding: Rounding, seed: int = 0) -> Callable[..., Any]:
    """The module with all its float32 values rounded.

    seed: 0 for rounding to the nearest. With others, what operations give is moved by random errors
    of that size before: one more case of what rounding may do.
    """

    def run(*inputs: Tensor) -> Any:
        with _Rounded(rounding, torch.Generator().manual_seed(seed) if seed else None):
            return module(*inputs)

    return run


class RoundedValues(TorchDispatchMode):
    """Passes what each operation gives through `kept`.

    An operation that writes into a tensor keeps that tensor: its values are replaced in place. One
    that gives a view is left alone.
    """

    def kept(self, value: Tensor, operation: str) -> Tensor:
        """A float32 value that an operation gives, as it is kept."""
        raise NotImplementedError

    def read(self, value: Tensor) -> Tensor:
        """A float32 value that an operation receives."""
        return value

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        schema, named, name = func._schema, kwargs or {}, str(func)

        def given(value: Any) -> Any:
            return self.kept(value, name) if is_wide(value) else value

        def in_place(value: Any) -> Any:
            return value.copy_(self.kept(value, name)) if is_wide(value) else value

        if schema.is_mutable:
            return tree_map(in_place, func(*args, **named))
        if any(each.alias_info is not None for each in schema.returns):
            return func(*args, **named)
        read_args, read_named = tree_map(self._read, (tuple(args), dict(named)))
        return tree_map(given, func(*read_args, **read_named))

    def _read(self, value: Any) -> Any:
        return self.read(value) if is_wide(value) else value


class _Rounded(RoundedValues):
    """Rounds what each operation receives and gives."""

    def __init__(self, rounding: Rounding, generator: torch.Generator | None) -> None:
        super().__init__()
        self.rounding, self.generator = rounding, generator

    def read(self, value: Tensor) -> Tensor:
        return self.rounding.keep(value)

    def kept(self, value: Tensor, operation: str) -> Tensor:
        if self.generator is not None:
            noise = torch.empty_like(value).uniform_(-1, 1, generator=self.generator)
            value = value * (1 + self.rounding.unit * noise)
        return self.rounding.keep(value)


def is_wide(value: Any) -> bool:
    """Whether a value is a float32 tensor."""
    return isinstance(value, Tensor) and value.dtype == torch.float32
