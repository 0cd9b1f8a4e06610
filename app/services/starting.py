"""Starting a training: every run is made here, with the settings of the form."""

from collections.abc import Mapping
from typing import Any

from app.services import suggestions, training
from app.services.document import Document


def problem(document: Document) -> str:
    """Why training cannot start with the settings that suit; "" if it can."""
    suggestions.follow(document)
    return training.problem(document.project, training.fit(document))


def start(document: Document, remedy: Mapping[str, Any] | None = None) -> str:
    """Start a run with suggested settings where nobody set others; its name. Raises PoolError.

    remedy: as `training.start` takes it.
    """
    suggestions.follow(document)
    return training.start(document, remedy)
