"""Warnings about files that a project needs and that are not here."""

import time
from pathlib import Path
from typing import Any

from app.services import paths
from core.prepare.requirements import Need, missing
from core.project import Project

FRESH_S = 2.0
"""So long an answer of the disk is used again."""


class Requirements:
    """The warnings of one open project; the disk is read only now and then."""

    def __init__(self) -> None:
        self._key: tuple[Any, ...] = ()
        self._when = 0.0
        self._needs: list[Need] = []

    def of(self, project: Project, path: Path | None) -> list[Need]:
        """The warnings, checked again if the project needs other files or time went by."""
        key, now = (project.data, project.training, path), time.monotonic()
        if key != self._key or now > self._when + FRESH_S:
            beside = path.parent if path else None
            self._needs = missing(project, beside, paths.runs_dir())
            self._key, self._when = key, now
        return self._needs

    def forget(self) -> None:
        """Check again at the next question."""
        self._key = ()
