"""The line "Lab report" in the menu of Build; elsewhere the page is under More."""

from app.pages.shared import state
from app.services.document import Document

TITLE = "Lab report…"
"""In the menu of Build."""


def button(document: Document, where: str) -> None:
    """Draw nothing: Train has as many buttons as one takes in at once."""


def dialog(document: Document) -> None:
    """Go to the page."""
    state.go("report")
