"""Image folders: a sub-folder per class, in the order of torchvision's ImageFolder."""

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.common.errors import DataError
from core.data.pictures.layout import is_junk, is_picture, lay_out
from core.data.sources import bounds
from core.data.sources.paths import check_file
from core.samples.picture_files import DEEP, FORMATS

if TYPE_CHECKING:
    from core.data.pictures.mask_values import MaskCode

MOST = 2_000_000
LARGEST_PIXELS = 100_000_000
ORIENTATION = 0x0112
"""The EXIF tag of the orientation."""
GREY_MODES = ("1", "L", "I", "F")
"""How Pillow's modes of pictures without colour begin."""
COLOUR_SIDE = 256
"""Pixels a side at which a JPEG is looked at for colours, where it is larger."""
DAMAGED_HINT = "Repair or delete them, or set skip_corrupt to skip them."


@dataclass(frozen=True)
class Picture:
    """One picture: its path in the folder, the number of its class, bytes and time of change.

    mask: the path of its mask, "" without one; mask_stamp: what changes when that does.
    """

    name: str
    label: int
    size: int
    changed_ns: int
    mask: str = ""
    mask_stamp: str = ""


@dataclass(frozen=True)
class Listing:
    """All pictures of a folder, in order.

    relist: lists them again. hint: what to do about damaged ones. parts: how many pictures each
    part of a data set has that its makers parted; its classes stand in a file apart. inner: the
    folder below the root that holds the classes; notes: what is left out, a sentence each. bounds:
    what becomes black and white in pictures of more than 8 bits. masks: which value of a mask is
    which class, None where pictures have no masks.
    """

    root: Path
    classes: tuple[str, ...]
    pictures: tuple[Picture, ...]
    relist: "Callable[[], Listing]"
    hint: str
    parts: tuple[int, ...] = ()
    inner: str = ""
    notes: tuple[str, ...] = ()
    bounds: tuple[float, float] = DEEP
    masks: "MaskCode | None" = None

    @property
    def stamp(self) -> str:
        """What changes when any picture comes, goes or changes."""
        described: list[Any] = [*self.classes]
        if self.parts:
            described += [*self.parts, *(picture.label for picture in self.pictures)]
        described += [*self.bounds] if self.bounds != DEEP else []
        described += [self.masks.by_index, *self.masks.values] if self.masks else []
        digest = hashlib.sha256(json.dumps(described).encode())
        for p in self.pictures:
            mask = f"\0{p.mask}\0{p.mask_stamp}" if p.mask else ""
            line = f"{p.name}\0{p.size}\0{p.changed_ns}{mask}\n"
            digest.update(line.encode("utf-8", "surrogateescape"))
        return digest.hexdigest()

    def planes(self, shape: tuple[int, int, int]) -> tuple[int, int, int]:
        """The shape of a picture of (C, H, W) as it is kept: one plane more where it has a mask."""
        return (shape[0] + 1, *shape[1:]) if self.masks else shape

    @property
    def counts(self) -> list[int]:
        """How many pictures each class has."""
        found = [0] * len(self.classes)
        for picture in self.pictures:
            found[picture.label] += 1
        return found


def list_folder(root: Path, name: str) -> Listing:
    """List a folder without opening a picture. Raises DataError for what cannot be learned from."""
    if not root.is_dir():
        raise DataError(
            f"{name} is a file, but ImageFolder needs a folder.",
            "Choose the folder that has one sub-folder for each class.",
        )
    names = files_below(root, name)
    layout = lay_out(names, name.rsplit("/", 1)[-1])
    start = len(f"{layout.inner}/") if layout.inner else 0
    label = {kind: i for i, kind in enumerate(layout.classes)}
    pictures: list[Picture] = []
    for row in layout.rows:
        status = check_file(root / names[row], f"{name}/{names[row]}")
        kind = names[row][start:].split("/", 1)[0]
        pictures.append(Picture(names[row], label[kind], status.st_size, status.st_mtime_ns))
    pictures.sort(key=lambda picture: picture.label)  # as ImageFolder goes, class after class
    return Listing(
        root,
        layout.classes,
        tuple(pictures),
        partial(list_folder, root, name),
        DAMAGED_HINT,
        (),
        layout.inner,
        layout.notes,
    )


def files_below(root: Path, name: str) -> list[str]:
    """Paths of the files below a folder, in ImageFolder's order; what is hidden is not entered.

    Raises DataError for links, and for too many.
    """
    listing: list[tuple[str, list[str]]] = []
    for place, folders, files in os.walk(root):
        folders[:] = [folder for folder in folders if not is_junk(folder)]
        for folder in folders:
            check_file(Path(place) / folder, f"{name}/{Path(place, folder).relative_to(root)}")
        listing.append((place, files))
        if sum(len(names) for _, names in listing) > 2 * MOST:
            raise DataError(f"{name} has more than {2 * MOST:,} files.", "Use fewer files.")
    names = [
        Path(place, file).relative_to(root).as_posix()
        for place, files in sorted(listing)
        for file in sorted(files)
    ]
    if sum(map(is_picture, names)) > MOST:
        raise DataError(f"{name} has more than {MOST:,} pictures.", "Use fewer files.")
    return names


