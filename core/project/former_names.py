"""Former names of projects: a run keeps the name of its project at the time of training."""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from core.common.errors import ProjectError
from core.files.folder import write_bytes
from core.files.home import changing, home, read_or_set_aside
from core.files.read import read_bytes
from core.files.strict import decode, parse

KEPT = 1000


def note_renamed(old: str, new: str) -> None:
    """Remember that a project has another name now. Raises ProjectError if it cannot be kept."""
    if not old or old == new:
        return
    with changing("names.json") as file:
        names = {k: v for k, v in read_or_set_aside(file, _read, {}).items() if k not in (old, new)}
        names = dict(list({**names, old: new}.items())[-KEPT:])
        write_bytes(
            file, (json.dumps(names, indent=0, ensure_ascii=False) + "\n").encode(), private=True
        )


def former_names() -> Mapping[str, str]:
    """Return the next name of each project that was renamed; none for a list that is damaged."""
    file = home() / "names.json"
    try:
        stats = file.stat()
    except OSError:
        return {}
    return _known(file, (stats.st_ino, stats.st_size, stats.st_mtime_ns))


@lru_cache(maxsize=4)
def _known(file: Path, stamp: tuple[int, int, int]) -> dict[str, str]:
    try:
        return _read(file)
    except ProjectError:
        return {}


def names_since(name: str, names: Mapping[str, str]) -> tuple[str, ...]:
    """Every name that a project had since it had this one, which is the first of them."""
    found = [name]
    while (following := names.get(found[-1])) is not None and following not in found:
        found.append(following)
    return tuple(found)


def _read(file: Path) -> dict[str, str]:
    if not file.exists():
        return {}
    data: Any = parse(decode(read_bytes(file)))
    if not isinstance(data, dict):
        raise ProjectError(
            file.name, "is not a list of names.", "Rename a project to start a new list."
        )
    pairs = cast(dict[str, Any], data).items()
    return {old: new for old, new in pairs if isinstance(new, str)}
