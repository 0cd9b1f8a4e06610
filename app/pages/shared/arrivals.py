"""Projects that a file brought: wings are told of them."""

from app.services.document import Document
from app.wing import parts


def announce(document: Document) -> Document:
    """Return a project that is being opened; every wing that wants to know is told."""
    for _, part in parts("arrival"):
        part.announce(document)
    return document
