"""How values lie in memory: calls that change it are drawn where a reader needs it so.

The values are the same; layers and arithmetic choose another kernel, whose last bits differ.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from core.importing.tracing.canonicalize import CASTS

LAYING_OUT = frozenset({"contiguous", "clone"})
"""Functions that give the values they are given, laid out anew."""
RESHAPING = frozenset({"view", "reshape", "flatten"})
"""Functions that copy what they are given where it cannot be seen in the new shape as it lies."""
FOLLOWING = frozenset(
    "Conv2d Conv3d ConvTranspose2d ConvTranspose3d PixelShuffle "
    "conv2d conv3d conv_transpose2d conv_transpose3d pixel_shuffle".split()
)
"""What lays its result out as its input lies, though not on the meta device."""
Layout = tuple[torch.Size, tuple[int, ...], torch.dtype]


def layout(tensor: Tensor) -> Layout:
    """How a tensor lies in memory."""
    return tensor.size(), tensor.stride(), tensor.dtype


def laid_out(
    name: str, args: Any, kwargs: Mapping[str, Any], result: Any
) -> tuple[str, dict[str, Any]] | None:
    """The function and its words for a call that asks for a format: contiguous, or clone where
    that would not copy. With one channel both formats describe a tensor, and only a copy differs.
    """
    asked = kwargs.get("memory_format", torch.preserve_format)
    if name not in CASTS | LAYING_OUT or asked == torch.preserve_format:
        return None
    if not isinstance(args[0], Tensor) or result.dtype != args[0].dtype:
        return None
    words = {} if asked == torch.contiguous_format else {"memory_format": asked}
    same = empty(layout(args[0])).contiguous(memory_format=asked).stride() == result.stride()
    return ("contiguous", words) if same else ("clone", {"memory_format": asked})


def empty(like: Layout) -> Tensor:
    """A tensor without values that lies in memory as another does."""
    size, stride, dtype = like
    return torch.empty_strided(size, stride, dtype=dtype, device="meta")


def needs_layout(name: str, args: Any, result: Any, sources: Mapping[int, Layout]) -> bool:
    """Whether a call needs what it is given as it lies in memory.

    sources: how that lay before it was laid out anew, by its identity. A copy that changed nothing
    is needed by nobody; a view is the same where torch copies for it by itself.
    """
    given = args[0] if args else None
    if name in LAYING_OUT and isinstance(given, Tensor):
        return given.stride() != result.stride()
    before = sources.get(id(given))
    if name not in RESHAPING or before is None:
        return True
    return empty(before).reshape(result.shape).stride() != result.stride()


def as_computed(name: str, result: Any, *given: Any) -> Any:
    """A result without values, laid out as the processor would.

    given: what the call reads, its weight too: either with channels last makes it so.
    """
    if name not in FOLLOWING or not isinstance(result, Tensor) or not result.is_meta:
        return result
    if not any(_channels_last(t) for t in given if isinstance(t, Tensor)):
        return result
    last = torch.channels_last if result.dim() == 4 else torch.channels_last_3d
    return result.contiguous(memory_format=last) if result.dim() in (4, 5) else result


def _channels_last(tensor: Tensor) -> bool:
    """Whether the channels of a pixel lie closest together, the pixels of a row next."""
    if tensor.dim() not in (4, 5) or tensor.is_contiguous():
        return False
    strides = [tensor.stride(dim) for dim in (1, *range(tensor.dim() - 1, 1, -1), 0)]
    return strides == sorted(strides)
