"""Where compiled steps are kept between runs: a folder of the user's own, of bounded size.

What lies there is executed, so it is never one that others may write to. Torch looks there before
it compiles, and compiles anew what is missing.
"""

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

VARIABLE = "TORCHINDUCTOR_CACHE_DIR"
COMPILING = "compiling.lock"  # in it, held by the one process that compiles beside a run
LIMIT_BYTES = 1 << 29
_OWN: list[tempfile.TemporaryDirectory[str]] = []  # deleted when the process ends


def use_cache() -> None:
    """Have torch keep what it compiles in the user's cache, unless somebody chose a folder.

    Without a folder that is the user's alone it is one that only this process knows: torch's own
    has a name that anybody can foresee, and make before.
    """
    if os.environ.get(VARIABLE):
        return
    folder = kept_in()
    if folder:
        make_room(folder, LIMIT_BYTES)
    else:
        _OWN.append(tempfile.TemporaryDirectory(prefix="layerloom-compiled-"))
    os.environ[VARIABLE] = str(folder or _OWN[-1].name)


def kept_in() -> Path | None:
    """The folder in which what is compiled stays for other processes; None where there is none."""
    if chosen := os.environ.get(VARIABLE):
        return None if _OWN and chosen == _OWN[-1].name else Path(chosen)
    folder = Path.home() / ".cache/layerloom/compiled"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat()
    except OSError:
        return None
    if found.st_uid != os.getuid() or stat.S_IMODE(found.st_mode) & 0o022:
        return None
    return folder


def make_room(folder: Path, limit: int) -> None:
    """Delete the files that were written first until those that stay are no more than `limit`."""
    files = sorted(_sized(folder))
    total = sum(size for _, size, _ in files)
    for _, size, path in files:
        if total <= limit:
            return
        with suppress(OSError):  # another run was faster
            path.unlink()
        total -= size


def _sized(folder: Path) -> Iterator[tuple[float, int, Path]]:
    """When each file was written, its bytes and its place."""
    for path in folder.rglob("*"):
        with suppress(OSError):
            found = path.lstat()
            if stat.S_ISREG(found.st_mode):
                yield found.st_mtime, found.st_size, path
