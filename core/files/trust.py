"""Trust in own Python: sha256 of the code this user trusts, kept outside of projects.

The only module that decides it. If the list cannot be read, or other users can write it, nothing
is trusted, and `problem` names the reason.
"""

import hashlib
import json
import os
import stat
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from core.common.errors import ProjectError
from core.files.folder import write_bytes
from core.files.home import changing, home, read_or_set_aside
from core.files.read import read_bytes
from core.files.strict import decode, parse

FILE = "trusted.json"
OFF = "switched off here (LAYERLOOM_PYTHON=off)"
Entries = dict[str, str]
"""Digest of a text to the name of its class, for people who look into the file."""


def digest(text: str) -> str:
    """Name a text by all its characters."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def trusted(text: str) -> bool:
    """Whether this user has trusted exactly this text."""
    name = digest(text)
    return bool(text) and (name in _entries()[0] or (name in _MEANWHILE and not _off()))


_MEANWHILE: set[str] = set()
"""Texts that this process runs without a place in the list."""


@contextmanager
def meanwhile(*texts: str) -> Generator[None]:
    """Let texts run in this process only, as in an import that has just run the same classes."""
    new = {digest(text) for text in texts} - _MEANWHILE
    _MEANWHILE.update(new)
    try:
        yield
    finally:
        _MEANWHILE.difference_update(new)


def listed() -> frozenset[str]:
    """Digests of all texts that this user has trusted, or that this process runs meanwhile."""
    return frozenset({*_entries()[0], *(() if _off() else _MEANWHILE)})


def problem() -> str:
    """Say why nothing is trusted, if the list cannot be used; "" if it can."""
    return _entries()[1]


def trust(text: str, name: str = "") -> None:
    """Allow this code to run from now on. Raises ProjectError if that cannot be saved."""
    _change(lambda old: {**old, digest(text): name})


def forget(text: str) -> None:
    """Stop allowing this code to run. Raises ProjectError if that cannot be saved."""
    _change(lambda old: {key: name for key, name in old.items() if key != digest(text)})


def _entries() -> tuple[Entries, str]:
    """What is trusted, and what is wrong with the list. Read again each time: it is small."""
    if _off():
        return {}, f"Python blocks do not run: they are {OFF}."
    file = home() / FILE
    try:
        return _read(file), ""
    except OSError as error:
        reason = f"{file} cannot be read: {error.strerror}."
    except ProjectError as error:
        reason = str(error)
    return {}, f"Python blocks do not run: {reason}"


def _off() -> bool:
    """Whether the administrator has switched off Python in projects, as on shared machines."""
    return os.environ.get("LAYERLOOM_PYTHON", "on") != "on"  # a word that is none is no yes


def _read(file: Path) -> Entries:
    if not file.exists():
        return {}
    _check_owner(file)
    data: Any = parse(decode(read_bytes(file)))
    entries = cast(Entries, data)
    if not isinstance(data, dict) or not all(
        len(key) == 64 and type(name) is str for key, name in entries.items()
    ):
        hint = "Delete it, then trust your blocks again."
        raise ProjectError(str(file), "is not a list of trusted Python.", hint)
    return entries


def _check_owner(file: Path) -> None:
    """Refuse a list that somebody else could have written."""
    if os.name != "posix":
        return
    status, folder = file.lstat(), file.parent.stat()
    own = status.st_uid == os.getuid() and folder.st_uid in (os.getuid(), 0)
    if not own or not stat.S_ISREG(status.st_mode) or stat.S_IMODE(status.st_mode) & 0o022:
        hint = "Delete it, or remove the write permission of other users (chmod 600)."
        raise ProjectError(str(file), "can be written by other users.", hint)
    if stat.S_IMODE(folder.st_mode) & 0o002:
        hint = "Remove that permission (chmod o-w), or set LAYERLOOM_HOME to another folder."
        raise ProjectError(str(file.parent), "is a folder that all users can write to.", hint)


def _change(edit: Callable[[Entries], Entries]) -> None:
    if _off():
        hint = "Ask the administrator of this workbench."
        raise ProjectError("", f"Python in projects is {OFF}.", hint)
    with changing(FILE) as file:
        entries = edit(read_or_set_aside(file, _read, {}))
        rows = [f"{json.dumps(key)}: {json.dumps(name)}" for key, name in entries.items()]
        write_bytes(file, ("{\n" + ",\n".join(rows) + "\n}\n").encode(), private=True)
