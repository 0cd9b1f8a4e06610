"""Image folders: a sub-folder per class, in the order of torchvision's ImageFolder."""

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from core.data import bounds
from core.data.paths import check_file
from core.errors import DataError

EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")
"""Endings of the files that ImageFolder takes for pictures."""
FORMATS = ("JPEG", "PNG", "PPM", "BMP", "GIF", "TIFF", "WEBP")
"""What Pillow may take a file for, whatever its ending: an EPS it hands to Ghostscript to run."""
MOST = 2_000_000
LARGEST_PIXELS = 100_000_000
DAMAGED_HINT = "Repair or delete them, or set skip_corrupt to leave them out."


@dataclass(frozen=True)
class Picture:
    """One picture: its path in the folder, the number of its class, bytes and time of change."""

    name: str
    label: int
    size: int
    changed_ns: int


@dataclass(frozen=True)
class Listing:
    """All pictures of a folder, in order.

    relist: lists them anew. hint: what to do about damaged ones. parts: how many pictures each part
    of a data set has that its makers parted; its classes stand in a file apart.
    """

    root: Path
    classes: tuple[str, ...]
    pictures: tuple[Picture, ...]
    relist: "Callable[[], Listing]"
    hint: str
    parts: tuple[int, ...] = ()

    @property
    def stamp(self) -> str:
        """What changes when any picture comes, goes or changes."""
        described: list[Any] = [*self.classes]
        if self.parts:
            described += [*self.parts, *(picture.label for picture in self.pictures)]
        digest = hashlib.sha256(json.dumps(described).encode())
        for p in self.pictures:
            digest.update(
                f"{p.name}\0{p.size}\0{p.changed_ns}\n".encode("utf-8", "surrogateescape")
            )
        return digest.hexdigest()

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
        raise DataError(f"{name} is a file, and ImageFolder needs a folder.",
                        "Choose the folder that has one sub-folder for each class.")  # fmt: skip
    folders = sorted(entry.name for entry in os.scandir(root) if entry.is_dir())
    if not folders:
        raise DataError(f"{name} has no sub-folders, so there are no classes.",
                        "Make a sub-folder for each class and put its pictures there.")  # fmt: skip
    pictures: list[Picture] = []
    for label, folder in enumerate(folders):
        before = len(pictures)
        _collect(root, name, folder, label, pictures)
        if len(pictures) == before:
            raise DataError(f"{name}/{folder} holds no picture.",
                            f"Put pictures there ({', '.join(EXTENSIONS[:3])} …), or remove the "
                            "folder.")  # fmt: skip
    if len(folders) < 2:
        raise DataError(f"{name} has one class, {folders[0]}.", "A network learns to tell two or "
                        "more apart: add another sub-folder.")  # fmt: skip
    return Listing(
        root, tuple(folders), tuple(pictures), partial(list_folder, root, name), DAMAGED_HINT
    )


def _collect(root: Path, name: str, folder: str, label: int, pictures: list[Picture]) -> None:
    start = root / folder
    check_file(start, f"{name}/{folder}")
    for place, _, files in sorted(os.walk(start)):
        for file in sorted(files):
            if not file.lower().endswith(EXTENSIONS):
                continue
            path = Path(place) / file
            inner = path.relative_to(root).as_posix()
            found = check_file(path, f"{name}/{inner}")
            pictures.append(Picture(inner, label, found.st_size, found.st_mtime_ns))
            if len(pictures) > MOST:
                raise DataError(f"{name} has more than {MOST:,} pictures.", "Use fewer.")


def quick_stamp(root: Path) -> list[Any]:
    """What changes when pictures come or go, without looking at each: the times of the folders."""
    found: list[Any] = []
    for place, _, _ in sorted(os.walk(root)):
        found.append([os.path.relpath(place, root), os.lstat(place).st_mtime_ns])
        if len(found) > 10_000:
            break
    return found


def decode(path: Path, shape: tuple[int, int, int]) -> bytes:
    """A picture as bytes (C, H, W) of the size asked for, as ImageFolder and v2.Resize give it.

    Raises DataError, in words, for what is no whole picture.
    """
    from PIL import Image

    channels, height, width = shape
    with _opened(path) as opened:
        picture = opened.convert("RGB")
        if channels == 1:
            picture = picture.convert("L")
        if picture.size != (width, height):
            picture = picture.resize((width, height), Image.Resampling.BILINEAR)
    return _planes(picture.tobytes(), shape)


def size_of(path: Path) -> tuple[int, int]:
    """Width and height in pixels, read from the head of a picture alone. Raises DataError."""
    with _opened(path) as opened:
        return opened.size


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """A picture of Pillow's, not decoded yet; whatever it runs into becomes a DataError."""
    from PIL import Image, UnidentifiedImageError

    try:
        with path.open("rb") as file, Image.open(file, formats=FORMATS) as opened:
            bounds.check_picture(*opened.size, LARGEST_PIXELS, path.name)
            if opened.mode.startswith(("I", "F")):
                raise DataError(f"{path.name} has more than 8 bits a channel (mode {opened.mode}), "
                                "of which ImageFolder would keep black and white alone.",
                                "Save it with 8 bits, scaled down to 0 to 255.")  # fmt: skip
            with bounds.turn(*opened.size):
                yield opened
    except (DataError, MemoryError):
        raise
    except UnidentifiedImageError as error:
        kinds = f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
        raise DataError(f"{path.name} is no picture ({kinds}).",
                        "Save it as PNG.") from error  # fmt: skip
    except Image.DecompressionBombError as error:
        raise DataError(f"{path.name} has more than {LARGEST_PIXELS:,} pixels.",
                        "Make it smaller.") from error  # fmt: skip
    except Exception as error:  # Pillow's readers let out what their parsing of bytes runs into
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(f"{path.name} is damaged: {why}.") from error


def _planes(pixels: bytes, shape: tuple[int, int, int]) -> bytes:
    """Pixels (H, W, C) as planes (C, H, W)."""
    import numpy as np

    channels, height, width = shape
    picture = np.frombuffer(pixels, np.uint8).reshape(height, width, channels)
    return picture.transpose(2, 0, 1).tobytes()
