"""Bundles on pages: opened into the workspace, what they lack here, and what can be shared."""

from pathlib import Path
from typing import Any

from app.process import pool
from app.process.pool import PoolError
from app.services import paths, staging, zip_files
from app.services.document import Document
from app.services.project_runs import own_runs
from core.bundle import missing_requirements, open_bundle
from core.bundle.custom_data import files_of
from core.bundle.manifest import ENDING, Manifest, read_beside
from core.bundle.needs import untrusted
from core.bundle.write import write_for_page
from core.data import DataError
from core.prepare.requirements import Need
from core.project import ProjectError
from core.runs.listing import DONE, RunView, list_runs

LARGEST_MB = 200
"""Of what a page takes in and gives out, as it lies in the server's memory."""
LIMIT_S = 300.0


def is_bundle(name: str) -> bool:
    """Whether a file is a bundle, by its name."""
    return name.lower().endswith(ENDING)


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


def manifest_of(project: Path) -> Manifest | None:
    """What the bundle held that a project came in; None for any other project, or where that
    cannot be read any more."""
    try:
        return read_beside(project)
    except ProjectError:  # the project itself is complete; only the record of its origin is missing
        return None


def lacks(document: Document, manifest: Manifest) -> list[Need]:
    """Everything that is still missing here for the open project of a bundle."""
    beside = document.path.parent if document.path else None
    needs = missing_requirements(document.project, manifest, beside, paths.runs_dir())
    return [*needs, *untrusted(document.project)]


def runs_to_share(document: Document) -> list[RunView]:
    """Runs of the open project that have ended, the latest first."""
    views = list_runs(paths.runs_dir())
    return own_runs(document, [view for view in views if view.state in DONE])


def own_data_bytes(document: Document) -> int | None:
    """Size of the project's own data; None where it has none, or where that is not here."""
    try:
        files = files_of(document.project.data)
    except DataError:
        return None
    return sum(path.stat().st_size for path in files.values()) if files else None


def write(document: Document, runs: list[str], data: bool, out: Path) -> dict[str, Any]:
    """Write a bundle of what is drawn now. Raises PoolError."""
    file = str(document.path) if document.path else ""
    asked = document.text(), file, str(paths.runs_dir()), runs, data, str(out)
    return pool.call(write_for_page, *asked, timeout_s=LIMIT_S)
