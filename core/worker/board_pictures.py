"""Pictures for TensorBoard, as bytes: tiles, samples with captions, a confusion matrix."""

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    Numbers = np.ndarray[Any, np.dtype[Any]]
    Bytes = np.ndarray[Any, np.dtype[np.uint8]]
TILE, CELL, LINE = 48, 22, 14
WHITE, BLACK, RIGHT, WRONG = (255, 255, 255), (20, 20, 20), (16, 122, 62), (196, 32, 32)
MOST_NUMBERED, MOST_CLASSES = 20, 200


def tiles(values: "Numbers") -> "Bytes":
    """Pictures (N, C, H, W) of any numbers as bytes, each from black to white, at least TILE wide.

    C is 1 or 3; a column and a row of black parts a tile from the next one.
    """
    values = np.nan_to_num(values.astype(np.float32))
    low = values.min(axis=(1, 2, 3), keepdims=True)
    high = values.max(axis=(1, 2, 3), keepdims=True)
    shown = np.rint((values - low) / np.maximum(high - low, 1e-12) * 255).astype(np.uint8)
    times = max(1, ceil(TILE / max(shown.shape[2:])))
    larger = shown.repeat(times, axis=2).repeat(times, axis=3)
    return np.pad(larger, ((0, 0), (0, 0), (0, 1), (0, 1)))


def captioned(samples: "Numbers", targets: Sequence[str], predictions: Sequence[str]) -> "Bytes":
    """Samples (N, C, H, W) in a row, each with its target below, then its prediction: (H, W, 3).

    A prediction that is its target is green, another one red.
    """
    from PIL import Image, ImageDraw

    pictures = tiles(samples)
    count, _, height, width = pictures.shape
    step = max(width, 2 * TILE)
    sheet = Image.new("RGB", (count * step, height + 2 * LINE), WHITE)
    draw = ImageDraw.Draw(sheet)
    for index, (picture, target, predicted) in enumerate(
        zip(pictures, targets, predictions, strict=True)
    ):
        plain = np.broadcast_to(picture.transpose(1, 2, 0), (height, width, 3))
        sheet.paste(Image.fromarray(np.ascontiguousarray(plain)), (index * step, 0))
        colour = RIGHT if predicted == target else WRONG
        draw.text((index * step + 2, height), _short(target), BLACK)
        draw.text((index * step + 2, height + LINE), _short(predicted), colour)
    return np.asarray(sheet)


def _short(text: str) -> str:
    return text if len(text) <= 15 else f"{text[:14]}…"


def confusion(matrix: "Numbers", classes: Sequence[str]) -> "Bytes | None":
    """A confusion matrix, a row for each true class and a column for each predicted one: (H, W, 3).

    matrix: counts (K, K). The darker, the larger the share of its row. None for more than
    MOST_CLASSES; counts and names stand there for at most MOST_NUMBERED.
    """
    from PIL import Image, ImageDraw

    count = len(classes)
    if count > MOST_CLASSES:
        return None
    shares = matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)
    cells = np.rint(255 - shares[..., None] * (255 - np.array([38, 70, 160]))).astype(np.uint8)
    numbered = count <= MOST_NUMBERED
    side = CELL if numbered else max(2, 400 // count)
    margin = 100 if numbered else 0
    sheet = Image.new("RGB", (margin + count * side, LINE + count * side), WHITE)
    sheet.paste(Image.fromarray(cells.repeat(side, axis=0).repeat(side, axis=1)), (margin, LINE))
    draw = ImageDraw.Draw(sheet)
    draw.text((margin + 2, 0), "predicted, from left to right", BLACK)
    for row in range(count if numbered else 0):
        draw.text((2, LINE + row * side + 4), _short(classes[row]), BLACK)
        for column in range(count):
            at = (margin + column * side + 3, LINE + row * side + 4)
            ink = WHITE if shares[row, column] > 0.5 else BLACK
            draw.text(at, str(int(matrix[row, column])), ink)
    return np.asarray(sheet)
