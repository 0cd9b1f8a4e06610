"""Start of a training: every run of a page is made here, with the settings of the form."""

from collections.abc import Mapping
from typing import Any

from app.services import suggestions, training
from app.services.document import Document
from core.settings.launcher import Launcher


def problem(document: Document) -> str:
    """Why training cannot start with the suggested settings; "" if it can."""
    suggestions.follow(document)
    return training.problem(document.project, training.fit(document))


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
