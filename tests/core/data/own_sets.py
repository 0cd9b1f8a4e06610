"""Small data of one's own for tests: a folder of pictures, a table, arrays, a text."""

from pathlib import Path

import numpy as np
from PIL import Image

CLASSES = ("circle", "square", "stripes")
CSV = """petal length;petal width;site;species
1.4;0.2;hill;setosa
1.5;0.3;hill;setosa
1.3;0.2;lake;setosa
1.6;0.4;hill;setosa
4.7;1.4;lake;virginica
4.5;1.5;lake;virginica
4.9;1.5;moor;virginica
5.1;1.8;lake;virginica
1.2;0.2;moor;setosa
4.8;1.6;moor;virginica
"""


def write_pictures(root: Path, count: int, size: tuple[int, int] = (20, 16)) -> Path:
    """A folder of three classes with `count` pictures (width, height) each, drawn by rule."""
    generator = np.random.default_rng(0)
    width, height = size
    y, x = np.mgrid[:height, :width]
    for kind in CLASSES:
        (root / kind).mkdir(parents=True, exist_ok=True)
        for number in range(count):
            picture = generator.integers(0, 60, (height, width, 3), dtype=np.uint8)
            middle = generator.integers(height // 3, height // 2), generator.integers(5, width - 5)
            dy, dx = np.abs(y - middle[0]), np.abs(x - middle[1])
            shapes = {"circle": dy**2 + dx**2 < 20, "square": (dy < 5) & (dx < 5)}
            picture[shapes.get(kind, (y // 3) % 2 == 0)] = generator.integers(120, 255, 3)
            Image.fromarray(picture).save(root / kind / f"{number:04d}.png")
    return root


def write_table(file: Path, text: str = CSV) -> Path:
    """A table with numbers, words and a class, parted by semicolons."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def write_arrays(file: Path, samples: int = 30) -> Path:
    """Pictures (S, 8, 8, 3) of bytes with whole numbers as classes, and numbers."""
    generator = np.random.default_rng(1)
    labels = np.arange(samples) % 2 * 7
    images = generator.integers(0, 255, (samples, 8, 8, 3), dtype=np.uint8)
    images[labels == 7, :4] //= 4
    file.parent.mkdir(parents=True, exist_ok=True)
    np.savez(file, images=images, labels=labels, heights=images[..., 0].mean(axis=(1, 2)) / 9)
    return file
