"""What previews of data sets on the Data page share. Imports no Streamlit."""

# torch declares the types of some functions in part only.
# pyright: reportUnknownMemberType=false

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.services.previews import Points, each_class
from core.data import describe

PICTURES, SIDE = 24, 96
COLUMNS = range(6, 13)  # as many classes have a column of pictures each


@dataclass(frozen=True)
class Curve:
    """What is predicted of a series, in time. values: of every row, or of every few; starts: where
    among them the validation and the test part begin."""

    name: str
    values: tuple[float, ...]
    starts: tuple[float, ...]


@dataclass(frozen=True)
class DataPreview:
    """Samples and figures of a data set.

    pictures: (PNG, label); rows: of a table or text; counts: (class, to learn from, to validate);
    columns: of a table, or channels of pictures, with the range and a histogram of each. points: of
    a table of two columns. curve: of a series, what is predicted, in time. shares: of pictures with
    masks, (class, share of all pixels, colour); void: the share of pixels without a class.
    sounds: one of each class, (class, WAV).
    """

    pictures: tuple[tuple[bytes, str], ...] = ()
    rows: tuple[dict[str, Any], ...] = ()
    counts: tuple[tuple[str, int, int], ...] = ()
    columns: tuple[dict[str, Any], ...] = ()
    points: Points | None = None
    curve: Curve | None = None
    shares: tuple[tuple[str, float, str], ...] = ()
    void: float = 0.0
    sounds: tuple[tuple[str, bytes], ...] = ()


def pictures_of(classes: int) -> int:
    """How many pictures are shown: where each class has a column, so many that all are full."""
    return -(-PICTURES // classes) * classes if classes in COLUMNS else PICTURES


def counts_of_files(
    plain: dict[str, Any], listing: Any, shape: tuple[int, ...], seed: int
) -> tuple[tuple[str, int, int], ...]:
    """How many files of each class are learned from, and how many validate."""
    import torch

    from core.data.batches.custom_tensors import with_sample_counts
    from core.data.batches.split import split_in_parts
    from core.data.pictures.series import series_of_all

    labels = torch.tensor([picture.label for picture in listing.pictures])
    info = with_sample_counts(describe(plain, shape, seed=seed), listing, len(labels))
    custom = info.custom
    series = series_of_all(listing, custom) if custom and custom.split else ()
    parts = split_in_parts(info, len(labels), labels, info.origin.test, seed, series)[:2]
    size = len(listing.classes)
    counts: list[list[int]] = [
        torch.bincount(labels[part], minlength=size).tolist() for part in parts
    ]
    return tuple(zip(listing.classes, *counts, strict=True))


def places_of_each(labels: Any, count: int, samples: int) -> list[int]:
    """Places that go round the classes; the first ones where there are no classes."""
    if labels is None:
        return list(range(min(count, samples)))
    return each_class(np.asarray(labels), count)


def png_of(image: Any) -> bytes:
    """A picture (C, H, W) from 0 to 1, enlarged by whole factors."""
    from core.insight.images import png

    pixels = (image.clamp(0, 1) * 255).round().byte().numpy().transpose(1, 2, 0)
    factor = max(1, SIDE // max(pixels.shape[:2]))
    pixels = pixels.repeat(factor, 0).repeat(factor, 1)
    return png(pixels.repeat(3, 2) if pixels.shape[2] == 1 else pixels)
