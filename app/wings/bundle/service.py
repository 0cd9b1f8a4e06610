"""Bundles on pages: what they lack here, and what can be shared."""

from pathlib import Path
from typing import Any

from app.process import pool
from app.services import paths
from app.services.document import Document
from app.services.project_runs import own_runs
from core.data import DataError
from core.prepare.requirements import Need
from core.project import ProjectError
from core.runs.listing import DONE, RunView, list_runs
from core.wings.bundle import missing_requirements
from core.wings.bundle.custom_data import files_of
from core.wings.bundle.manifest import Manifest, read_beside
from core.wings.bundle.needs import untrusted
from core.wings.bundle.write import write_for_page

LIMIT_S = 300.0


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
