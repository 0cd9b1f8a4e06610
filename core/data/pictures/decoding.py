"""Decode a folder of images into its cache: by one process while others wait.

Memory holds a few images at a time; after an interruption the next process continues.
"""

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from core.common.errors import DataError
from core.data.pictures.cache import (
    PictureCache,
    Shape3,
    folder_of,
    picture_bytes,
    progress_of,
    read_cache,
    read_note,
    write_note,
)
from core.data.pictures.cache_eviction import (
    LOCK,
    NO_LOCKS,
    SPARE_BYTES,
    free_bytes,
    is_lock_of,
    make_room,
)
from core.data.pictures.folder import Listing, Picture, kept
from core.data.sources.paths import cache_folder

Progress = Callable[[int, int, int], None]
"""Called with the number of pictures tried, of all pictures, and of unreadable ones."""
CHUNK, CHUNK_BYTES, NOTE_S = 64, 8 << 20, 1.0
NAMED = 5


def decode_pictures(
    listing: Listing, shape: Shape3, skip_corrupt: bool, progress: Progress | None = None
) -> PictureCache:
    """The cache of a folder; decodes the pictures that are not in it yet.

    shape: as `Listing.planes` has it, with a plane for the mask where there is one.
    Raises DataError naming damaged pictures unless they are skipped, when the disk is full, and
    when the folder changes meanwhile.
    """
    folder = folder_of(listing, shape)
    try:
        cached = read_cache(folder, shape)
        if cached is None:
            _begin(folder, len(listing.pictures) * picture_bytes(shape))
            with _hold_lock(folder, listing, shape, progress):
                cached = read_cache(folder, shape) or _Decoder(folder, listing, shape).run(progress)
    except OSError as error:
        raise DataError(
            f"The decoded pictures could not be saved: {error.strerror or error}.",
            f"Free some space in {cache_folder()}.",
        ) from error
    if cached.damaged and not skip_corrupt:
        raise _damage_error(listing, cached.damaged, shape)
    if not cached.rows:
        raise DataError(
            f"None of the {len(listing.pictures)} pictures can be read.",
            "Check the contents of the folder.",
        )
    return cached


def _damage_error(listing: Listing, damaged: tuple[str, ...], shape: Shape3) -> DataError:
    count = f"{len(damaged)} of {len(listing.pictures)} pictures cannot be read"
    try:
        kept(listing, next(p for p in listing.pictures if p.name == damaged[0]), shape)
        why = ""
    except DataError as error:
        why = f" {error.message}"
    return DataError(f"{count}: {shorten_names(damaged)}.{why}", listing.hint)


def shorten_names(damaged: tuple[str, ...]) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(damaged) - NAMED} more" if len(damaged) > NAMED else ""
    return ", ".join(damaged[:NAMED]) + more


def _begin(folder: Path, size: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    ignore = cache_folder().parent / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")
    done = _size(folder / "pixels.part")
    make_room(folder, size, done)
    free = free_bytes()
    if free + done < size + SPARE_BYTES:
        raise DataError(
            f"The decoded pictures need {size / 1e6:,.0f} MB but {free / 1e6:,.0f} MB are free.",
            "Free some space, or make the Input smaller.",
        )


@contextmanager
def _hold_lock(
    folder: Path, listing: Listing, shape: Shape3, progress: Progress | None
) -> Iterator[None]:
    """Hold the lock of the cache; while another process has it, report its progress."""
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / LOCK).open("ab") as lock:
            if not _try_lock(lock):
                if progress:
                    now = progress_of(listing, shape)
                    progress(now.done, len(listing.pictures), now.damaged)
                time.sleep(0.2)
            elif is_lock_of(lock, folder):  # else it was thrown away while we waited
                os.utime(lock.fileno())
                yield
                return


def _try_lock(lock: IO[bytes]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:  # a disk without locks: then nobody else can be waited for
        if error.errno not in NO_LOCKS:
            raise
    return True


class _Decoder:
    """Decodes the remaining pictures, row by row."""

    def __init__(self, folder: Path, listing: Listing, shape: Shape3) -> None:
        self.folder, self.listing, self.shape = folder, listing, shape
        self.part = folder / "pixels.part"
        noted = read_note(folder / "progress.json")
        damaged = noted.get("damaged", [])
        self.damaged: list[str] = list(map(str, damaged)) if isinstance(damaged, list) else []
        done = noted.get("done", 0)
        known = isinstance(done, int) and done <= len(listing.pictures)
        rows = done - len(self.damaged) if known else -1
        if rows < 0 or _size(self.part) < rows * picture_bytes(shape):
            done, rows, self.damaged = 0, 0, []
        self.done = int(done)
        self.rows = rows

    def run(self, progress: Progress | None) -> PictureCache:
        """Decode to the end; only then the cache is complete."""
        self._decode(progress)
        self._check_unchanged()
        self.part.replace(self.folder / "pixels.u8")
        content = self._content()
        meta = {"rows": self.rows, "shape": list(self.shape), "damaged": self.damaged}
        write_note(self.folder / "meta.json", {**meta, "content": content})
        return PictureCache(self.folder, self.shape, self.rows, tuple(self.damaged), content)

    def _decode(self, progress: Progress | None) -> None:
        pictures = self.listing.pictures
        size = max(4, min(CHUNK, CHUNK_BYTES // picture_bytes(self.shape)))
        threads = ThreadPoolExecutor(min(4, os.cpu_count() or 1))
        with self.part.open("ab") as file, threads:
            file.truncate(self.rows * picture_bytes(self.shape))
            noted = time.monotonic()
            for start in range(self.done, len(pictures), size):
                self._chunk(file, threads, pictures[start : start + size])
                if time.monotonic() - noted >= NOTE_S:
                    self._note(file)
                    noted = time.monotonic()
                if progress:
                    progress(self.done, len(pictures), len(self.damaged))
            self._note(file)

    def _check_unchanged(self) -> None:
        """Pictures that changed after they were listed would be stored under the wrong key."""
        root = self.listing.root
        try:
            now = self.listing.relist().stamp
        except DataError:  # what is left of it cannot even be listed
            now = ""
        if now == self.listing.stamp:
            return
        for name in ("progress.json", "pixels.part"):
            (self.folder / name).unlink(missing_ok=True)
        raise DataError(
            f"{root.name} changed while its pictures were decoded.",
            "Try again when no more files are written there.",
        )

    def _chunk(self, file: Any, threads: ThreadPoolExecutor, pictures: tuple[Picture, ...]) -> None:
        for picture, pixels in zip(pictures, threads.map(self._decoded, pictures), strict=True):
            if pixels is None:
                self.damaged.append(picture.name)
            else:
                file.write(pixels)
                self.rows += 1
            self.done += 1

    def _decoded(self, picture: Picture) -> bytes | None:
        try:
            return kept(self.listing, picture, self.shape)
        except DataError:  # named in `damaged`; what follows is the user's choice
            return None

    def _note(self, file: Any) -> None:
        """Write the progress, once those bytes are on the disk."""
        file.flush()
        os.fsync(file.fileno())
        write_note(self.folder / "progress.json", {"done": self.done, "damaged": self.damaged})

    def _content(self) -> str:
        """SHA-256 of all pixels and their classes: the same pictures elsewhere have the same."""
        with (self.folder / "pixels.u8").open("rb") as file:
            digest = hashlib.file_digest(file, "sha256")
        gone = set(self.damaged)
        labels = [p.label for p in self.listing.pictures if p.name not in gone]
        digest.update(json.dumps([self.listing.classes, labels]).encode())
        return digest.hexdigest()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
