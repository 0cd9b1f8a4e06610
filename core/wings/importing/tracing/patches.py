"""Patched functions during a trace (as torch.fx patches builtins): len, int, range, and functions
of torchvision and transformers."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import floor
from typing import Any

import torch
from torch import nn

from core.wings.importing.tracing.symint import Size, SizeRatio

ATOMIC = (
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


class PatchedInt(int, metaclass=_Like):
    """Replaces int, which would turn a symbolic size or a ratio of sizes into a plain number."""

    like = int

    def __new__(cls, *args: Any, **more: Any) -> Any:
        """Keep a symbolic size, floor a ratio of sizes, and call int on the rest."""
        number = args[0] if len(args) == 1 else None
        if isinstance(number, SizeRatio) and number >= 0:
            return floor(number)
        return number if isinstance(number, Size) else int(*args, **more)


class PatchedRange(metaclass=_Like):
    """Replaces range: the number of iterations is a guard on the size that it depends on."""

    like = range

    def __new__(cls, *ends: Any) -> Any:
        """Record a guard for each symbolic bound, and return a range."""
        for end in ends:
            _ = isinstance(end, Size) and end == int(end)
        return range(*ends)


def patched_len(value: Any) -> int:
    """Replaces len, which would turn the size of a tensor into a plain number."""
    return value.shape[0] if isinstance(value, torch.Tensor) else len(value)


def traced_check(depends: Callable[[Any], bool]) -> Callable[[str, Any], Any]:
    """Patch transformers' functions that ask whether they are traced.

    A mask may be left out where it masks nothing, which reads its values; while tracing,
    transformers keeps it and makes no checks of values.
    """

    def instead(name: str, function: Any) -> Any:
        if name == "torch_compilable_check":
            return lambda *_, **__: None
        return lambda tensor=None: depends(tensor) or function(tensor)

    return instead


def _transformers() -> list[Any]:
    """The modules of transformers that are imported."""
    if "transformers" not in sys.modules:
        return []
    return [home for name, home in list(sys.modules.items()) if name.startswith("transformers.")]


@contextmanager
def patched_functions(
    model: nn.Module, as_one_step: Callable[[str, Any], Any], depends: Callable[[Any], bool]
) -> Iterator[None]:
    """Record functions that are blocks as one step, and keep sizes symbolic, inside the context.

    depends: whether a tensor depends on the input. `len`, `int` and `range` are shadowed in the
    modules that define the model's classes.
    """
    places = [(sys.modules[home], name) for home, name in ATOMIC if home in sys.modules]
    before = [(home, name, getattr(home, name)) for home, name in places]
    asking = [
        (home, n, vars(home)[n]) for home in _transformers() for n in TRACED if n in vars(home)
    ]
    instead = traced_check(depends)
    homes = [
        sys.modules[n]
        for n in sorted({type(m).__module__ for m in model.modules()})
        if n in sys.modules and n.split(".")[0] != "torch" and n != "builtins"
    ]
    shadows = {"len": patched_len, "int": PatchedInt, "range": PatchedRange}
    shadowed = [(home, n) for home in homes for n in shadows if n not in vars(home)]
    try:
        for home, name, function in before:
            setattr(home, name, as_one_step(name, function))
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