def quick_stamp(root: Path) -> list[Any]:
    """What changes when pictures come or go, without looking at each: the times of the folders."""
    found: list[Any] = []
    for place, _, _ in sorted(os.walk(root)):
        found.append([os.path.relpath(place, root), os.lstat(place).st_mtime_ns])
        if len(found) > 10_000:
            break
    return found


def decode(
    path: Path,
    shape: tuple[int, int, int],
    bounds: tuple[float, float] = DEEP,
    as_stored: bool = False,
) -> bytes:
    """A picture as bytes (C, H, W) of the size asked for, as ImageFolder and v2.Resize give it.

    bounds: what becomes black and white in one of more than 8 bits. as_stored: without its EXIF
    and its transparency, as torchvision reads its own sets. Raises DataError, in words, for what
    is not a whole picture.
    """
    from core.samples.upright import fitted

    with opened(path, as_stored) as found:
        picture = fitted(found, shape, bounds, as_stored)
    return _planes(picture.tobytes(), shape)


def decoded(listing: Listing, picture: Picture, shape: tuple[int, int, int]) -> bytes:
    """A picture of a listing, decoded as its set is; (C, H, W)."""
    return decode(listing.root / picture.name, shape, listing.bounds, bool(listing.parts))


def kept(listing: Listing, picture: Picture, shape: tuple[int, int, int]) -> bytes:
    """The planes of a picture that are kept, of the shape that `Listing.planes` gives: its own, and
    the classes of its mask if it has one. Raises DataError, also for a mask that cannot be used."""
    if listing.masks is None:
        return decoded(listing, picture, shape)
    from core.data.pictures.mask_values import check_sizes, mask_plane  # with numpy

    own = decoded(listing, picture, (shape[0] - 1, *shape[1:]))
    with opened(listing.root / picture.mask) as mask:
        size = size_of(listing.root / picture.name)
        check_sizes(picture.name, size, picture.mask, mask.size)
        return own + mask_plane(mask, (shape[2], shape[1]), listing.masks)


def size_of(path: Path) -> tuple[int, int]:
    """Width and height in pixels as people see it, from the head alone. Raises DataError."""
    with opened(path) as found:
        width, height = found.size
        return (height, width) if found.getexif().get(ORIENTATION, 1) > 4 else (width, height)


def extrema_of(path: Path) -> tuple[float, float] | None:
    """The lowest and highest value of a picture of more than 8 bits; None for others."""
    with opened(path) as found:
        return found.getextrema() if found.mode.startswith(("I", "F")) else None


def is_grey(path: Path) -> bool:
    """Whether a picture has no colour, also with three equal channels. Raises DataError."""
    with opened(path) as picture:
        if picture.mode.startswith(GREY_MODES):
            return True
        picture.draft("RGB", (COLOUR_SIDE, COLOUR_SIDE))
        red, green, blue = (channel.tobytes() for channel in picture.convert("RGB").split())
        return red == green == blue


@contextmanager
def opened(path: Path, as_stored: bool = False) -> Iterator[Any]:
    """A picture of Pillow's, not decoded yet; whatever it runs into becomes a DataError."""
    from PIL import Image, UnidentifiedImageError

    try:
        if not path.stat().st_size:
            raise DataError(f"{path.name} is empty.", "Replace it by a picture.")
        with path.open("rb") as file, Image.open(file, formats=FORMATS) as found:
            bounds.check_picture(*found.size, LARGEST_PIXELS, path.name)
            if as_stored and found.mode.startswith(("I", "F")):
                raise DataError(
                    f"{path.name} has more than 8 bits a channel (mode {found.mode}), "
                    "but ImageFolder would reduce it to black and white.",
                    "Save it with 8 bits, scaled down to 0 to 255.",
                )
            with bounds.turn(*found.size):
                yield found
    except (DataError, MemoryError):
        raise
    except UnidentifiedImageError as error:
        kinds = f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
        raise DataError(f"{path.name} is not a picture ({kinds}).", "Save it as PNG.") from error
    except Image.DecompressionBombError as error:
        raise DataError(
            f"{path.name} has more than {LARGEST_PIXELS:,} pixels.", "Make it smaller."
        ) from error
    except Exception as error:  # Pillow's readers let out what their parsing of bytes runs into
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(f"{path.name} is damaged: {why}.") from error


def _planes(pixels: bytes, shape: tuple[int, int, int]) -> bytes:
    """Pixels (H, W, C) as planes (C, H, W)."""
    import numpy as np

    channels, height, width = shape
    picture = np.frombuffer(pixels, np.uint8).reshape(height, width, channels)
    return picture.transpose(2, 0, 1).tobytes()
