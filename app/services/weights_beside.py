"""Projects of the workspace with a file of weights beside them."""

import os
import shutil
from pathlib import Path

from app.services import paths
from app.services.document import ENDING
from core.files.safe_path import discard
from core.project import ProjectError
from core.project.comparison import beside

WEIGHTS = ".safetensors"


def bring(file: Path, target: Path) -> None:
    """Put a file of weights, which may be gigabytes, into the workspace. Raises ProjectError."""
    try:
        try:
            os.link(file, target)
        except OSError:  # another disk, or one without links
            shutil.copyfile(file, target)
    except OSError as error:
        discard(target)
        raise ProjectError("", f"The weights cannot be written: {error.strerror}.") from error


def free_path(name: str) -> Path:
    """A path in the workspace at which neither a project nor weights exist."""
    words = "".join(c if c.isascii() and (c.isalnum() or c in "_-") else " " for c in name).split()
    stem = "_".join(words)[:60] or "imported"
    for number in range(1, 10_000):
        path = paths.workspace() / f"{stem if number == 1 else f'{stem}-{number}'}{ENDING}"
        if not any(file.exists() for file in (path, weights_of(path), beside(path))):
            return path
    raise ProjectError("", f"There are too many projects called {stem}.", "Delete some of them.")


def weights_of(project: Path) -> Path:
    """Where the weights of a project's file lie, if it has any: beside it."""
    return project.with_name(project.name.removesuffix(ENDING) + WEIGHTS)
