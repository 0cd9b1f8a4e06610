"""Points in a plane, made by formulas: scikit-learn's where it has one, else of `reading`.

Those of scikit-learn are equal to `make_moons`, `make_circles` and `make_blobs` to the bit: what a
script calls. Importing it would take a second of each training.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.random import RandomState
from numpy.typing import NDArray
from torch import Tensor

from core.data.batches import reading
from core.data.builtin.catalogue import SOURCES
from core.data.builtin.generated import MADE_BY, blob_centers

Arrays = tuple[NDArray[np.float64], NDArray[np.int64]]
FACTOR = 0.5
"""Radius of the inner circle; the outer one has 1."""
MARGIN = 0.08
"""What is left around the samples, as a share of the longer side."""
ALIKE = 4.0
"""Up to so many times longer, the longer range is that of both, and a circle looks round."""
Range = tuple[float, float]


def points(name: str, made: Mapping[str, Any]) -> tuple[Tensor, Tensor]:
    """Points (S, 2) as float32 and their classes (S,) of a source with these settings."""
    if SOURCES[name].package == "Python":  # by the function of its name, which a script shows
        return getattr(reading, name.lower())(*(made[key] for key in MADE_BY if key in made))
    samples, noise, random = made["samples"], made["noise"], RandomState(made["seed"])
    if name == "blobs":
        found, classes = _blobs(samples, made["classes"], noise, random)
    else:
        found, classes = _two(name, samples)
    order = np.arange(samples)
    random.shuffle(order)
    found, classes = found[order], classes[order]
    if name != "blobs":
        found = found + random.normal(scale=noise, size=found.shape)
    return torch.from_numpy(found).float(), torch.from_numpy(classes)


def _two(name: str, samples: int) -> Arrays:
    """Two arcs or circles, half of the points on each, in order and without noise."""
    first = samples // 2
    sizes = (first, samples - first)
    if name == "moons":
        outer, inner = (np.linspace(0, np.pi, size) for size in sizes)
        below = np.stack([1 - np.cos(inner), 1 - np.sin(inner) - 0.5], axis=1)
    else:
        outer, inner = (np.linspace(0, 2 * np.pi, size, endpoint=False) for size in sizes)
        below = np.stack([np.cos(inner) * FACTOR, np.sin(inner) * FACTOR], axis=1)
    above = np.stack([np.cos(outer), np.sin(outer)], axis=1)
    return np.concatenate([above, below]), np.repeat([0, 1], sizes)


def _blobs(samples: int, classes: int, noise: float, random: RandomState) -> Arrays:
    sizes = [samples // classes + (k < samples % classes) for k in range(classes)]
    clouds = [
        random.normal(loc=center, scale=noise, size=(size, 2))
        for center, size in zip(blob_centers(classes), sizes, strict=True)
    ]
    return np.concatenate(clouds), np.repeat(np.arange(classes), sizes)


def ranges(samples: Tensor) -> tuple[Range, Range]:
    """The ranges of both columns (S, 2) with a margin, equally long where they are of one size."""
    low, high = samples.amin(0).double(), samples.amax(0).double()
    spans = (high - low).clamp(min=1e-6)
    if spans.max() < ALIKE * spans.min():
        spans = spans.max().expand(2)
    half, middle = spans * (0.5 + MARGIN), (low + high) / 2
    (left, bottom), (right, top) = (middle - half).tolist(), (middle + half).tolist()
    return (left, right), (bottom, top)
