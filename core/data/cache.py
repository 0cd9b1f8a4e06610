"""Pictures decoded once: a file of bytes (S, C, H, W) in the workspace's cache folder.

.layerloom/cache/KEY/  KEY follows from the names, sizes and times of the pictures and the shape
  pixels.part, progress.json   while it is made; whoever comes next goes on from there
  pixels.u8, meta.json         when it is whole: {"rows", "shape", "damaged": [names], "content"}

One process makes it, others wait; memory holds a few pictures at a time.
"""

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.data.errors import DataError
from core.data.folder import Listing, Picture, decode
from core.data.paths import cache_folder

Shape3 = tuple[int, int, int]
Progress = Callable[[int, int], None]
CHUNK, CHUNK_BYTES, NOTE_S = 64, 8 << 20, 1.0
SPARE_BYTES = 256 << 20
NAMED = 5


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


def key_of(listing: Listing, shape: Shape3) -> str:
    """The name of the cache of these pictures at this size."""
    return hashlib.sha256(f"{listing.stamp} {shape}".encode()).hexdigest()[:24]


def find(listing: Listing, shape: Shape3) -> Cached | None:
    """The cache, where it is whole."""
    return _whole(cache_folder() / key_of(listing, shape), shape)


def _whole(folder: Path, shape: Shape3) -> Cached | None:
    found = _json(folder / "meta.json")
    try:
        rows, damaged = int(found["rows"]), tuple(map(str, found["damaged"]))
        size = (folder / "pixels.u8").stat().st_size
    except (KeyError, TypeError, ValueError, OSError):
        return None
    if tuple(found.get("shape", ())) != shape or size != rows * _bytes(shape):
        return None
    return Cached(folder, shape, rows, damaged, str(found.get("content", "")))


def progress_of(listing: Listing, shape: Shape3) -> int:
    """How many pictures are decoded so far."""
    if find(listing, shape):
        return len(listing.pictures)
    found = _json(cache_folder() / key_of(listing, shape) / "progress.json")
    done = found.get("done", 0)
    return done if isinstance(done, int) else 0


def make(
    listing: Listing, shape: Shape3, skip_corrupt: bool, progress: Progress | None = None
) -> Cached:
    """The cache, made where it is not whole yet.

    Raises DataError naming damaged pictures unless they are to be skipped, or when the disk is
    full.
    """
    folder = cache_folder() / key_of(listing, shape)
    try:
        found = _whole(folder, shape)
        if found is None:
            _begin(folder, len(listing.pictures) * _bytes(shape))
            with _alone(folder, listing, shape, progress):
                found = _whole(folder, shape) or _Maker(folder, listing, shape).run(progress)
    except OSError as error:
        raise DataError(f"The pictures could not be kept decoded: {error.strerror or error}.",
                        f"Free some space in {cache_folder()}.") from error  # fmt: skip
    if found.damaged and not skip_corrupt:
        raise _refused(listing, found.damaged)
    if not found.rows:
        raise DataError(f"None of the {len(listing.pictures)} pictures can be read.",
                        "Look at what the folder holds.")  # fmt: skip
    return found


def _refused(listing: Listing, damaged: tuple[str, ...]) -> DataError:
    names = ", ".join(damaged[:NAMED])
    more = f" and {len(damaged) - NAMED} more" if len(damaged) > NAMED else ""
    count = f"{len(damaged)} of {len(listing.pictures)} pictures cannot be read: {names}{more}."
    return DataError(count, "Repair or delete them, or set skip_corrupt to leave them out.")


def _begin(folder: Path, size: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    ignore = cache_folder().parent / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")
    disk = os.statvfs(folder)
    done = _size(folder / "pixels.part")
    if disk.f_bavail * disk.f_frsize + done < size + SPARE_BYTES:
        free = disk.f_bavail * disk.f_frsize / 1e6
        raise DataError(f"The decoded pictures need {size / 1e6:,.0f} MB but {free:,.0f} MB are "
                        "free.", "Free some space, or make the Input smaller.")  # fmt: skip


@contextmanager
def _alone(
    folder: Path, listing: Listing, shape: Shape3, progress: Progress | None
) -> Iterator[None]:
    """Wait for whoever makes it now, telling how far that is."""
    with (folder / "lock").open("w") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if progress:
                    progress(progress_of(listing, shape), len(listing.pictures))
                time.sleep(0.2)
        yield


class _Maker:
    """Decodes what is left, row after row."""

    def __init__(self, folder: Path, listing: Listing, shape: Shape3) -> None:
        self.folder, self.listing, self.shape = folder, listing, shape
        self.part = folder / "pixels.part"
        noted = _json(folder / "progress.json")
        damaged = noted.get("damaged", [])
        self.damaged: list[str] = list(map(str, damaged)) if isinstance(damaged, list) else []
        done = noted.get("done", 0)
        rows = done - len(self.damaged) if isinstance(done, int) else -1
        if rows < 0 or _size(self.part) < rows * _bytes(shape):
            done, rows, self.damaged = 0, 0, []
        self.done = int(done)
        self.rows = rows

    def run(self, progress: Progress | None) -> Cached:
        """Go on to the end; only then it counts as whole."""
        size = max(4, min(CHUNK, CHUNK_BYTES // _bytes(self.shape)))
        threads = ThreadPoolExecutor(min(4, os.cpu_count() or 1))
        with self.part.open("ab") as file, threads:
            file.truncate(self.rows * _bytes(self.shape))
            noted = time.monotonic()
            for start in range(self.done, len(self.listing.pictures), size):
                self._chunk(file, threads, self.listing.pictures[start : start + size])
                if time.monotonic() - noted >= NOTE_S:
                    self._note(file)
                    noted = time.monotonic()
                if progress:
                    progress(self.done, len(self.listing.pictures))
            self._note(file)
        self.part.replace(self.folder / "pixels.u8")
        content = self._content()
        meta = {"rows": self.rows, "shape": list(self.shape), "damaged": self.damaged}
        _write(self.folder / "meta.json", {**meta, "content": content})
        return Cached(self.folder, self.shape, self.rows, tuple(self.damaged), content)

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
            return decode(self.listing.root / picture.name, self.shape)
        except DataError:  # named in `damaged`; what follows is the user's choice
            return None

    def _note(self, file: Any) -> None:
        """Note how far it is, once those bytes are on the disk."""
        file.flush()
        os.fsync(file.fileno())
        _write(self.folder / "progress.json", {"done": self.done, "damaged": self.damaged})

    def _content(self) -> str:
        """SHA-256 of all pixels and their classes: the same pictures elsewhere have the same."""
        with (self.folder / "pixels.u8").open("rb") as file:
            digest = hashlib.file_digest(file, "sha256")
        gone = set(self.damaged)
        labels = [p.label for p in self.listing.pictures if p.name not in gone]
        digest.update(json.dumps([self.listing.classes, labels]).encode())
        return digest.hexdigest()


def _bytes(shape: Shape3) -> int:
    return shape[0] * shape[1] * shape[2]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _json(path: Path) -> dict[str, Any]:
    """A small file of ours; {} where there is none, or no longer a whole one."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _write(path: Path, value: dict[str, Any]) -> None:
    part = path.with_name(f".{path.name}.{os.getpid()}")
    with part.open("w", encoding="utf-8") as file:
        json.dump(value, file)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
