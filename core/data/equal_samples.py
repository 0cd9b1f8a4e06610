"""Whether all samples, or all of a class, are the same, so that nothing can be learned."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

SHOWN = 12
LEAST = 3  # samples of a class that are equal by more than chance


def said_of_equal_samples(
    samples: NDArray[Any], targets: NDArray[Any], classes: Sequence[str]
) -> str:
    """A sentence where all samples (S, ...), or all of a class, have the same values; "" else.

    targets: (S,) places in `classes`; of numbers `classes` is empty.
    """
    if _equal(samples, np.arange(len(samples))):
        return " All samples have the same values."
    members = [np.flatnonzero(targets == i) for i in range(len(classes))]
    names = [name for name, rows in zip(classes, members, strict=True)
             if len(rows) >= LEAST and _equal(samples, rows)]  # fmt: skip
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    listed = ", ".join(names[:SHOWN])
    return f" All samples of {listed}{more} have the same values." if names else ""


def _equal(samples: NDArray[Any], rows: NDArray[np.intp]) -> bool:
    """Whether these samples are the same; the first that differs ends it. NaN equals NaN."""
    first = samples[rows[0]]
    floats = samples.dtype.kind == "f"
    return all(np.array_equal(samples[row], first, equal_nan=floats) for row in rows[1:])
