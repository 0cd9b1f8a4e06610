"""Disk cache of `layerloom check`: torch runs once for each version of a file.

An answer is found by all that it follows from: the project, the versions of torch and Python, and
every file of ours as it is now. Projects with Python or data of their own are not kept, since what
those say can change without the file.
"""

import hashlib
import json
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.project import Project

_LOG = logging.getLogger(__name__)
_CODE = Path(__file__).parents[2]
_ROOMS = ("app/cli", "blocks", "core")
FOLDER, MOST, LARGEST = "checks", 200, 2_000_000
"""The folder below $LAYERLOOM_HOME, how many answers it may hold, and of how many bytes."""


def key_of(project: "Project") -> str:
    """What the answer of a check follows from, as a file name; "" where it cannot be kept."""
    from core.data.sources.custom_source import OWN
    from core.project import write_text

    python = any(part.python for part in project.graph.composites.values())
    if python or project.data.get("source") in OWN:
        return ""
    key_parts = (write_text(project), _torch(), sys.version, *_files())
    return hashlib.sha256("\n".join(key_parts).encode()).hexdigest()


def find(key: str) -> dict[str, Any] | None:
    """Return the answer that is kept under a key, or None."""
    file = _folder() / f"{key}.json"
    try:
        kept = json.loads(file.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        _LOG.info("a cached answer cannot be read: %s", error)
        return None
    os.utime(file)  # what is used stays longest
    return kept


def keep(key: str, answer: dict[str, Any]) -> None:
    """Keep an answer; where the disk refuses, the next check asks torch again."""
    from core.files.folder import write_bytes
    from core.files.home import home, private_folder

    text = json.dumps(answer).encode()
    if len(text) > LARGEST:
        return
    try:
        private_folder(home())
        folder = _folder()
        folder.mkdir(mode=0o700, exist_ok=True)
        write_bytes(folder / f"{key}.json", text)
        newest_last = sorted(folder.glob("*.json"), key=lambda file: file.stat().st_mtime_ns)
        for file in newest_last[:-MOST]:
            file.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        _LOG.info("an answer cannot be cached: %s", error)


def _folder() -> Path:
    from core.files.home import home

    return home() / FOLDER


def _torch() -> str:
    """The version of torch, without importing it."""
    from importlib.metadata import version

    return version("torch")


def _files() -> Iterator[str]:
    """Every file of ours that has a part in an answer: its name, size and time of change."""
    for room in _ROOMS:
        for file in sorted((_CODE / room).rglob("*.py")):
            state = file.stat()
            yield f"{file} {state.st_size} {state.st_mtime_ns}"
