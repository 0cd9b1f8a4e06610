"""Calls in the form of torch's own signatures (as torch.fx's normalize_function): numpy's keywords
renamed, the first input positional."""

from collections.abc import Mapping
from typing import Any

import torch

NUMPY = {"axis": "dim", "keepdims": "keepdim"}
"""Numpy's words that torch's functions take, too."""
LEADING = ("input", "tensors", "self")
"""What the first argument of a function is called."""


def normalize_function(
    func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None
) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """Make the first input positional and use torch's keywords.

    x.where(mask, y) becomes torch.where(mask, x, y).
    """
    named = {NUMPY.get(key, key): value for key, value in (kwargs or {}).items()}
    if named.get("out", ...) is None:
        del named["out"]
    lead = next((key for key in LEADING if key in named), "")
    if lead and not args and (lead == "tensors" or isinstance(named[lead], torch.Tensor)):
        args = (named.pop(lead),)
    if "axis0" in named:  # of swapaxes
        args = (*args, named.pop("axis0"), named.pop("axis1"))
    if func is torch.Tensor.where and len(args) > 1:
        func, args = torch.where, (args[1], args[0], *args[2:])
    return func, args, named
