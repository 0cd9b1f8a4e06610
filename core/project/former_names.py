"""Names that projects had before: a run keeps the one its project had when it was trained."""

import json
from collections.abc import Container
from pathlib import Path
from typing import Any, cast

from core.errors import ProjectError
from core.project.folder import write_bytes
from core.project.home import changing, home, read_or_set_aside
from core.project.read import read_bytes
from core.project.strict import decode, parse

KEPT = 1000


def note_renamed(old: str, new: str) -> None:
    """Remember that a project has another name now. Raises ProjectError if it cannot be kept."""
    if not old or old == new:
        return
    with changing("names.json") as file:
        names = {k: v for k, v in read_or_set_aside(file, _read, {}).items() if k not in (old, new)}
        names = dict(list({**names, old: new}.items())[-KEPT:])
        write_bytes(file, (json.dumps(names, indent=0, ensure_ascii=False) + "\n").encode())


def former_names() -> dict[str, str]:
    """Return the next name of each project that was renamed; none for a list that is damaged."""
    try:
        return _read(home() / "names.json")
    except ProjectError:
        return {}


def name_now(name: str, here: Container[str], names: dict[str, str]) -> str:
    """Follow a name to that of a project that is here; the name itself where it leads to none."""
    followed = name
    for _ in range(len(names) + 1):
        if followed in here:
            return followed
        if followed not in names:
            return name
        followed = names[followed]
    return name


def _read(file: Path) -> dict[str, str]:
    if not file.exists():
        return {}
    data: Any = parse(decode(read_bytes(file)))
    if not isinstance(data, dict):
        raise ProjectError(file.name, "is not a list of names.", "Rename a project anew.")
    pairs = cast(dict[str, Any], data).items()
    return {old: new for old, new in pairs if isinstance(new, str)}
