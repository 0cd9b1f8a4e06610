"""The folder of this user's own files: drafts, recent projects, trusted Python."""

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from core.errors import ProjectError
from core.project.folder import locked

T = TypeVar("T")
HINT = "Set LAYERLOOM_HOME to a folder you may write to."


def home() -> Path:
    """Name the folder: $LAYERLOOM_HOME, else layerloom in $XDG_STATE_HOME or ~/.local/state."""
    if chosen := os.environ.get("LAYERLOOM_HOME"):
        return Path(chosen)
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "layerloom"


def private_folder(folder: Path) -> Path:
    """Create a folder for this user alone, if need be. Raises ProjectError if that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        message = f"cannot be created: {error.strerror}."
        raise ProjectError(str(folder), message, HINT) from error
    return folder


@contextmanager
def changing(name: str) -> Generator[Path]:
    """Hold a list of this user's while it is changed. Raises ProjectError if it cannot be."""
    file = private_folder(home()) / name
    try:
        with locked(file):
            yield file
    except OSError as error:
        message = f"cannot be written: {error.strerror}."
        raise ProjectError(str(file), message, HINT) from error


def read_or_set_aside(file: Path, read: Callable[[Path], T], nothing: T) -> T:
    """Read a list; a bad one is moved to NAME.bad, where a person can look at it."""
    try:
        return read(file)
    except ProjectError:
        file.replace(file.with_name(file.name + ".bad"))
        return nothing
