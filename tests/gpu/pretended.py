"""A GPU that is only pretended: shapes, types and devices of every tensor, and no numbers.

Torch's FakeTensorMode knows of each tensor on which device it would lie and refuses to mix two.
What would make the processor wait for the GPU is noticed: reading a number, and copying from one to
the other. Backward passes are torch's own and need a device, so weights get gradients without one.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import numpy as np
import torch
import torch._subclasses.fake_tensor as fake
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

ATEN = torch.ops.aten
READS = (ATEN._local_scalar_dense.default, ATEN.equal.default, ATEN.nonzero.default)
COMPOSED = torch._C.DispatchKey.CompositeImplicitAutograd
COPIES = (ATEN._to_copy.default, ATEN.copy_.default)


class Waits(TorchDispatchMode):
    """Notes each wait in `seen`; a number that is read is 1/2, a whole one 1."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Make a call, unless it reads a number."""
        kwargs = kwargs or {}
        gpu = any(t.is_cuda for t in tree_leaves((args, kwargs)) if isinstance(t, Tensor))
        if func in READS:
            self.seen += [str(func)] if gpu else []
            return self._read(func, args)
        if func is ATEN.bincount.default:
            self.seen.append(str(func))
            return args[0].new_empty(args[2])
        if func is ATEN.index.Tensor:
            args = (args[0], [self._whole(index) for index in args[1]])
        has = torch._C._dispatch_has_kernel_for_dispatch_key
        if func.namespace == "aten" and has(func.name(), COMPOSED):
            with self:  # in inference mode calls come here before they are taken apart
                return func.decompose(*args, **kwargs)
        out = func(*args, **kwargs)
        if func in COPIES and not kwargs.get("non_blocking") and _crosses(func, args, out):
            self.seen.append(f"{func} to {out.device}")
        return out

    def _whole(self, index: Any) -> Any:
        """All rows, where others are chosen by numbers that are not there."""
        if index is None or index.dtype != torch.bool:
            return index
        self.seen.append("rows chosen by numbers")
        return torch.arange(len(index), device=index.device)

    def _read(self, func: Any, args: Any) -> Any:
        if func is READS[0]:
            return 0.5 if args[0].is_floating_point() else 1
        if func is READS[1]:
            return True
        rows = torch.arange(args[0].numel(), device=args[0].device)
        return torch.stack([rows] * args[0].ndim, dim=1)


def _crosses(func: Any, args: Any, out: Tensor) -> bool:
    source = args[1] if func is COPIES[1] else args[0]
    return source.device.type != out.device.type


def _leaves(node: Any, seen: set[Any]) -> Iterator[Tensor]:
    if node is None or node in seen:
        return
    seen.add(node)
    if hasattr(node, "variable"):
        yield node.variable
    for following, _ in node.next_functions:
        yield from _leaves(following, seen)


def _backward(loss: Tensor, *_: Any, **__: Any) -> None:
    """Give every weight that the loss depends on a gradient like itself."""
    assert loss.is_cuda
    for weight in _leaves(loss.grad_fn, set()):
        grad = torch.empty_like(weight)
        weight.grad = grad if weight.grad is None else weight.grad + grad


def _grad(loss: Tensor, weights: list[Tensor], **_: Any) -> list[Tensor]:
    assert loss.is_cuda
    reached = {id(weight) for weight in _leaves(loss.grad_fn, set())}
    assert all(id(weight) in reached for weight in weights)
    return [torch.empty_like(weight) for weight in weights]


def _without_meta(mode: Any, func: Any, flat: Any, spec: Any, error: Exception) -> Any:
    """What kernels give of which torch knows no shapes; fused optimisers work in place."""
    tensors = [t for t in flat if isinstance(t, Tensor)]
    assert {t.device.type for t in tensors} == {"cuda"}
    if func is ATEN._thnn_fused_gru_cell.default:
        rows, width = tensors[2].shape
        return torch.empty_like(tensors[2]), tensors[2].new_empty(rows, 5 * width)
    if not str(func).startswith("aten._fused_"):
        raise error
    return None


def _listed(tensor: Tensor) -> Any:
    """What `tolist` would give, all of it 1."""
    one = 1.0 if tensor.is_floating_point() else 1
    found: Any = one
    for count in reversed(tensor.shape):
        found = [found] * count
    return found


class _Generator(torch.Generator):
    """One that needs no GPU, whatever its device."""

    def __new__(cls, *_: Any) -> torch.Generator:
        return super().__new__(cls)


@contextmanager
def pretended_gpu() -> Iterator[Waits]:
    """Have torch pretend that there is a GPU, with all tensors made in here."""
    kinds = [torch.Tensor, nn.Parameter, fake.FakeTensor]
    patches = {
        "torch.Tensor.backward": _backward,
        "torch.autograd.grad": _grad,
        "torch._subclasses.fake_tensor.run_fallback_kernel": _without_meta,
        "torch.cuda.amp.common.amp_definitely_not_available": lambda: False,
        "torch.cuda.is_bf16_supported": lambda *_, **__: True,
        "torch.optim.optimizer._foreach_supported_types": kinds,
        "torch.utils._foreach_utils._foreach_supported_types": kinds,
        "torch.cuda.Event": mock.Mock,  # passed at once
        "torch.backends.mha._is_fastpath_enabled": False,  # no shapes of it in torch 2.11
        "torch.Generator": _Generator,
        "torch.Tensor.tolist": _listed,
        "torch.Tensor.numpy": lambda tensor, *_, **__: np.array(_listed(tensor)),
        "torch.Tensor.pin_memory": lambda tensor, *_: tensor,
        "core.engine.trainer_state.rng_state": dict,
        "core.engine.trainer_state.set_rng_state": lambda _: None,
    }
    with ExitStack() as stack:
        for name, new in patches.items():
            stack.enter_context(mock.patch(name, new))
        stack.enter_context(torch.backends.cudnn.flags(enabled=False))  # it would ask the driver
        stack.enter_context(fake.FakeTensorMode(allow_non_fake_inputs=True))
        yield stack.enter_context(Waits())


def moved(module: nn.Module) -> nn.Module:
    """What `module.to("cuda")` moves, on the pretended GPU; its numbers are gone."""
    for part in module.modules():
        for name, weight in part._parameters.items():
            if weight is not None:
                there = torch.empty_like(weight.detach(), device="cuda")
                part._parameters[name] = nn.Parameter(there, weight.requires_grad)
        for name, buffer in part._buffers.items():
            if buffer is not None:
                part._buffers[name] = torch.empty_like(buffer, device="cuda")
        if isinstance(part, nn.RNNBase):
            part._flat_weights = [getattr(part, name) for name in part._flat_weights_names]
    return module
