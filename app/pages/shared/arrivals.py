"""Projects that a file has brought: each wing that has an `arrival` part is notified."""

from app.services.document import Document
from app.wing import parts


def announce(document: Document) -> Document:
    """Notify the wings of a project that is being opened, and return it."""
    for _, part in parts("arrival"):
        part.announce(document)
    return document
