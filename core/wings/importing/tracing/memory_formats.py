"""Memory formats: calls that change strides (contiguous, clone) are drawn where a reader needs it.

Values are the same, but layers and arithmetic choose another kernel, whose last bits differ.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from core.wings.importing.tracing.canonicalize import CASTS

COPYING = frozenset({"contiguous", "clone"})
"""Functions that return the same values in another memory layout."""
RESHAPING = frozenset({"view", "reshape", "flatten"})
"""Functions that copy what they are given where it cannot be seen in the new shape as it lies."""
PRESERVING = frozenset(
    "Conv2d Conv3d ConvTranspose2d ConvTranspose3d PixelShuffle "
    "conv2d conv3d conv_transpose2d conv_transpose3d pixel_shuffle".split()
)
"""What lays its result out as its input lies, though not on the meta device."""
Layout = tuple[torch.Size, tuple[int, ...], torch.dtype]


def layout(tensor: Tensor) -> Layout:
    """The size, strides and dtype of a tensor."""
    return tensor.size(), tensor.stride(), tensor.dtype


def memory_format_call(
    name: str, args: Any, kwargs: Mapping[str, Any], result: Any
) -> tuple[str, dict[str, Any]] | None:
    """The function and keywords for a call with a memory format: contiguous, or clone where that
    would not copy. With one channel both formats describe a tensor, and only a copy differs."""
    memory_format = kwargs.get("memory_format", torch.preserve_format)
    if name not in CASTS | COPYING or memory_format == torch.preserve_format:
        return None
    if not isinstance(args[0], Tensor) or result.dtype != args[0].dtype:
        return None
    words = {} if memory_format == torch.contiguous_format else {"memory_format": memory_format}
    same = (
        empty_like_layout(layout(args[0])).contiguous(memory_format=memory_format).stride()
        == result.stride()
    )
    return ("contiguous", words) if same else ("clone", {"memory_format": memory_format})


def empty_like_layout(like: Layout) -> Tensor:
    """A meta tensor with the given layout."""
    size, stride, dtype = like
    return torch.empty_strided(size, stride, dtype=dtype, device="meta")


def needs_layout(name: str, args: Any, result: Any, sources: Mapping[int, Layout]) -> bool:
    """Whether a call depends on the strides of its input.

    sources: the layout before the last copy, by id. A copy that changed nothing is not needed; a
    view gives the same if torch would copy for it anyway.
    """
    x = args[0] if args else None
    if name in COPYING and isinstance(x, Tensor):
        return x.stride() != result.stride()
    before = sources.get(id(x))
    if name not in RESHAPING or before is None:
        return True
    return empty_like_layout(before).reshape(result.shape).stride() != result.stride()


def with_cpu_layout(name: str, result: Any, *arguments: Any) -> Any:
    """A meta result with the strides that the CPU kernel would give it.

    arguments: the call's inputs and weight: channels_last in either makes the result channels_last.
    """
    if name not in PRESERVING or not isinstance(result, Tensor) or not result.is_meta:
        return result
    if not any(_channels_last(t) for t in arguments if isinstance(t, Tensor)):
        return result
    last = torch.channels_last if result.dim() == 4 else torch.channels_last_3d
    return result.contiguous(memory_format=last) if result.dim() in (4, 5) else result


def _channels_last(tensor: Tensor) -> bool:
    """Whether a tensor is channels_last: the channels of a pixel are adjacent in memory."""
    if tensor.dim() not in (4, 5) or tensor.is_contiguous():
        return False
    strides = [tensor.stride(dim) for dim in (1, *range(tensor.dim() - 1, 1, -1), 0)]
    return strides == sorted(strides)
