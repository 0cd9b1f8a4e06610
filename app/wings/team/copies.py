"""Whose copies of drafts the page History lists, so that My work does not."""

from collections.abc import Iterable
from pathlib import Path


def of(files: Iterable[Path]) -> list[Path]:
    """Of these files of projects on My work, those whose copies History lists: all."""
    return list(files)
