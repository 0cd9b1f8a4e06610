"""Folders as one file: reproducible archives, the same bytes for the same content."""

import io
import re
import zipfile
from collections.abc import Mapping

LONGEST_NAME = 100
"""Characters of a name of a folder: a file system has names of 255 bytes at most."""
FILE_TIME = 1980, 1, 1, 0, 0, 0
"""The time of every file in it."""


def zip_bytes(named: Mapping[str, bytes]) -> bytes:
    """A zip of files by their path in it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in named.items():
            info = zipfile.ZipInfo(name, FILE_TIME)
            info.external_attr = 0o644 << 16
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def folder_name(title: str) -> str:
    """A project's title as the name of a folder."""
    plain = re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")
    return plain[:LONGEST_NAME].strip("_") or "network"
