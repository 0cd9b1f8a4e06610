"""The versions of a project, in a folder beside its file: who saved it when, and its text.

    .NAME.history/texts/TEXT.z               the text of a version, compressed; equal texts once
    .NAME.history/versions/WHEN-TEXT.json    a version: who saved it when
    .NAME.history/versions/WHEN-TEXT.NAMED-LETTERS.json   a name somebody gave it

Files are only added, or deleted when there are too many, and never changed: git and a shared folder
put the files of two people together without a conflict. TEXT is the sha256 of the text.
"""

import hashlib
import heapq
import os
import re
import zlib
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from core.common.errors import ProjectError
from core.files.folder import locked
from core.files.safe_path import discard
from core.files.strict import MAX_BYTES, decode
from core.project import Project, read_text
from core.wings.team import history_files
from core.wings.team.history_files import LONGEST, MOST, folder_of, made
from core.wings.team.thin import thinned

TEXTS, VERSIONS = "texts", "versions"
ENTRY = re.compile(r"\A(\d{8}T\d{9}Z-[0-9a-f]{40})\.json\Z", re.ASCII)
NAMED = re.compile(r"\A(\d{8}T\d{9}Z-[0-9a-f]{40})\.(\d{8}T\d{9}Z-[0-9a-f]{8})\.json\Z", re.ASCII)
ID = 8
"""Characters of its text by which people name a version."""
YOUNG_S = 3600
"""A text without a version may belong to one that is just being written."""


@dataclass(frozen=True)
class Version:
    """A version. entry: names its file; text: of its text; when: in seconds since 1970, UTC."""

    entry: str
    when_s: float
    who: str = ""
    name: str = ""

    @property
    def text(self) -> str:
        """What its text is called."""
        return self.entry.partition("-")[2]

    @property
    def id(self) -> str:
        """How people name it in commands."""
        return self.text[:ID]


def keep(project: Path, who: str, opens: bool = False) -> bool:
    """Keep the version that is in the file now, if it is not the newest one; a missing file has
    none. opens: whether the file was just written, so that it is known to be a project.

    Raises OSError, also for a file that is no project.
    """
    try:
        data, when_s = history_files.read(project, MAX_BYTES), project.stat().st_mtime
    except FileNotFoundError:
        return False
    name = hashlib.sha256(data).hexdigest()[:40]
    folder = folder_of(project)
    entries = _entries(folder)
    if entries and entries[-1].endswith(name):
        return False
    if not opens:
        _check(data, project.name)
    with locked(made(folder, TEXTS, VERSIONS)):
        last = history_files.when_s(entries[-1]) if entries else 0.0
        now = datetime.now(UTC).timestamp()  # a file may say that it is of the year 9999
        stem = f"{history_files.stamp(max(min(when_s, now), last + 0.001, 0.0))}-{name}"
        history_files.add(folder / TEXTS / f"{name}.z", zlib.compress(data, 6))
        history_files.add(
            folder / VERSIONS / f"{stem}.json", history_files.as_json({"who": who[:LONGEST]})
        )
        _thin(folder)
    return True


def name_version(project: Path, version: Version, name: str, who: str) -> None:
    """Give a version a name, "" for none; a named one is kept for good. Raises OSError."""
    folder = folder_of(project)
    stamp = history_files.new_name()
    words = " ".join(name.split())[:LONGEST]
    with locked(made(folder, TEXTS, VERSIONS)):
        history_files.add(
            folder / VERSIONS / f"{version.entry}.{stamp}.json",
            history_files.as_json({"name": words, "who": who[:LONGEST]}),
        )


def list_versions(project: Path) -> list[Version]:
    """The versions of a file, newest first. An entry that cannot be read has nobody's name."""
    folder = folder_of(project)
    names = _names(folder)
    found = [
        Version(
            entry,
            history_files.when_s(entry),
            history_files.word(history_files.entry(folder / VERSIONS / f"{entry}.json"), "who"),
            names.get(entry, ""),
        )
        for entry in reversed(_entries(folder))
    ]
    return [version for version in found if version.when_s]


def open_version(project: Path, version: Version) -> Project:
    """The project of a version. Raises ProjectError where its text is damaged or gone."""
    return read_text(version_text(project, version), f"{project.name}@{version.id}")


def version_text(project: Path, version: Version) -> str:
    """The text of a version, as it was in the file. Raises ProjectError."""
    file = folder_of(project) / TEXTS / f"{version.text}.z"
    hint = "Choose another version."
    try:
        packed = history_files.read(file, MAX_BYTES)
        data = zlib.decompressobj().decompress(packed, MAX_BYTES + 1)
    except (OSError, zlib.error):
        raise ProjectError(project.name, f"has no text of version {version.id}.", hint) from None
    if hashlib.sha256(data).hexdigest()[:40] != version.text:
        raise ProjectError(project.name, f"has a damaged text of version {version.id}.", hint)
    return decode(data)


def _check(data: bytes, name: str) -> None:
    """Refuse what is no project, as a file with marks of a conflict is. Raises OSError."""
    try:
        read_text(decode(data), name)
    except ProjectError as error:
        raise OSError(str(error)) from error


def _thin(folder: Path) -> None:
    """Delete entries that are too many, and texts that no entry has any more."""
    names = _names(folder)
    entries = _entries(folder)
    gone = thinned(
        {entry: history_files.when_s(entry) for entry in entries},
        {k for k, v in names.items() if v},
    )
    if not gone:
        return
    for entry in gone:
        for file in (folder / VERSIONS).glob(f"{entry}.*json"):
            discard(file)
    kept = {entry.partition("-")[2] for entry in _entries(folder)}
    for file in (folder / TEXTS).glob("*.z"):
        if file.stem not in kept and _age_s(file) > YOUNG_S:
            discard(file)


def _age_s(file: Path) -> float:
    with suppress(OSError):
        return datetime.now(UTC).timestamp() - file.stat().st_mtime
    return 0.0


def _listed(folder: Path, pattern: re.Pattern[str]) -> list[re.Match[str]]:
    """The newest files of versions whose names fit, oldest first."""
    try:
        with os.scandir(folder / VERSIONS) as files:
            found = [match for file in files if (match := pattern.match(file.name))]
    except OSError:
        return []
    return sorted(heapq.nlargest(MOST, found, key=lambda match: match[0]), key=lambda m: m[0])


def _entries(folder: Path) -> list[str]:
    return [match[1] for match in _listed(folder, ENTRY)]


def _names(folder: Path) -> dict[str, str]:
    """The name of each version that has one: the one given last."""
    return {
        match[1]: history_files.word(history_files.entry(folder / VERSIONS / match[0]), "name")
        for match in _listed(folder, NAMED)
    }
