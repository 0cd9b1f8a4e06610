"""A bundle that a browser sent, or that was dropped: opened into the workspace."""

from pathlib import Path

from app.process.pool import PoolError
from app.services import paths, staging, zip_files
from core.data import DataError
from core.project import ProjectError
from core.wings.bundle import manifest, open_bundle

ENDING, NOUN = manifest.ENDING, "bundle"


def bring(path: Path, name: str) -> Path:
    """Open the bundle at `path` into the workspace; the file of its project. Raises ProjectError.

    name: what it was called. A large one is opened in a process of its own.
    """
    folders = paths.workspace().absolute(), paths.runs_dir().absolute()
    try:
        made = zip_files.run_on_zip(path, _bring, path, Path(name).name, *folders)
    except PoolError as error:
        raise ProjectError(Path(name).name, error.message, error.hint) from error
    if isinstance(made, Path):
        return made
    raise ProjectError(*made)


def bring_bytes(content: bytes, name: str) -> Path:
    """Open a bundle that a browser sent. Raises ProjectError."""
    try:
        with staging.staging() as folder:
            path = folder / "bundle"
            path.write_bytes(content)
            return bring(path, name)
    except DataError as error:
        raise ProjectError(Path(name).name, error.message, error.hint) from error


def _bring(path: Path, name: str, workspace: Path, runs: Path) -> Path | tuple[str, str, str]:
    """The file of the project, or what a ProjectError is made of in another process."""
    try:
        with path.open("rb") as file:
            return open_bundle(file, name, workspace, runs).project
    except ProjectError as error:
        return error.place, error.message, error.hint
