"""The input size that a model was published for, from torchvision's weights or the model's
config."""

import re
from typing import Any

from torch import nn

Shape = tuple[int, ...]
FAMILIES = ("segmentation", "video", "detection", "quantization", "optical_flow")
DETECTORS = {"_320_": 320, "ssd300_": 300, "ssdlite320_": 320, "": 800}
"""Sides to which detectors bring every image themselves, by a part of their name."""


def family(name: str) -> str:
    """The subpackage of torchvision.models that a model is from."""
    from torchvision import models

    part = models.get_model_builder(name).__module__.split(".")[2]
    return part if part in FAMILIES else "classification"


def published_shapes(name: str) -> tuple[Shape, ...]:
    """Shapes of one sample of a torchvision model, from its best weights' metadata.

    RAFT, which was published for no size, takes two images of the smallest one that it can.
    """
    kind = family(name)
    if kind == "detection":
        side = next(side for part, side in DETECTORS.items() if part in name)
        return ((3, side, side),)
    best = _best(name)
    if kind == "optical_flow":
        return ((3, *best.meta["min_size"]),) * 2
    keywords = best.transforms.keywords
    size = keywords["resize_size"] if kind == "segmentation" else keywords["crop_size"]
    sides = (size, size) if isinstance(size, int) else tuple(size)
    return ((3, *_frames(best.meta) * (kind == "video"), *sides),)


def _best(name: str) -> Any:
    from torchvision import models

    return getattr(models.get_model_weights(name), "DEFAULT")  # noqa: B009 - an enum of its own


def _frames(meta: dict[str, Any]) -> tuple[int]:
    """Frames per clip, which torchvision's metadata has only in its text."""
    match = re.search(r"clip_len=(\d+)", meta.get("_docs", ""))
    return (int(match[1]) if match else int(meta.get("min_temporal_size", 16)),)


def own_sizes(module: nn.Module) -> Shape:
    """The sizes that a model's config states, without channels: (frames,) height, width; () if
    none."""
    cfg = getattr(module, "pretrained_cfg", None) or getattr(module, "default_cfg", None) or {}
    if isinstance(cfg, dict) and len(size := tuple(cfg.get("input_size") or ())) >= 3:  # pyright: ignore
        return size[1:]  # pyright: ignore
    config = getattr(module, "config", None)
    for place in (module, config, getattr(config, "vision_config", None)):
        side = getattr(place, "image_size", None) or getattr(place, "img_size", None)
        frames = getattr(place, "num_frames", None)
        before = (frames,) if isinstance(frames, int) else ()
        if isinstance(side, int):
            return (*before, side, side)
        if isinstance(side, tuple | list) and len(side) == 2:  # pyright: ignore
            return (*before, *side)  # pyright: ignore
    return _of_torchvision(module)


def _of_torchvision(module: nn.Module) -> Shape:
    """The sizes published for a torchvision class: of the variant with as many parameters, or of
    all variants if they agree."""
    home = type(module).__module__
    if not home.startswith("torchvision.models."):
        return ()
    from torchvision import models

    names = [n for n in models.list_models() if models.get_model_builder(n).__module__ == home]
    count = sum(p.numel() for p in module.parameters())
    same = [n for n in names if _best(n).meta["num_params"] == count]
    sizes = {published_shapes(n)[0][1:] for n in same or names}
    return next(iter(sizes)) if len(sizes) == 1 else ()
