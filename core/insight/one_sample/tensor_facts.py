"""Facts on one tensor: type and shape, statistics, and its numbers page by page."""

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor

from core.tasks.tensor_values import ints, nested, split

Json = dict[str, Any]
BINS, ROWS, COLUMNS = 30, 12, 6
MOST_COPIED = 50_000
"""Bars of a histogram; most rows and columns of a page; most numbers of a text for NumPy."""


def statistics(value: Tensor) -> Json:
    """Smallest, mean, largest, standard deviation (torch's, n - 1), zeros, NaN, Inf, histogram.

    Of finite numbers only; "finite" tells how many there are. None where there is no such number.
    """
    flat = value.detach().reshape(-1)
    known = flat[torch.isfinite(flat)] if flat.is_floating_point() else flat
    real = known.float() if not known.is_floating_point() else known
    some = len(known) > 0
    return {
        "shape": list(value.shape),
        "dtype": str(value.dtype).removeprefix("torch."),
        "device": str(value.device),
        "count": value.numel(),
        "finite": len(known),
        "min": real.min().item() if some else None,
        "mean": real.mean().item() if some else None,
        "max": real.max().item() if some else None,
        "std": real.std().item() if len(known) > 1 else None,
        "zeros": int((flat == 0).sum()),
        "nan": int(torch.isnan(flat).sum()) if flat.is_floating_point() else 0,
        "inf": int(torch.isinf(flat).sum()) if flat.is_floating_point() else 0,
        "histogram": ints(torch.histc(real, BINS).int()) if some else [],
    }


def page_of(value: Tensor, number: int = 0) -> Json:
    """One page of the numbers: at most ROWS x COLUMNS of one map, map by map, row by row.

    What has one row only, also (1, 32, 1, 1), is wrapped into lines. at: the index of the first
    number; place: where the page lies, as an index of Python.
    """
    value, sizes = value.detach(), list(value.shape)
    if not value.numel():
        return {"number": 0, "pages": 1, "at": [0] * len(sizes), "place": "[:]", "rows": []}
    ones = next((i for i, size in enumerate(reversed(sizes)) if size != 1), len(sizes))
    ones = min(ones, max(len(sizes) - 1, 0))  # a dimension stays
    sizes = sizes[: len(sizes) - ones] or [1]
    if len(sizes) == 1 or sizes[-2] == 1:
        return _wrapped(value, sizes, ones, number)
    height, width = sizes[-2:]
    rows, columns = _even(height, ROWS), _even(width, COLUMNS)
    down, across = max(1, -(-height // rows)), max(1, -(-width // columns))
    pages = math.prod(sizes[:-2]) * down * across
    number = min(max(number, 0), max(pages - 1, 0))
    which, rest = divmod(number, down * across)
    top, left = rows * (rest // across), columns * (rest % across)
    lead = _places(which, sizes[:-2])
    part = value.reshape(-1, height, width)[which, top : top + rows, left : left + columns]
    indices = [*map(str, lead), f"{top}:", f"{left}:", *["0"] * ones]
    return {
        "number": number,
        "pages": pages,
        "at": [*lead, top, left, *[0] * ones],
        "place": f"[{', '.join(indices)}]",
        "rows": _rows(part),
    }


def _wrapped(value: Tensor, sizes: list[int], ones: int, number: int) -> Json:
    """A page of single rows, each wrapped into lines: as `page_of`."""
    width, each = sizes[-1], ROWS * COLUMNS
    across = max(1, -(-width // each))
    pages = math.prod(sizes[:-1]) * across
    number = min(max(number, 0), max(pages - 1, 0))
    which, turn = divmod(number, across)
    part = value.reshape(-1, width)[which, each * turn : each * (turn + 1)]
    lead, end = _places(which, sizes[:-1]), each * turn + len(part)
    places = [*map(str, lead), f"{each * turn}:{end}", *["0"] * ones] if value.dim() else []
    at = [*lead, each * turn, *[0] * ones] if value.dim() else []
    lines = split(part, COLUMNS)
    return {
        "number": number,
        "pages": pages,
        "at": at,
        "place": f"[{', '.join(places)}]",
        "rows": [row for line in lines for row in _rows(line[None])],
    }


def _even(size: int, most: int) -> int:
    """How many go on each page, so that pages are as even as they can be."""
    pages = max(1, -(-size // most))
    return max(1, -(-size // pages))


def _places(which: int, sizes: list[int]) -> list[int]:
    return [int(n) for n in np.unravel_index(which, sizes)] if sizes else []


def _rows(part: Tensor) -> list[list[Any]]:
    return [[_plain(v) for v in row] for row in nested(part)]


def _plain(number: Any) -> Any:
    """A number as strict JSON has it: what is none is written as Python prints it."""
    finite = not isinstance(number, float) or math.isfinite(number)
    return number if finite else str(number)


def numpy_text(name: str, value: Tensor) -> str:
    """A statement that gives the same array in NumPy, to the bit.

    Raises ValueError for more than MOST_COPIED numbers.
    """
    if value.numel() > MOST_COPIED:
        raise ValueError(
            f"{name} has {value.numel():,} numbers; at most {MOST_COPIED:,} are copied."
        )
    with np.printoptions(threshold=MOST_COPIED + 1, floatmode="unique", linewidth=100):
        text = np.array_repr(value.detach().numpy())
    names = "array, float16, float32, float64, inf, int32, int64, nan"
    return f"from numpy import {names}\n\n{name} = {text}\n"
