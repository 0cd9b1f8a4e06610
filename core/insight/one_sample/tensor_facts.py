"""Facts on one tensor: what torch says of it, its spread, and its numbers page by page."""

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor

Json = dict[str, Any]
BINS, ROWS, COLUMNS = 30, 12, 5
MOST_COPIED = 50_000
"""Bars of a histogram, numbers of a page of the table, and of a text for NumPy."""


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
        "histogram": torch.histc(real, BINS).int().tolist() if some else [],
    }


def page_of(value: Tensor, number: int = 0) -> Json:
    """One page of the numbers: ROWS x COLUMNS of one map, counted map by map, row by row.

    at: the leading places of the map, and where in it the page begins, (row, column).
    """
    value = value.detach()
    table = value.reshape(1, 1) if value.dim() == 0 else value
    table = table[None] if table.dim() == 1 else table
    height, width = table.shape[-2:]
    down, across = max(1, -(-height // ROWS)), max(1, -(-width // COLUMNS))
    maps = math.prod(table.shape[:-2])
    pages = maps * down * across
    number = min(max(number, 0), max(pages - 1, 0))
    which, rest = divmod(number, down * across)
    top, left = ROWS * (rest // across), COLUMNS * (rest % across)
    lead = [int(n) for n in np.unravel_index(which, table.shape[:-2])] if table.dim() > 2 else []
    part = table.reshape(-1, height, width)[which, top : top + ROWS, left : left + COLUMNS]
    rows = [[_plain(v) for v in row] for row in part.tolist()]
    return {"number": number, "pages": pages, "at": [*lead, top, left], "rows": rows}


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
