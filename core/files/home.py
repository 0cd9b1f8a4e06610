"""The folder of the user's files: drafts, recent projects, trusted Python."""

import os
import re
import stat
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from core.common.errors import ProjectError
from core.files.folder import locked

T = TypeVar("T")
MODE = "LAYERLOOM_FOLDER_MODE"
PERSON = "LAYERLOOM_PERSON"
"""The variable that names the account for which a class server started this workbench."""
HINT = "Set LAYERLOOM_HOME to a folder you can write to."


def home() -> Path:
    """Name the folder: $LAYERLOOM_HOME, else layerloom in $XDG_STATE_HOME or ~/.local/state."""
    if chosen := os.environ.get("LAYERLOOM_HOME"):
        return Path(chosen)
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "layerloom"


def account() -> str:
    """The account of a class server that works here; "" on a machine of one's own."""
    return os.environ.get(PERSON, "")


def folder_mode() -> int:
    """Who may look into folders of ours: LAYERLOOM_FOLDER_MODE, as chmod writes it, else 700."""
    given = os.environ.get(MODE, "")
    return int(given, 8) if re.fullmatch(r"0?[67][0-7]{2}", given) else 0o700


def make_folder(folder: Path) -> None:
    """Make a folder for this user alone, or as LAYERLOOM_FOLDER_MODE says.

    Raises FileExistsError where there is one, OSError where there can be none.
    """
    folder.mkdir(mode=folder_mode())
    folder.chmod(folder_mode())


def _close(folder: Path) -> None:
    """Take away what an older version let others see; what they could write to is left as it is."""
    status = folder.stat()
    open_to = stat.S_IMODE(status.st_mode) & 0o077
    own = os.name == "posix" and status.st_uid == os.getuid()
    if own and not open_to & 0o022 and open_to & ~folder_mode():
        folder.chmod(folder_mode())


def private_folder(folder: Path) -> Path:
    """Create a folder for this user alone, if need be. Raises ProjectError if that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _close(folder)
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
