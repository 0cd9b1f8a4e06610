"""The pictures of a data set as files with their classes, in order; no picture is decoded here.

torchvision's classes say themselves which files they open. Most let a loader be given, which gets
the path: `str` in its place gives the path back. Two keep no public list; one opens the head alone.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from core.data.builtin.downloads import data_root, folder_of
from core.data.builtin.picture_sets import PICTURE_SETS, Arguments, PictureSet
from core.data.builtin.vision import (
    DAMAGE,
    damage_error,
    dataset_class,
    download_hint,
    ensure_downloaded,
)
from core.data.facts.metadata import listing_of
from core.data.pictures.folder import Listing, Picture
from core.data.sources.custom_source import CustomSource
from core.data.sources.source import Source

Pair = tuple[str | Path, int]


def pictures_of(source: Source, custom: CustomSource | None) -> Listing:
    """The pictures of a folder, or of a data set of torchvision's, as they are now."""
    return list_pictures(source.name) if custom is None else listing_of(custom)


def list_pictures(name: str) -> Listing:
    """List all parts of a data set, one after the other, as torchvision's class does.

    Raises DataError when it is not here, or its lists or files are damaged.
    """
    ensure_downloaded(name)
    how = PICTURE_SETS[name]
    home = folder_of(how.source, data_root())
    try:
        parts = [_LISTED[how.lists](how, part.arguments) for part in how.parts.values()]
        pictures = tuple(_picture(how, home, pair) for part in parts for pair in part)
    except DAMAGE as error:
        raise damage_error(name, error) from error
    counts = tuple(len(part) for part in parts)
    return Listing(
        home, how.classes, pictures, partial(list_pictures, name), download_hint(name), counts
    )


def _picture(how: PictureSet, home: Path, pair: Pair) -> Picture:
    path, label = pair
    if not 0 <= label < len(how.classes):
        raise ValueError(f"there is no class {label} of {len(how.classes)}")
    found = Path(path).stat()
    inner = Path(path).relative_to(home).as_posix()
    return Picture(inner, int(label), found.st_size, found.st_mtime_ns)


def _by_loader(how: PictureSet, arguments: Arguments) -> list[Pair]:
    """What a class gives that takes a loader: its path in place of each picture."""
    made = dataset_class(how.name)(data_root(), **arguments, loader=str)
    return [made[row] for row in range(len(made))]


def _by_samples(how: PictureSet, arguments: Arguments) -> list[Pair]:
    made = dataset_class(how.name)(data_root(), **arguments)
    return list(made._samples)


def _by_images(how: PictureSet, arguments: Arguments) -> list[Pair]:
    made = dataset_class(how.name)(data_root(), **arguments)
    return list(zip(made._images, made._labels, strict=True))


def _by_headers(how: PictureSet, arguments: Arguments) -> list[Pair]:
    """What a class gives that hands out pictures which Pillow has not decoded yet."""
    made = dataset_class(how.name)(data_root(), **arguments)
    found: list[Pair] = []
    for row in range(len(made)):
        opened, label = made[row]
        with opened:
            found.append((opened.filename, label))
    return found


_LISTED: dict[str, Callable[[PictureSet, Any], list[Pair]]] = {
    "loader": _by_loader,
    "samples": _by_samples,
    "images": _by_images,
    "headers": _by_headers,
}
