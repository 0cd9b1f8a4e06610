"""Values that torch's own layers read from meta tensors, which have none: False or 0.

A TransformerEncoder checks whether its mask is causal, a GaussianNLLLoss whether its variances are
negative: neither changes a shape. Own Python gets no such value.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import torch
from torch.utils._python_dispatch import TorchDispatchMode

Result = TypeVar("Result")
ITEM = torch.ops.aten._local_scalar_dense.default
LEFT_ALIGNED = getattr(torch.ops.aten, "_nested_tensor_from_mask_left_aligned", None)
WITHOUT_VALUES = ("on meta tensors", "with Meta tensors")


class MetaValues(TorchDispatchMode):
    """Returns 0 or False where a layer reads a value of a meta tensor."""

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        if func is ITEM and args[0].is_meta:
            return torch.zeros((), dtype=args[0].dtype).item()
        if LEFT_ALIGNED is not None and func is LEFT_ALIGNED.default and args[0].is_meta:
            return False
        return func(*args, **(kwargs or {}))


def with_meta_values(run: Callable[[], Result]) -> Result:
    """Call `run`; if it reads a value of a meta tensor, call it again with 0 and False as values.

    Raises whatever else `run` raises.
    """
    try:
        return run()
    except RuntimeError as error:
        if not any(words in str(error) for words in WITHOUT_VALUES):
            raise
    with MetaValues():
        return run()
