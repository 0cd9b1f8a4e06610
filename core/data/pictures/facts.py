"""Facts about a folder of pictures before it is decoded: bits per channel, and duplicates."""

import os
from collections.abc import Iterable
from pathlib import Path

from core.common.errors import DataError
from core.data.pictures.folder import Listing, Picture, decoded, extrema_of, is_grey, size_of
from core.data.pictures.layout import is_junk

DEPTHS = (255, 1023, 4095, 16383, 65535)
"""Highest values of cameras and scanners."""
FEW = 16
LOOKED_AT = 32
"""Pictures of a folder, for what they usually are."""
SMALL = (3, 32, 32)
"""The size at which pictures are compared."""


def bounds_of(listing: Listing) -> tuple[float, float] | None:
    """The values of black and white in pictures of more than 8 bits; None without such pictures.

    Whole numbers begin at 0 and end with their depth; others with the lowest and highest value.
    """
    step = max(1, len(listing.pictures) // FEW)
    if not any(_extrema(listing, listing.pictures[::step])):
        return None
    found = [pair for pair in _extrema(listing, listing.pictures) if pair]
    low, high = min(low for low, _ in found), max(high for _, high in found)
    if low >= 0 and float(high).is_integer() and high > 1:
        low, high = 0.0, next((float(depth) for depth in DEPTHS if high <= depth), float(high))
    return float(low), float(high) if high > low else float(low) + 1


def _extrema(listing: Listing, pictures: Iterable[Picture]) -> list[tuple[float, float] | None]:
    found: list[tuple[float, float] | None] = []
    for picture in pictures:
        try:
            found.append(extrema_of(listing.root / picture.name))
        except DataError:  # named when all are decoded
            found.append(None)
    return found


def usual_shape(listing: Listing, name: str) -> tuple[int, int, int]:
    """Channels, height and width of most pictures, by a look at a few: 1 channel where all of
    those are grey. Raises DataError where none can be read."""
    sizes: list[tuple[int, int]] = []
    why: list[DataError] = []
    grey = True
    for picture in listing.pictures[:: max(1, len(listing.pictures) // LOOKED_AT)]:
        file = listing.root / picture.name
        try:
            sizes.append(size_of(file))
            grey = grey and is_grey(file)
        except DataError as error:  # reported, by name, when all are decoded
            why.append(error)
    if not sizes:
        raise DataError(
            f"{name} holds no picture that can be read. {why[0].message}",
            why[0].hint or "Check the contents of the folder.",
        )
    width, height = sorted(sizes)[len(sizes) // 2]
    return 1 if grey else 3, height, width


def note_on_depth(bounds: tuple[float, float] | None) -> str:
    """A sentence about pictures of more than 8 bits."""
    if bounds is None:
        return ""
    return f" Their values from {bounds[0]:g} to {bounds[1]:g} become black to white."


def note_on_duplicates(listing: Listing) -> str:
    """A sentence if the first pictures of the folder, or of a class, are the same; else ""."""
    seen: list[set[bytes]] = [set() for _ in listing.classes]
    looked = [0] * len(listing.classes)
    for picture in listing.pictures:
        if looked[picture.label] == FEW or len(seen[picture.label]) > 1:
            continue
        looked[picture.label] += 1
        try:
            seen[picture.label].add(decoded(listing, picture, SMALL))
        except DataError:  # named when all are decoded
            continue
    if all(n > 1 for n in looked) and len(set().union(*seen)) == 1:
        return " All pictures look the same."
    names = [
        listing.classes[i] for i, found in enumerate(seen) if looked[i] > 2 and len(found) == 1
    ]
    return f" All pictures of {', '.join(names[:4])} look the same." if names else ""


def is_plain(listing: Listing) -> bool:
    """Whether torchvision's ImageFolder reads the same pictures and classes of it."""
    if listing.inner:
        return False
    kept = {picture.name for picture in listing.pictures}
    folders = sorted(entry.name for entry in os.scandir(listing.root) if entry.is_dir())
    return folders == list(listing.classes) and not any(
        is_junk(Path(place, file).relative_to(listing.root).as_posix())
        for place, _, files in os.walk(listing.root)
        for file in files
        if Path(place, file).relative_to(listing.root).as_posix() not in kept
        and Path(place) != listing.root
    )
