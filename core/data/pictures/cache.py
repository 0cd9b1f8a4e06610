"""Pictures decoded once: a file of bytes (S, C, H, W) in the workspace's cache folder.

.layerloom/cache/KEY/ KEY follows from the names, sizes and times of the pictures and the shape lock
held by the process that makes or reads it; its time is that of the last use pixels.part,
progress.json while it is made; the next process continues from there pixels.u8, meta.json when it
is complete: {"rows", "shape", "damaged": [names], "content"}
"""

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.data.pictures.folder import Listing
from core.data.sources.paths import cache_folder

Shape3 = tuple[int, int, int]
FORMAT = 3
"""Counts what changes the pixels; in 1, pictures of 16 bits were cut off at 8; in 2, EXIF and
transparency were not seen."""


@dataclass(frozen=True)
class PictureCache:
    """A complete cache. rows: pictures in it; damaged: names of pictures left out."""

    folder: Path
    shape: Shape3
    rows: int
    damaged: tuple[str, ...]
    content: str

    @property
    def pixels(self) -> Path:
        return self.folder / "pixels.u8"


@dataclass(frozen=True)
class DecodingProgress:
    """Progress of a cache. done: pictures tried; damaged: how many of them cannot be read."""

    done: int
    damaged: int


def folder_of(listing: Listing, shape: Shape3) -> Path:
    """The folder of the cache of these pictures at this size."""
    key = hashlib.sha256(f"{FORMAT} {listing.stamp} {shape}".encode()).hexdigest()[:24]
    return cache_folder() / key


def find_cache(listing: Listing, shape: Shape3) -> PictureCache | None:
    """The cache of these pictures, if it is complete."""
    return read_cache(folder_of(listing, shape), shape)


def read_cache(folder: Path, shape: Shape3) -> PictureCache | None:
    """The cache in a folder, if it is complete."""
    found = read_note(folder / "meta.json")
    try:
        rows, damaged = int(found["rows"]), tuple(map(str, found["damaged"]))
        made, size = tuple(found["shape"]), (folder / "pixels.u8").stat().st_size
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        return None
    if made != shape or size != rows * picture_bytes(shape):
        return None
    return PictureCache(folder, shape, rows, damaged, str(found.get("content", "")))


def progress_of(listing: Listing, shape: Shape3) -> DecodingProgress:
    """The last progress that was written for the cache of these pictures."""
    return progress_in(folder_of(listing, shape), shape, len(listing.pictures))


def progress_in(folder: Path, shape: Shape3, pictures: int) -> DecodingProgress:
    """The progress of the cache in a folder. pictures: how many it will hold."""
    if found := read_cache(folder, shape):
        return DecodingProgress(pictures, len(found.damaged))
    noted = read_note(folder / "progress.json")
    done, damaged = noted.get("done", 0), noted.get("damaged", [])
    return DecodingProgress(done, len(damaged)) if isinstance(done, int) else DecodingProgress(0, 0)


def picture_bytes(shape: Shape3) -> int:
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
