"""Several versions of a project: those that git left in a file, and those of two tabs."""

from pathlib import Path

from app.wings.merge.unmerged import Unmerged, unmerged_file
from core.project import Project
from core.wings.merge import merge


def of(path: Path) -> Unmerged | None:
    """The versions of a file that git could not merge; None for others. Raises ProjectError."""
    return unmerged_file(path)


def merged(base: Project, ours: Project, theirs: Project) -> tuple[Project, tuple[str, ...]]:
    """What both did to a project, with a sentence for each conflict, in which ours holds."""
    found = merge(base, ours, theirs)
    return found.project, tuple(conflict.message for conflict in found.conflicts)
