"""Start of a training: every run of a page is made here, with the settings of the form."""

from collections.abc import Mapping
from typing import Any

from app.services import suggestions, too_large, training
from app.services.document import Document
from core.settings.launcher import Launcher


def problem(document: Document) -> str:
    """Why training cannot start with the suggested settings; "" if it can."""
    suggestions.follow(document)
    return problem_here(document) or training.problem(document.project, training.fit(document))


def problem_here(document: Document) -> str:
    """Why this machine is too small for the next run; "" if it is not, or trains elsewhere."""
    if not document.trains_here:
        return ""
    return too_large.problem(document.project, document.analysed())


def start(
    document: Document,
    remedy: Mapping[str, Any] | None = None,
    launcher: Launcher | None = None,
) -> str:
    """Start a run with suggested settings where the user set none; its name. Raises PoolError.

    remedy, launcher: as `training.start` takes them.
    """
    suggestions.follow(document)
    return training.start(document, remedy, launcher)
