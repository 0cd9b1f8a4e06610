"""What a session keeps of a project that is being opened, for the notice on its bundle."""

from pathlib import Path

from app.pages.shared import state
from app.services.document import Document

JUST = "bundle:just"


def announce(document: Document) -> None:
    """An import is announced once, and again where it was closed before."""
    state.keep(JUST, document.path)
    state.take(key_of("gone", document.path or Path()))


def key_of(what: str, path: Path) -> str:
    """The key of the session under which something is kept of a project."""
    return f"bundle:{what}:{path}"
