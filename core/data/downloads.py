"""Where data sets are on this machine, and whether one is downloaded. Reads no data."""

import os
from pathlib import Path

from core.data.source import Source

_IDX = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)
_CIFAR = (*(f"data_batch_{n}" for n in range(1, 6)), "test_batch", "batches.meta")


def data_root() -> Path:
    """The folder of downloaded data: $LAYERLOOM_DATA, else ~/.cache/layerloom/data."""
    chosen = os.environ.get("LAYERLOOM_DATA")
    return Path(chosen).expanduser() if chosen else Path.home() / ".cache/layerloom/data"


def folder_of(source: Source, root: Path) -> Path:
    """The folder torchvision's class of this name keeps its files in."""
    return root / ("cifar-10-batches-py" if source.name == "CIFAR10" else source.name)


def is_here(source: Source, root: Path) -> bool:
    """Whether the data set can be read without a download."""
    if source.embedded:
        return True
    folder = folder_of(source, root)
    if source.name == "CIFAR10":
        return all((folder / name).is_file() for name in _CIFAR)
    return all((folder / "raw" / name).is_file() for name in _IDX)
