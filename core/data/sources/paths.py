"""Paths of a project's own data: inside the workspace, or beside the project that was named.

The text of a path is checked before the disk is touched, and no link is followed.
"""

import os
import re
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path

from core.common.errors import DataError

LONGEST = 240
_ODD = re.compile(r"[\x00-\x1f\x7f<>|?*\"\ud800-\udfff]")
HINT = "Put it into the workspace and write its path from there, such as data/flowers."


def workspace() -> Path:
    """The folder projects are saved to: LAYERLOOM_WORKSPACE, else the working directory."""
    return Path(os.environ.get("LAYERLOOM_WORKSPACE") or ".").resolve()


def roots() -> tuple[Path, ...]:
    """Folders that data may lie in: the workspace, then that of the project that was opened.

    The second is LAYERLOOM_OPEN or LAYERLOOM_BESIDE: a file named on this machine's command line.
    What trains is told in LAYERLOOM_ROOTS where those who started its run looked.
    """
    named = [os.environ.get(name) for name in ("LAYERLOOM_OPEN", "LAYERLOOM_BESIDE")]
    beside = [Path(name).resolve().parent for name in named if name]
    given = [Path(name) for name in os.environ.get("LAYERLOOM_ROOTS", "").split(os.pathsep) if name]
    return tuple(dict.fromkeys([workspace(), *beside, *given]))


def roots_for(known: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The roots, those `known` from before first, and the environment that gives them elsewhere."""
    there = [name for name in known if Path(name).is_dir()]
    found = list(dict.fromkeys([*there, *map(str, roots())]))
    environment = {"LAYERLOOM_WORKSPACE": found[0], "LAYERLOOM_ROOTS": os.pathsep.join(found[1:])}
    return found, {"LAYERLOOM_OPEN": "", "LAYERLOOM_BESIDE": "", **environment}


def cache_folder() -> Path:
    """Where what was worked out of own data is kept: .layerloom/cache in the workspace."""
    return workspace() / ".layerloom" / "cache"


def check_text(text: object, key: str) -> str:
    """A relative path with / between its parts. Raises DataError naming the key; reads nothing."""
    if not isinstance(text, str) or not text.strip():
        raise DataError(f"data.{key} is {text!r}.", HINT)
    parts = text.split("/")
    why = ""
    if len(text) > LONGEST:
        why = f"has {len(text)} characters, more than {LONGEST}"
    elif _ODD.search(text) or any(part != part.strip() for part in parts):
        why = "has characters that are not allowed in a path"
    elif "\\" in text or ":" in text or text.startswith(("/", "~")):
        why = "is not relative to the workspace"
    elif any(part in ("", ".", "..") for part in parts):
        why = "contains . or .."
    elif any(part.startswith(".") for part in parts):
        why = "contains a hidden file or folder"
    if why:
        raise DataError(f"data.{key}, {text!r}, {why}.", HINT)
    return text


def locate(text: str, key: str) -> Path:
    """The file or folder of a checked path. Raises DataError where it is not, or is a link."""
    check_text(text, key)
    for root in roots():
        found = root / text
        if os.path.lexists(found):
            _check_place(found, root, text, key)
            return found
    places = " or ".join(str(root) for root in roots())
    raise DataError(
        f"{text} is not in {places}.", "Move it there, or choose another on the Data page."
    )


def _check_place(path: Path, root: Path, text: str, key: str) -> None:
    whole = path.resolve()
    if os.path.commonpath([whole, root]) != str(root) or whole != path:
        raise DataError(f"data.{key}, {text!r}, leads through a link.", "Copy it here instead.")
    check_file(path, text)


def check_file(path: Path, name: str) -> os.stat_result:
    """Refuse what is no plain file of one name, and no folder. Raises DataError."""
    found = path.lstat()
    plain = stat.S_ISREG(found.st_mode) and found.st_nlink == 1
    if not plain and not stat.S_ISDIR(found.st_mode):
        raise DataError(f"{name} is a link or not a regular file.", "Copy the file itself here.")
    return found


def differing_in_case(names: Iterable[str]) -> tuple[str, str] | None:
    """Two names that differ only in upper and lower case, which some systems cannot keep apart."""
    known = dict[str, str]()
    for name in names:
        other = known.setdefault(name.lower(), name)
        if other != name:
            return other, name
    return None
