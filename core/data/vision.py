"""torchvision's MNIST, FashionMNIST and CIFAR10: downloaded only on request."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from core.data.catalogue import MB, SOURCES, Source
from core.data.download_progress import watched
from core.data.downloads import data_root, folder_of, is_here
from core.errors import DataError

Progress = Callable[[int, int], None]


def read_vision(
    name: str, ask: bool = False, progress: Progress | None = None
) -> tuple[Tensor, Tensor, int]:
    """Images (S, C, H, W) uint8, their classes (S,) int64, and how many at the end are the test's.

    Raises DataError when the data set is not here (and `ask` is False), or is damaged.
    """
    source, root = SOURCES[name], data_root()
    if not is_here(source, root):
        if not ask:
            raise DataError(
                f"{name} is not on this machine yet.",
                f"Download it (about {source.download_bytes / MB:.0f} MB), or put torchvision's "
                f"files into {root}.",
            )
        download(name, progress)
    try:
        parts = [_tensors(dataset_class(name)(root, train=train)) for train in (True, False)]
    except (RuntimeError, ValueError, OSError, AssertionError) as error:
        raise DataError(
            f"The files of {name} on this machine are damaged: {_line(error)}.",
            f"Delete {folder_of(source, root)} and download it again.",
        ) from error
    images, labels = (torch.cat(column) for column in zip(*parts, strict=True))
    return images, labels, len(parts[1][0])


def download(name: str, progress: Progress | None = None) -> Path:
    """Fetch a data set with torchvision's class of that name; nothing happens when it is here.

    It is fetched and checked beside its place and then moved there, so that a half one never
    looks whole. `progress` hears bytes done and bytes in all. Raises DataError when it fails.
    """
    source, root = SOURCES[name], data_root()
    if source.embedded or is_here(source, root):
        return folder_of(source, root)
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=root) as place:
        try:
            with watched(Path(place), source.download_bytes, progress):
                dataset_class(name)(place, train=True, download=True)
        except (RuntimeError, OSError, EOFError) as error:
            raise DataError(
                f"{name} could not be downloaded: {_line(error)}.",
                f"Check the connection and try again, or put torchvision's files into {root}.",
            ) from error
        _move(source, Path(place), root)
    return folder_of(source, root)


def dataset_class(name: str) -> Any:
    """torchvision's class of a data set."""
    from torchvision import datasets

    return getattr(datasets, name)


def _move(source: Source, place: Path, root: Path) -> None:
    target = folder_of(source, root)
    if not is_here(source, root):  # another process may have been faster
        shutil.rmtree(target, ignore_errors=True)
        folder_of(source, place).rename(target)


def _tensors(data: Any) -> tuple[Tensor, Tensor]:
    images = torch.as_tensor(data.data)
    images = images.unsqueeze(1) if images.dim() == 3 else images.permute(0, 3, 1, 2)
    return images.contiguous(), torch.as_tensor(data.targets).long()


def _line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__).rstrip(".")
