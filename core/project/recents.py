"""Recently opened projects. A list that cannot be read is reported, not fatal."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from core.common.errors import ProjectError
from core.files.folder import write_bytes
from core.files.home import changing, home, read_or_set_aside
from core.files.read import read_bytes
from core.files.safe_path import is_file
from core.files.strict import decode, parse

KEPT = 1000
"""More than anybody opens: a project that is not listed could not be opened again."""


@dataclass(frozen=True)
class RecentProject:
    """A project opened before; `missing` if its file is gone."""

    path: Path
    name: str
    missing: bool


@dataclass(frozen=True)
class Recents:
    """Projects, the last opened first; `problem`: why the list could not be read, "" if it was."""

    projects: tuple[RecentProject, ...] = ()
    problem: str = ""


def list_recents() -> Recents:
    """List the projects opened last. Never raises for a bad list: see `Recents.problem`."""
    try:
        entries = _read(_file())
    except ProjectError as error:
        return Recents(problem=f"The list of recent projects cannot be read: {error}")
    return Recents(tuple(RecentProject(Path(p), name, not is_file(Path(p))) for p, name in entries))


def add_recent(path: Path, name: str) -> None:
    """Put a project first in the list. Raises ProjectError if the list cannot be written."""
    here = os.path.realpath(path)
    _change(lambda old: [(here, name), *(entry for entry in old if entry[0] != here)])


def forget(path: Path) -> None:
    """Take a project off the list; its file stays. Raises ProjectError if that cannot be done."""
    here = os.path.realpath(path)
    _change(lambda old: [entry for entry in old if entry[0] != here])


Entries = list[tuple[str, str]]


def _file() -> Path:
    return home() / "recent.json"


def _read(file: Path) -> Entries:
    if not file.exists():
        return []
    data: Any = parse(decode(read_bytes(file)))
    entries: Entries = []
    for entry in cast(list[Any], data if isinstance(data, list) else [None]):
        match entry:
            case {"path": str(path), "name": str(name)} if "\0" not in path:
                entries.append((path, name))
            case _:
                hint = "Open a project to start a new list."
                raise ProjectError(file.name, "is not a list of projects.", hint)
    return entries


def _change(edit: Callable[[Entries], Entries]) -> None:
    with changing("recent.json") as file:
        entries = edit(read_or_set_aside(file, _read, []))[:KEPT]
        rows = [json.dumps({"path": path, "name": name}) for path, name in entries]
        write_bytes(file, ("[\n" + ",\n".join(rows) + "\n]\n").encode(), private=True)
