"""Pictures decoded once: a file of bytes (S, C, H, W) in the workspace's cache folder.

.layerloom/cache/KEY/  KEY follows from the names, sizes and times of the pictures and the shape
  lock                         held by whoever makes or reads it; its time is that of the last use
  pixels.part, progress.json   while it is made; whoever comes next goes on from there
  pixels.u8, meta.json         when it is whole: {"rows", "shape", "damaged": [names], "content"}
"""

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.data.folder import Listing
from core.data.paths import cache_folder

Shape3 = tuple[int, int, int]
FORMAT = 3
"""Counts what changes the pixels; in 1, pictures of 16 bits were cut off at 8; in 2, EXIF and
transparency were not seen."""


@dataclass(frozen=True)
class Cached:
    """A whole cache. rows: pictures in it; damaged: names of those that are not."""

    folder: Path
    shape: Shape3
    rows: int
    damaged: tuple[str, ...]
    content: str

    @property
    def pixels(self) -> Path:
        return self.folder / "pixels.u8"


@dataclass(frozen=True)
class Far:
    """How far a cache is. done: pictures looked at; damaged: those of them that cannot be read."""

    done: int
    damaged: int


def place_of(listing: Listing, shape: Shape3) -> Path:
    """The folder of the cache of these pictures at this size."""
    key = hashlib.sha256(f"{FORMAT} {listing.stamp} {shape}".encode()).hexdigest()[:24]
    return cache_folder() / key


def find(listing: Listing, shape: Shape3) -> Cached | None:
    """The cache, where it is whole."""
    return whole(place_of(listing, shape), shape)


def whole(folder: Path, shape: Shape3) -> Cached | None:
    """The cache in a folder, where it is whole."""
    found = read_note(folder / "meta.json")
    try:
        rows, damaged = int(found["rows"]), tuple(map(str, found["damaged"]))
        made, size = tuple(found["shape"]), (folder / "pixels.u8").stat().st_size
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        return None
    if made != shape or size != rows * bytes_of(shape):
        return None
    return Cached(folder, shape, rows, damaged, str(found.get("content", "")))


def far(listing: Listing, shape: Shape3) -> Far:
    """How far the cache is, by what its maker noted last."""
    return far_in(place_of(listing, shape), shape, len(listing.pictures))


def far_in(folder: Path, shape: Shape3, pictures: int) -> Far:
    """The same of the cache in a folder, of so many pictures."""
    if found := whole(folder, shape):
        return Far(pictures, len(found.damaged))
    noted = read_note(folder / "progress.json")
    done, damaged = noted.get("done", 0), noted.get("damaged", [])
    return Far(done, len(damaged)) if isinstance(done, int) else Far(0, 0)


def bytes_of(shape: Shape3) -> int:
    """Bytes of one picture."""
    return shape[0] * shape[1] * shape[2]


def read_note(path: Path) -> dict[str, Any]:
    """A small file of ours; {} where there is none, or no longer a whole one."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def write_note(path: Path, value: dict[str, Any]) -> None:
    """Write a small file whole or not at all. Raises OSError."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    with part.open("w", encoding="utf-8") as file:
        json.dump(value, file)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
