"""A disk that refuses the n-th write below a folder, and as many after it as are wanted."""

import errno
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CALLS = ("fsync", "replace", "rename", "link", "mkdir", "truncate")


class Disk:
    """Counts writes; those from number `first` on are refused, `many` of them.

    What goes over bytes that a file has already (os.pwrite) needs no room and is not counted.
    """

    def __init__(self, folder: Path, first: int, many: int = 1) -> None:
        self.folder, self.first, self.many = str(folder), first, many
        self.count = 0

    @property
    def refused(self) -> bool:
        """Whether any write was refused."""
        return self.count >= self.first

    def ask(self, what: str) -> None:
        """Count a write. Raises OSError where it is one of those that are refused."""
        self.count += 1
        if self.first <= self.count < self.first + self.many:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), what)

    def install(self, patch: pytest.MonkeyPatch) -> None:
        """Stand between this process and its disk."""
        for name in CALLS:
            if hasattr(os, name):
                patch.setattr(os, name, self._asking(getattr(os, name)))
        patch.setattr(io, "open", self._open)  # which Path.open calls

    def _asking(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **more: Any) -> Any:
            here = isinstance(args[0], int) or self.folder in os.fspath(args[0])
            if here:
                self.ask(real.__name__)
            return real(*args, **more)

        return call

    def _open(self, path: Any, mode: str = "r", buffering: int = -1, *args: Any) -> Any:
        if not set(mode) & set("wax+") or self.folder not in str(path):
            return _REAL(path, mode, buffering, *args)
        self.ask("open")
        raw = _File(str(path), mode.replace("b", ""), self)
        if "+" in mode:
            return io.BufferedRandom(raw)
        if buffering == 0:
            return raw
        binary = io.BufferedWriter(raw)
        return binary if "b" in mode else io.TextIOWrapper(binary, "utf-8")


_REAL = io.open


class _File(io.FileIO):
    def __init__(self, path: str, mode: str, disk: Disk) -> None:
        super().__init__(path, mode)
        self.disk = disk

    def write(self, data: Any, /) -> int:
        self.disk.ask("write")
        return super().write(data)


def read_only(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Have the disk of a folder refuse to make, rename and delete anything, as one mounted so."""

    def refusing(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: Any, *args: Any, **more: Any) -> Any:
            writes = name != "open" or args[0] & (os.O_WRONLY | os.O_RDWR)
            if writes and str(folder) in os.fspath(path):
                raise OSError(errno.EROFS, os.strerror(errno.EROFS), os.fspath(path))
            return real(path, *args, **more)

        return call

    def opened(path: Any, mode: str = "r", *args: Any, **more: Any) -> Any:
        if set(mode) & set("wax+") and str(folder) in str(path):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
        return _REAL(path, mode, *args, **more)

    for name in ("open", "unlink", "replace", "rename", "mkdir", "link"):
        patch.setattr(os, name, refusing(name, getattr(os, name)))
    patch.setattr(io, "open", opened)
