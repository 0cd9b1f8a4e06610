"""What stands in for Python's functions while a model is recorded."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import floor
from typing import Any

import torch
from torch import nn

from core.importing.tracing.symint import Part, Size

WHOLE = (
    ("torchvision.ops.boxes", "batched_nms"),
    ("torchvision.models.detection.transform", "paste_masks_in_image"),
    ("torchvision.models.detection.roi_heads", "heatmaps_to_keypoints"),
)
"""Functions that are blocks: how often they call what inside depends on the data."""


TRACED = ("is_tracing", "torch_compilable_check")
"""Functions of transformers that ask whether it is traced."""


class _Like(type):
    """A class that answers for another one."""

    like: type

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.like)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls.like)

    def __eq__(cls, other: Any) -> bool:
        return other is cls or other is cls.like

    def __hash__(cls) -> int:
        return hash(cls.like)


class Whole(int, metaclass=_Like):
    """Stand in for int, which forgets that it is given a size or a fraction of sizes."""

    like = int

    def __new__(cls, *given: Any, **more: Any) -> Any:
        """Keep a size, round a fraction of sizes, make an int of the rest."""
        number = given[0] if len(given) == 1 else None
        if isinstance(number, Part) and number >= 0:
            return floor(number)
        return number if isinstance(number, Size) else int(*given, **more)


class Loop(metaclass=_Like):
    """Stand in for range: how often a loop runs is decided by the size that it is given."""

    like = range

    def __new__(cls, *ends: Any) -> Any:
        """Note that sizes are what they are, and give a range."""
        for end in ends:
            _ = isinstance(end, Size) and end == int(end)
        return range(*ends)


def length(found: Any) -> int:
    """Stand in for len, which forgets that it is the size of a tensor."""
    return found.shape[0] if isinstance(found, torch.Tensor) else len(found)


def traced(depends: Callable[[Any], bool]) -> Callable[[str, Any], Any]:
    """Make what stands in for transformers' functions that ask how it runs.

    A mask that may be left out where it holds nothing back, which is a look at its values, is not
    left out when transformers is traced; checks of values are not made then.
    """

    def instead(name: str, function: Any) -> Any:
        if name == "torch_compilable_check":
            return lambda *_, **__: None
        return lambda tensor=None: depends(tensor) or function(tensor)

    return instead


@contextmanager
def stand_ins(
    model: nn.Module, whole: Callable[[str, Any], Any], depends: Callable[[Any], bool]
) -> Iterator[None]:
    """Write functions that are blocks down as one step, and let sizes stay sizes.

    depends: whether a tensor has its values from the input.

    `len`, `int` and `range` are shadowed in the modules that the model's classes come from.
    """
    places = [(sys.modules[home], name) for home, name in WHOLE if home in sys.modules]
    before = [(home, name, getattr(home, name)) for home, name in places]
    theirs = [home for n, home in list(sys.modules.items()) if n.startswith("transformers.")]
    asking = [(home, n, vars(home)[n]) for home in theirs for n in TRACED if n in vars(home)]
    instead = traced(depends)
    homes = [sys.modules[n] for n in sorted({type(m).__module__ for m in model.modules()})
             if n in sys.modules and n.split(".")[0] != "torch" and n != "builtins"]  # fmt: skip
    shadows = {"len": length, "int": Whole, "range": Loop}
    shadowed = [(home, n) for home in homes for n in shadows if n not in vars(home)]
    try:
        for home, name, function in before:
            setattr(home, name, whole(name, function))
        for home, name, function in asking:
            vars(home)[name] = instead(name, function)
        for home, name in shadowed:
            vars(home)[name] = shadows[name]
        yield
    finally:
        for home, name in shadowed:
            del vars(home)[name]
        for home, name, function in (*before, *asking):
            setattr(home, name, function)
