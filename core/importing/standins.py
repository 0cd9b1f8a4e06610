"""What stands in for Python's functions while a model is recorded."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from torch import nn

WHOLE = (
    ("torchvision.ops.boxes", "batched_nms"),
    ("torchvision.models.detection.transform", "paste_masks_in_image"),
    ("torchvision.models.detection.roi_heads", "heatmaps_to_keypoints"),
)
"""Functions that are blocks: how often they call what inside depends on the data."""


@contextmanager
def stand_ins(
    model: nn.Module, whole: Callable[[str, Any], Any], length: Callable[[Any], int]
) -> Iterator[None]:
    """Write functions that are blocks down as one step, and let `len` of a tensor be a size.

    `len` is shadowed in the modules that the model's classes come from.
    """
    places = [(sys.modules[home], name) for home, name in WHOLE if home in sys.modules]
    before = [(home, name, getattr(home, name)) for home, name in places]
    homes = [sys.modules[n] for n in sorted({type(m).__module__ for m in model.modules()})
             if n in sys.modules and n.split(".")[0] != "torch" and n != "builtins"]  # fmt: skip
    homes = [home for home in homes if not hasattr(home, "len")]
    try:
        for home, name, function in before:
            setattr(home, name, whole(name, function))
        for home in homes:
            vars(home)["len"] = length
        yield
    finally:
        for home in homes:
            del vars(home)["len"]
        for home, name, function in before:
            setattr(home, name, function)
