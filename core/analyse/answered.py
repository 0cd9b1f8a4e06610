"""Questions that torch's own layers ask of values, answered where there are only shapes.

A TransformerEncoder looks whether its mask is causal, a GaussianNLLLoss whether its variances are
negative: which way they go changes no shape. Own Python gets no answer: there it may.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import torch
from torch.utils._python_dispatch import TorchDispatchMode

Result = TypeVar("Result")
ITEM = torch.ops.aten._local_scalar_dense.default
LEFT_ALIGNED = getattr(torch.ops.aten, "_nested_tensor_from_mask_left_aligned", None)
WITHOUT_VALUES = ("on meta tensors", "with Meta tensors")


class Answers(TorchDispatchMode):
    """Says no, or nought, wherever a layer asks for a value."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        if func is ITEM and args[0].is_meta:
            return torch.zeros((), dtype=args[0].dtype).item()
        if LEFT_ALIGNED is not None and func is LEFT_ALIGNED.default and args[0].is_meta:
            return False
        return func(*args, **(kwargs or {}))


def answered(run: Callable[[], Result]) -> Result:
    """Run what torch's own layers do; where one asks a meta tensor for a value, the answer is no.

    Raises whatever else `run` raises.
    """
    try:
        return run()
    except RuntimeError as error:
        if not any(words in str(error) for words in WITHOUT_VALUES):
            raise
    with Answers():
        return run()
