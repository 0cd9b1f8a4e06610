"""Read a bundle into an empty folder, checking everything; the folder is then a small workspace.

Only files with checked names are written, and a refused bundle leaves nothing behind that is read.
"""

import hashlib
import os
import unicodedata
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from core.common.errors import DataError, ProjectError
from core.data.sources.paths import check_text
from core.files.messages import fail, in_file, quote
from core.files.strict import decode
from core.project.model import Project
from core.project.read import read_text
from core.wings.bundle import custom_data, run_files
from core.wings.bundle import manifest as manifests
from core.wings.bundle.archive import ANEW, CHUNK, ArchiveMember, chunks, list_members
from core.wings.bundle.manifest import Manifest, Member
from core.wings.bundle.weights import check_safetensors
from core.wings.bundle.write import IMPORTED, PROJECT, RUNS, WEIGHTS

LARGEST_PROJECT = 5_000_000
SYNCED = 200
"""Most members that are written to the disk one by one; each takes milliseconds."""
HINT = ANEW


@dataclass(frozen=True)
class Contents:
    """A bundle that was read into a folder. specs, projects: of its runs, by name.

    The folder holds project.loom.json, weights/, runs/NAME/ and files/, as in the bundle.
    """

    folder: Path
    sha256: str
    manifest: Manifest
    project: Project
    specs: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    projects: Mapping[str, Project] = field(default_factory=dict)


def read_bundle(file: BinaryIO, name: str, folder: Path) -> Contents:
    """Read the bundle called `name` into an empty folder. Raises ProjectError, one sentence."""
    try:
        return _read(file, folder)
    except ProjectError as error:
        raise in_file(name, error) from None
    except OSError as error:
        message = f"cannot be unpacked: {error.strerror or error}."
        raise ProjectError(name, message, "Free some space, or choose another folder.") from error


def _read(file: BinaryIO, folder: Path) -> Contents:
    entries = list_members(file)
    if not entries or entries[0].name != manifests.NAME:
        fail("", f"is not a bundle: it does not start with {manifests.NAME}.", HINT)
    if entries[0].size > manifests.LARGEST:
        fail(
            manifests.NAME,
            f"is too large: {entries[0].size:,} bytes, at most {manifests.LARGEST:,}.",
            HINT,
        )
    text = b"".join(chunks(file, entries[0]))
    if zlib.crc32(text) != entries[0].crc:  # all others are known by the hashes that it holds
        fail(manifests.NAME, "is damaged: its checksum does not match.", HINT)
    made = manifests.from_bytes(text)
    _check_names(entries[1:], made)
    each = len(entries) <= SYNCED
    for entry, member in zip(entries[1:], made.members, strict=True):
        _unpack(file, entry, member, folder, each)
    if not each:
        os.sync()  # one wait for the disk instead of thousands
    for member in made.members:
        if member.name.endswith(".safetensors"):
            check_safetensors(folder / member.name, member.name)
    project = _project(folder)
    hashes = {m.name: m.sha256 for m in made.members if m.name.startswith(custom_data.PLACE)}
    if made.data.path or hashes:
        custom_data.check_members(project.data, made.data, hashes)
    runs = {name: run_files.check_run(folder / RUNS / name, name) for name in made.runs}
    specs = {name: spec for name, (spec, _) in runs.items()}
    projects = {name: project for name, (_, project) in runs.items()}
    return Contents(folder, _hash(file), made, project, specs, projects)


def _hash(file: BinaryIO) -> str:
    file.seek(0)
    digest = hashlib.sha256()
    while chunk := file.read(CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


def _check_names(entries: list[ArchiveMember], made: Manifest) -> None:
    """The members are those of the manifest, and each is one that a bundle may have."""
    if [(e.name, e.size) for e in entries] != [(m.name, m.size) for m in made.members]:
        listed = {m.name for m in made.members}
        other = next((e.name for e in entries if e.name not in listed), "")
        what = f"contains {quote(other)}, which" if other else "contains a file that"
        fail("", f"{what} is not listed like this in {manifests.NAME}.", HINT)
    seen = set[str]()
    for entry in entries:
        _check_name(entry, made)
        same = unicodedata.normalize("NFC", entry.name).casefold()
        if same in seen:
            fail(
                quote(entry.name),
                "is in the bundle twice, or two names differ only in upper and lower case.",
                HINT,
            )
        seen.add(same)
    if PROJECT not in seen:
        fail("", f"has no {PROJECT}.", HINT)
    for entry in entries:
        for folder in PurePosixPath(unicodedata.normalize("NFC", entry.name).casefold()).parents:
            if str(folder) in seen:
                fail(quote(entry.name), "is inside a file of the bundle.", HINT)


def _check_name(entry: ArchiveMember, made: Manifest) -> None:
    """Refuse what is no part of a bundle, and what is larger than such a part can be."""
    name, limit = entry.name, LARGEST_PROJECT
    if name == PROJECT:
        pass
    elif name.startswith(RUNS):
        _, run, file = [*name.split("/", 2), ""][:3]
        if run not in made.runs or file not in run_files.ALLOWED:
            fail(quote(name), "is not a file of a run.", HINT)
        limit = run_files.LARGEST.get(file, entry.size)
    elif name.startswith((WEIGHTS, custom_data.PLACE)):
        _check_path(name)
        limit = entry.size
    else:
        fail(quote(name), "is not a file of a bundle.", HINT)
    if entry.size > limit:
        fail(quote(name), f"has {entry.size:,} bytes; at most {limit:,} are allowed.", HINT)


def _check_path(name: str) -> None:
    top, _, rest = name.partition("/")
    try:
        check_text(rest, "path")
    except DataError:
        fail(quote(name), "has a path that is not allowed in a bundle.", HINT)
    if top == "files" and not custom_data.is_data(rest):
        fail(quote(name), "does not have the ending of a data file.", HINT)
    if top == "weights" and ("/" in rest or not rest.endswith(".safetensors")):
        fail(quote(name), "is not a weights file beside the project.", HINT)


def _unpack(
    file: BinaryIO, entry: ArchiveMember, member: Member, folder: Path, synced: bool
) -> None:
    """Write a member below the folder while its hash is calculated; refuse another hash."""
    path = folder / entry.name
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with path.open("xb") as target:
        for chunk in chunks(file, entry):
            digest.update(chunk)
            target.write(chunk)
        if synced:
            target.flush()
            os.fsync(target.fileno())
    if digest.hexdigest() != member.sha256:
        fail(quote(entry.name), "is damaged or was changed: its SHA-256 does not match.", HINT)


def _project(folder: Path) -> Project:
    """The project; beside it lie no weights but those it came with, or begins with."""
    project = read_text(decode((folder / PROJECT).read_bytes()), PROJECT)
    start = project.training.get("start_from")
    named = start.get("weights") if isinstance(start, Mapping) else None
    for path in custom_data.known_files(folder / WEIGHTS):
        if path.name not in (IMPORTED, named):
            fail(f"{WEIGHTS}{path.name}", "is not named in the project.", HINT)
    return project
