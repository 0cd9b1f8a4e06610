"""Classes of pixels as colours over the picture that they are of. numpy, without torch."""

from collections.abc import Sequence

import numpy as np

from core.insight.images import Array, Pixels

COVER = 0.6
"""How much of a pixel is the colour of its class, and not the picture."""


def over(picture: Pixels, classes: Array, colours: Sequence[str]) -> Pixels:
    """A picture (H, W, 3) with the colour of each pixel's class (H, W) over it.

    What is of no class, below 0, stays as it is.
    """
    table = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in colours])
    classes = classes.astype(np.int64)  # a picture of predictions has them as floats
    known = (classes >= 0)[..., None]
    painted = table[np.clip(classes, 0, len(colours) - 1)]
    mixed = COVER * painted + (1 - COVER) * picture
    return np.rint(np.where(known, mixed, picture)).astype(np.uint8)
