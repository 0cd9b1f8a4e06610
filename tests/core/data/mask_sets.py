"""Pictures with masks for tests: squares and circles on noise, masks as tools save them."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from core.data.facts.metadata import read_own
from core.project import Project
from tests.core.small_runs import project

SHAPES: Mapping[str, Any] = {"source": "MaskFolder", "root": "data/shapes"}
COLOURS = np.array([[0, 0, 0], [255, 0, 0], [0, 128, 64]], np.uint8)
CLASSES = "0 ground\n1 square\n2 circle\n255 void\n"


def sample(number: int, size: tuple[int, int] = (20, 16)) -> tuple[Any, Any]:
    """A picture (H, W, 3) and its classes (H, W): 1 in a square, 2 in a circle, else 0."""
    generator = np.random.default_rng(number)
    width, height = size
    y, x = np.mgrid[:height, :width]
    classes = np.zeros((height, width), np.uint8)
    top, left = generator.integers(1, height - 7), generator.integers(1, width // 2 - 6)
    classes[top : top + 6, left : left + 6] = 1
    middle = generator.integers(4, height - 4), generator.integers(width // 2 + 3, width - 4)
    classes[(y - middle[0]) ** 2 + (x - middle[1]) ** 2 < 10] = 2
    picture = generator.integers(0, 60, (height, width, 3), dtype=np.uint8)
    picture[classes > 0] += np.array([150, 90, 40], np.uint8)
    return picture, classes


def indexed(classes: Any) -> Image.Image:
    """A mask with a palette, as VOC has them."""
    mask = Image.fromarray(classes).convert("P")
    mask.frombytes(classes.tobytes())
    mask.putpalette([*COLOURS.flatten().tolist()])
    return mask


def coloured(classes: Any) -> Image.Image:
    return Image.fromarray(COLOURS[classes])


def write_masks(
    root: Path,
    count: int = 12,
    as_mask: Callable[[Any], Image.Image] = Image.fromarray,
    beside: bool = False,
    size: tuple[int, int] = (20, 16),
    names: str = CLASSES,
) -> Path:
    """Pictures and masks in two folders, or beside each other; a border pixel is of no class."""
    for number in range(count):
        picture, classes = sample(number, size)
        if as_mask is Image.fromarray:
            classes[0, 0] = 255
        places = ("images/{}.png", "masks/{}.png") if not beside else ("{}.png", "{}_mask.png")
        for place, image in zip(places, (Image.fromarray(picture), as_mask(classes)), strict=True):
            file = root / place.format(f"s{number // 3}_{number:02}")
            file.parent.mkdir(parents=True, exist_ok=True)
            image.save(file)
    if names:
        (root / "classes.txt").write_text(names, "utf-8")
    return root


def mask_net(classes: int = 3, shape: tuple[int, int, int] = (3, 8, 10)) -> dict[str, Any]:
    """A convolution, and scores of each pixel."""
    three = {"kernel_size": 3, "padding": 1}
    nodes = {
        "image": {"block": "Input", "settings": {"shape": list(shape)}},
        "conv": {"block": "Conv2d", "settings": {"out_channels": 6, **three}},
        "relu": {"block": "ReLU"},
        "head": {"block": "Conv2d", "settings": {"out_channels": classes, "kernel_size": 1}},
        "mask": {"block": "Output"},
    }
    names = list(nodes)
    wires = [f"{a} -> {b}" for a, b in zip(names, names[1:], strict=False)]  # noqa: RUF007
    return {"nodes": nodes, "edges": wires}


def mask_project(data: Mapping[str, Any] = SHAPES, **training: Any) -> Project:
    """A project on such data, which is read."""
    found = read_own(data)
    assert found is not None
    settings = {"epochs": 1, "threads": 1, "device": "cpu", "batch_size": 4, **training}
    return project(mask_net(len(found.source.classes)), dict(data), **settings)
