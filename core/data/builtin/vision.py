"""torchvision's data sets of pictures with a class each: downloaded only on request."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from core.common.errors import DataError
from core.data.builtin.catalogue import MB, SOURCES, Source
from core.data.builtin.download_progress import with_progress
from core.data.builtin.downloads import data_root, folder_of, is_here
from core.data.builtin.picture_sets import PICTURE_SETS
from core.data.builtin.vision_sets import VISION

Progress = Callable[[int, int], None]
DAMAGE = (RuntimeError, ValueError, OSError, AssertionError, LookupError)
"""What torchvision's classes run into where a file is not as they write it."""


def read_vision(
    name: str, ask: bool = False, progress: Progress | None = None
) -> tuple[Tensor, Tensor, int]:
    """Images (S, C, H, W) uint8, their classes (S,) int64, and how many at the end are the test's.

    Raises DataError when the data set is not here (and `ask` is False), or is damaged.
    """
    ensure_downloaded(name, ask, progress)
    try:
        parts = [_tensors(name, made) for made in _made(name, data_root())]
    except DAMAGE as error:
        raise damage_error(name, error) from error
    images, labels = (torch.cat(column) for column in zip(*parts, strict=True))
    return images, labels, len(parts[1][0])


def ensure_downloaded(name: str, ask: bool = False, progress: Progress | None = None) -> None:
    """Download a missing data set if that was requested; else raise DataError."""
    source, root = SOURCES[name], data_root()
    if is_here(source, root):
        return
    if not ask:
        raise DataError(
            f"{name} is not on this machine yet.",
            f"Download it (about {source.download_bytes / MB:.0f} MB), or put torchvision's "
            f"files into {root}.",
        )
    download(name, progress)


def damage_error(name: str, error: BaseException) -> DataError:
    """The error for files that torchvision's class cannot read."""
    return DataError(
        f"The files of {name} on this machine are damaged: {_line(error)}.", download_hint(name)
    )


def download_hint(name: str) -> str:
    """The way out of damaged files."""
    return f"Delete {folder_of(SOURCES[name], data_root())} and download it again."


def download(name: str, progress: Progress | None = None) -> Path:
    """Fetch a data set with torchvision's class of that name; nothing happens when it is here.

    It is fetched and checked beside its place and then moved there, so that a half one never
    looks whole. `progress` hears bytes done and bytes in all. Raises DataError when it fails.
    """
    source, root = SOURCES[name], data_root()
    if source.embedded or is_here(source, root):
        return folder_of(source, root)
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=root) as folder:
        try:
            with with_progress(Path(folder), source.download_bytes, progress):
                _fetch(name, Path(folder))
        except (*DAMAGE, EOFError) as error:
            raise DataError(
                f"{name} could not be downloaded: {_line(error)}.",
                f"Check the connection and try again, or put torchvision's files into {root}.",
            ) from error
        _move(source, Path(folder), root)
    return folder_of(source, root)


def dataset_class(name: str) -> Any:
    """torchvision's class of a data set."""
    from torchvision import datasets

    return getattr(datasets, name)


def _made(name: str, root: Path) -> list[Any]:
    """Both parts as torchvision's class reads them."""
    how = VISION[name]
    home = root / how.folder if how.inside else root
    return [dataset_class(name)(home, **part) for part in how.parts]


def _fetch(name: str, place: Path) -> None:
    """Let torchvision's class download what all parts need."""
    if name in PICTURE_SETS:
        for part in PICTURE_SETS[name].parts.values():
            dataset_class(name)(place, **part.arguments, download=True)
        return
    how = VISION[name]
    home = place / how.folder if how.inside else place
    home.mkdir(exist_ok=True)
    for part in how.parts[: 1 + how.both]:
        dataset_class(name)(home, **part, download=True)


def _move(source: Source, place: Path, root: Path) -> None:
    target = folder_of(source, root)
    if not is_here(source, root):  # another process may have been faster
        shutil.rmtree(target, ignore_errors=True)
        folder_of(source, place).rename(target)


def _tensors(name: str, data: Any) -> tuple[Tensor, Tensor]:
    how = VISION[name]
    images = torch.as_tensor(data.data)
    if images.dim() == 3:
        images = images.unsqueeze(1)
    elif how.layout == "last":
        images = images.permute(0, 3, 1, 2)
    labels = torch.as_tensor(data.labels if "labels" in how.labels else data.targets).long()
    return images.contiguous(), labels[:, 0] if labels.dim() > 1 else labels


def _line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__).rstrip(".")
