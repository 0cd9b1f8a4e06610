"""Small files that are only added beside a project, each named by its time: git and shared folders
put those of two people together without a conflict."""

import json
import os
import secrets
import threading
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.common.errors import ProjectError
from core.files.folder import NEW
from core.files.safe_path import discard, open_file
from core.files.strict import decode, parse
from core.project.model import ENDING

LONGEST = 120
"""Characters of a name."""
ENTRY_BYTES = 32_000
MOST = 4000
"""Files that are looked at: a folder that is not ours may have any number."""
TICK_S = 0.0011
"""Longer than the millisecond that names are written in."""
_naming, _last = threading.Lock(), [0.0]


def folder_of(project: Path) -> Path:
    """The folder beside a project's file; of a link, beside its file."""
    project = project.resolve()
    return project.with_name(f".{project.name.removesuffix(ENDING)}.history")


def made(folder: Path, *parts: str) -> Path:
    """The folder, there with its parts; never one that a link leads to. Raises OSError."""
    for each in (folder, *(folder / part for part in parts)):
        each.mkdir(exist_ok=True)
        if each.is_symlink():
            raise OSError(f"{each.name} is a link.")
    return folder


def read(file: Path, limit: int) -> bytes:
    """The bytes of a file, of at most so many. Raises OSError."""
    with open_file(file) as opened:
        data = opened.read(limit + 1)
    if len(data) > limit:
        raise OSError(f"{file.name} is larger than {limit:,} bytes.")
    return data


def add(file: Path, data: bytes) -> None:
    """Add a file whole or not at all; one that is there has the same content. Raises OSError."""
    if file.exists():
        return
    temporary = file.with_name(f".{secrets.token_hex(8)}.tmp")
    descriptor = os.open(temporary, NEW, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(data)
        temporary.replace(file)
    except OSError:
        discard(temporary)
        raise


@lru_cache(maxsize=2 * MOST)
def entry(file: Path) -> Mapping[str, Any]:
    """The content of an entry, which never changes; {} where it is not one of ours."""
    with suppress(OSError, ProjectError):
        data: Any = parse(decode(read(file, ENTRY_BYTES)), ENTRY_BYTES)
        if isinstance(data, dict):
            return data
    return {}


def word(found: Mapping[str, Any], key: str) -> str:
    """A name in an entry, in a line."""
    said = found.get(key)
    return " ".join(said.split())[:LONGEST] if isinstance(said, str) else ""


def as_json(content: Mapping[str, Any]) -> bytes:
    """An entry as it is written; half a character, which no reader takes, becomes "?"."""
    content = {key: _whole(value) for key, value in content.items()}
    return (json.dumps(content, ensure_ascii=True) + "\n").encode()


def _whole(value: Any) -> Any:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def stamp(when_s: float) -> str:
    """A time as names begin with it."""
    moment = datetime.fromtimestamp(when_s, UTC)
    return f"{moment:%Y%m%dT%H%M%S}{moment.microsecond // 1000:03}Z"


def new_name() -> str:
    """A name of now that nobody else gives, after all that this process has given."""
    with _naming:
        _last[0] = max(datetime.now(UTC).timestamp(), _last[0] + TICK_S)
        return f"{stamp(_last[0])}-{secrets.token_hex(4)}"


def when_s(name: str) -> float:
    """The time that a name begins with; 0 where that is no time."""
    try:
        moment = datetime.strptime(name[:15], "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return 0.0
    return moment.timestamp() + int(name[15:18]) / 1000
