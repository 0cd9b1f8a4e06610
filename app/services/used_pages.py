"""Which pages of the menu were used last: these stand in the bar, too, on the next day as well."""

import json
from pathlib import Path
from typing import Any, cast

from core.common.errors import ProjectError
from core.files.folder import write_bytes
from core.files.home import changing, home, read_or_set_aside
from core.files.read import read_bytes
from core.files.strict import decode, parse

KEPT = 3
"""At 1280 pixels the bar has room for three more than the five that are always there."""
_FILE = "pages.json"


def used() -> tuple[str, ...]:
    """Names of the pages used last, the latest first; none where their list cannot be read."""
    try:
        return _read(home() / _FILE)
    except ProjectError:
        return ()


def use(name: str) -> None:
    """Put a page first. Raises ProjectError if the list cannot be written."""
    with changing(_FILE) as file:
        others = (each for each in read_or_set_aside(file, _read, ()) if each != name)
        names = [name, *others][:KEPT]
        write_bytes(file, (json.dumps(names) + "\n").encode(), private=True)


def _read(file: Path) -> tuple[str, ...]:
    if not file.exists():
        return ()
    data: Any = parse(decode(read_bytes(file)))
    names = cast(list[Any], data) if isinstance(data, list) else [None]
    known = tuple(name for name in names if isinstance(name, str))
    if len(known) < len(names):
        raise ProjectError(file.name, "is not a list of pages.", "Use a page to start a new one.")
    return known[:KEPT]
