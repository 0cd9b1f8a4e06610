"""The last analysis of a session's drawing, made again only where the drawing changed."""

import threading
from collections.abc import Callable
from typing import Any

from app.canvas import custom_blocks, equality
from app.process.pool import PoolError
from core.project import Project

Json = dict[str, Any]
Analyse = Callable[[Project], Json]
"""A project to a report as JSON. May raise PoolError."""


class Analysis:
    """`lock` is held during an analysis. rev: of the drawing that `report` describes.

    failed: why there was no analysis, "" when there was.
    """

    def __init__(self, analyse: Analyse) -> None:
        self.lock = threading.RLock()
        self.report: Json = {}
        self.rev = 0
        self.failed = ""
        self._analyse = analyse
        self._project: Project | None = None
        self._trusted: tuple[bool, ...] = ()

    @property
    def made(self) -> bool:
        """Whether the network was analysed before: then the next analysis takes no time."""
        return self._project is not None

    def of(self, project: Project, rev: int) -> Json:
        """The report on a drawing; the last one where nothing changed."""
        with self.lock:
            # read before: trust that is given meanwhile is news
            trust = custom_blocks.trust_of(project.graph)
            last = self._project
            if not (last and equality.same_analysis(last, project)) or trust != self._trusted:
                try:
                    self.report = self._analyse(project)
                    self._project, self._trusted, self.failed = project, trust, ""
                except PoolError as error:
                    self._project, self.failed = None, str(error)  # tried again next time
            self.rev = rev
            return self.report

    def begin(self, project: Project, rev: int) -> None:
        """Analyse in a thread, unless a later drawing was analysed meanwhile."""
        threading.Thread(target=self._of_newer, args=(project, rev), daemon=True).start()

    def _of_newer(self, project: Project, rev: int) -> None:
        with self.lock:
            if rev >= self.rev:
                self.of(project, rev)
