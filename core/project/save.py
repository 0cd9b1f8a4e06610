"""Save a project: only over the revision it started from, and atomically.

If two people have the same file open, the second to save gets a Conflict and loses nothing.
"""

import hashlib
import os
from pathlib import Path

from core.common.errors import Conflict, ProjectError
from core.files.folder import locked, write_bytes
from core.files.messages import fail
from core.files.read import read_bytes
from core.files.strict import MAX_BYTES
from core.project.model import Project
from core.project.read import read_text
from core.project.write import write_text


def revision(path: str | os.PathLike[str]) -> str:
    """Tell the revision of a file: sha256 of its bytes (the first 20 MB), "" if there is none.

    Raises ProjectError if it cannot be read.
    """
    path = Path(path)
    if not os.path.lexists(path):
        return ""
    data = read_bytes(path, MAX_BYTES * 4)
    return hashlib.sha256(data).hexdigest()


def save_project(
    project: Project, path: str | os.PathLike[str], base_revision: str | None = None
) -> str:
    """Save over the revision the project started from; None or "" means a new file.

    Returns the new revision. Raises Conflict if the file has another revision by now, and
    ProjectError if it cannot be written or would not open again; then nothing is changed.
    """
    target = _target(Path(path))
    data = _checked_text(project, target.name).encode()
    base = base_revision or ""
    new = hashlib.sha256(data).hexdigest()
    try:
        with locked(target):
            on_disk = revision(target)
            if on_disk not in (base, new):
                raise Conflict(target.name, base, on_disk)
            if on_disk != new:
                write_bytes(target, data)
    except OSError as error:
        hint = "Check the folder and the free space, or save in another folder."
        raise ProjectError(target.name, f"cannot be saved: {error.strerror}.", hint) from error
    return new


def _target(path: Path) -> Path:
    """Follow a link to the file it stands for; a link to nothing is refused."""
    if not path.name or not path.parent.is_dir():
        fail(str(path), "cannot be saved: the folder does not exist.", "Choose another folder.")
    if path.is_symlink() and not path.exists():
        fail(path.name, "is a broken link; nothing was saved.", "Choose another name.")
    if path.exists() and not os.access(path, os.W_OK):
        fail(path.name, "is read-only; nothing was saved.", "Save under another name.")
    return path.resolve()


def _checked_text(project: Project, name: str) -> str:
    """Write the text as it would be written again after opening; what would not open fails here."""
    return write_text(read_text(write_text(project), name))
