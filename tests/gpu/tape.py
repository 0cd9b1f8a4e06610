"""What a CUDA graph does, on the processor: calls of kernels, made again on the same tensors.

No Python runs when it is played: numbers that Python worked out stay those of the recording, and
what a step leaves lies where the recorded one left it. So a step that would go wrong as a CUDA
graph goes wrong here, without a GPU.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

WAITS = torch.ops.aten._local_scalar_dense.default


class Tape(TorchDispatchMode):
    """Records the calls below autograd, backward passes and optimisers included."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, Any, Any, Any]] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Make a call and remember it. Reading a number is refused, as by a GPU."""
        if func is WAITS:
            raise RuntimeError("operation not permitted when stream is capturing")
        out = func(*args, **(kwargs or {}))
        self.calls.append((func, args, kwargs or {}, out))
        return out

    def play(self) -> None:
        """Make all calls again."""
        with torch.no_grad():
            for func, args, kwargs, out in self.calls:
                found = func(*args, **kwargs)
                for old, new in zip(tree_leaves(out), tree_leaves(found), strict=True):
                    if isinstance(old, Tensor) and old.data_ptr() != new.data_ptr():
                        old.copy_(new)


def taped(body: Callable[[], None]) -> Callable[[], None]:
    """Record as `cuda_graph` does: after steps that do not count."""
    for _ in range(2):
        body()
    with Tape() as tape:
        body()
    return tape.play
