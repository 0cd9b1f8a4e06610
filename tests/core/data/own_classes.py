"""A file with torch Datasets of one's own, for tests: what chance makes, pictures, and a stream."""

from pathlib import Path

from core.files import trust

FILE = "data/waves.py"
TEXT = '''\
"""Waves, pictures and a stream of sums."""

import math
import random

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import Dataset, IterableDataset

COUNT = 60


def wave(speed: int, start: float) -> Tensor:
    return torch.sin(start + speed * torch.arange(8) / math.pi)


class Waves(Dataset[tuple[Tensor, int]]):
    """Sines of two speeds that begin by chance."""

    classes = ("slow", "fast")

    def __len__(self) -> int:
        return COUNT

    def __getitem__(self, index: int) -> tuple[Tensor, int]:
        start = random.random() + np.random.rand() + torch.rand(()).item()
        return wave(1 + index % 2, start), index % 2


class Pictures(Dataset):
    """Noise, brighter in one of three rows."""

    def __len__(self) -> int:
        return COUNT

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.int64]:
        picture = np.random.default_rng(index).random((1, 6, 6), dtype=np.float32)
        picture[0, index % 3] += 1
        return picture, np.int64(10 * (index % 3))


class Sums(IterableDataset):
    """Three numbers and their sum, without an end."""

    def __iter__(self):
        while True:
            x = torch.randn(3)
            yield x, float(x.sum())
'''
WAVES = {"source": "Dataset", "file": FILE, "class": "Waves"}


def write_classes(workspace: Path, text: str = TEXT, trusted: bool = True) -> Path:
    """Write the file into a workspace, and trust it."""
    file = workspace / FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    if trusted:
        trust.trust(text, FILE)
    return file
