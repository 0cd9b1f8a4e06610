"""The one door to a training: a run is made with the settings that the form shows."""

from collections.abc import Mapping
from typing import Any

from app.services import suggestions
from app.services.document import Document


def problem(document: Document) -> str:
    """Why training cannot start with the settings that suit; "" if it can."""
    suggestions.follow(document)
    return document.training_problem(document.fit())


def start(document: Document, remedy: Mapping[str, Any] | None = None) -> str:
    """Start a run with suggested settings where nobody set others; its name. Raises PoolError.

    remedy: as `Document.train` takes it.
    """
    suggestions.follow(document)
    return document.train(remedy)
