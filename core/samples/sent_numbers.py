"""Numbers of a request as arrays: their shape and their type are checked."""

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from core.samples.request_error import RequestError

Json = Mapping[str, Any]


def read_array(spec: Json, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers of a shape, or as many in one list. Raises RequestError."""
    name, whole = spec["name"], not spec["dtype"].startswith("float")
    try:
        found = np.asarray(value)
    except (ValueError, OverflowError):  # lists of different lengths
        found = np.asarray(None)
    if found.dtype.kind not in ("biu" if spec["dtype"] == "bool" else "iu" if whole else "iuf"):
        what = "whole numbers" if whole else "numbers"
        raise RequestError(
            422,
            f"{name} needs {what} of the shape {shape} but received something else.",
            "Send lists in lists, all of the same length.",
            name,
        )
    if found.shape not in (shape, (prod(shape),)):
        raise RequestError(
            422, f"{name} needs the shape {shape} but receives {found.shape}.", place=name
        )
    return finite(name, found.reshape(shape), spec["dtype"])


def finite(name: str, found: np.ndarray, dtype: str) -> np.ndarray:
    """Numbers in the type of the Input. Raises RequestError for one that does not fit."""
    if dtype == "bool":
        return found.astype(bool)
    if not dtype.startswith("float"):
        return found.astype(np.int64)
    with np.errstate(over="ignore"):
        found = found.astype(np.float32)
    if not np.isfinite(found).all():
        raise RequestError(
            422, f"{name} holds a number that does not fit into float32.", place=name
        )
    return found
