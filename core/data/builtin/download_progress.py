"""Progress of a download, by the size of the folder it fills."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

ARCHIVES = (".gz", ".tgz", ".tar", ".zip", ".bz2", ".mat")
DEEPEST = 3
"""Archives lie no deeper; what is unpacked of them may be a hundred thousand files."""
EVERY_S = 0.2


@contextmanager
def with_progress(
    folder: Path, total: int, progress: Callable[[int, int], None] | None
) -> Iterator[None]:
    """While the block runs, tell `progress` the bytes of archives in `folder`, and `total`.

    torchvision's downloads offer no callback; their files grow on disk as they come.
    """
    if progress is None:
        yield
        return
    over = Event()

    def look() -> None:
        while not over.wait(EVERY_S):
            progress(min(size_of(folder), total), total)

    watcher = Thread(target=look, name="download progress", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
    progress(total, total)


def size_of(folder: Path) -> int:
    """Bytes of the archives in a folder and below."""
    total = 0
    for file in (path for deep in range(DEEPEST) for path in folder.glob("*/" * deep + "*")):
        try:
            total += file.stat().st_size if file.suffix in ARCHIVES else 0
        except FileNotFoundError:  # moved or deleted while we look
            continue
    return total
