"""bundle.json, the first member: what a bundle holds, each member with its size and SHA-256.

{"layerloom_bundle": 1, "layerloom": "0.5.0", "project": "LeNet on digits",
 "data": {"source": "CSV", "path": "data/houses.csv", "files": 1, "bytes": 5120, "sha256": "...",
          "included": false},
 "runs": {"lenet-001": {"epoch": 9, "step": 207}},
 "members": [["project.loom.json", 2210, "..."], ...]}

data: what the project learns from; of own data its fingerprint. runs: by name, the epoch and step
of the best weights, {} for a run without any. Nothing in it says who made it, when or where.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.common.errors import DataError
from core.common.version import layerloom_version
from core.data.sources.paths import check_text
from core.files.folder import write_bytes
from core.files.messages import fail, quote
from core.files.read import read_bytes
from core.files.strict import decode, parse
from core.project.model import ENDING as PROJECT_ENDING
from core.project.values import json_list, json_object, text
from core.wings.bundle.archive import ANEW

ENDING = ".loom.zip"
"""What the name of a bundle ends with."""
NAME, FORMAT, KEY = "bundle.json", 1, "layerloom_bundle"
BESIDE = ".bundle.json"
"""Ending of the copy beside an opened project; it has one key more: the bundle's name and hash."""
LARGEST = 8_000_000
RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}", re.ASCII)
_SHA = re.compile(r"[0-9a-f]{64}", re.ASCII)
_VERSION = re.compile(r"\d{1,4}(\.\d{1,4}){0,3}", re.ASCII)


@dataclass(frozen=True)
class Member:
    """A member besides the manifest. size: in bytes. sha256: as hex."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True)
class OwnData:
    """The data of a project. path, files, size, sha256: of own data; "" and 0 for other.

    sha256: of a file's bytes; of a folder, of the names and hashes of its pictures.
    included: whether the bundle holds it.
    """

    source: str = ""
    path: str = ""
    files: int = 0
    size: int = 0
    sha256: str = ""
    included: bool = False


@dataclass(frozen=True)
class Manifest:
    """What a bundle holds. runs: by name {"epoch", "step"} of its best weights, or {}.

    opened: of one that lies beside an opened project: {"bundle", "sha256"} of where it came from.
    """

    version: str
    project: str
    data: OwnData
    runs: Mapping[str, Mapping[str, int]]
    members: tuple[Member, ...]
    opened: Mapping[str, str] = field(default_factory=dict)


def is_newer(other: str) -> bool:
    """Whether a version is newer than this one."""
    ours, theirs = (
        [int(n) for n in text.split(".")] for text in (_plain(layerloom_version()), other)
    )
    return theirs > ours


def _plain(text: str) -> str:
    found = _VERSION.match(text)
    return found[0] if found else "0"


def to_text(manifest: Manifest) -> str:
    """The canonical text: fixed order, one member a line."""
    own = manifest.data
    data = {"source": own.source}
    if own.path:
        data |= {
            "path": own.path,
            "files": own.files,
            "bytes": own.size,
            "sha256": own.sha256,
            "included": own.included,
        }
    rows = ",\n".join(f"    {json.dumps([m.name, m.size, m.sha256])}" for m in manifest.members)
    entries = {KEY: FORMAT, "layerloom": _plain(manifest.version), "project": manifest.project}
    entries |= {"data": data, "runs": {name: dict(best) for name, best in manifest.runs.items()}}
    entries |= {"opened": dict(manifest.opened)} if manifest.opened else {}
    head = "".join(f"  {json.dumps(k)}: {json.dumps(v)},\n" for k, v in entries.items())
    return f'{{\n{head}  "members": [\n{rows}\n  ]\n}}\n'


def from_bytes(content: bytes) -> Manifest:
    """Read a manifest strictly. Raises ProjectError, also for one of a newer format."""
    raw = json_object(parse(decode(content, LARGEST), LARGEST, 8), NAME)
    number = raw.get(KEY)
    if type(number) is not int or number < 1:
        fail(KEY, f"needs a format number but receives {quote(number)}.", ANEW)
    if number > FORMAT:
        message = f"has bundle format {number}; this version reads formats up to {FORMAT}."
        fail("", message, "Open it with the version that wrote it, or a newer one.")
    known = {KEY, "layerloom", "project", "data", "runs", "members", "opened"}
    if unknown := sorted(raw.keys() - known):
        fail(quote(unknown[0]), "is not a key of this bundle format.", ANEW)
    made = raw.get("layerloom")
    if not isinstance(made, str) or not _VERSION.fullmatch(made):
        fail("layerloom", f"needs a version such as 0.5.0 but receives {quote(made)}.", ANEW)
    return Manifest(
        version=made,
        project=text(raw.get("project"), "project", 120, []),
        data=_data(json_object(raw.get("data"), "data")),
        runs=_runs(json_object(raw.get("runs"), "runs")),
        members=tuple(_member(row) for row in json_list(raw.get("members"), "members")),
        opened=_opened(json_object(raw.get("opened", {}), "opened")),
    )


def _number(value: Any, place: str) -> int:
    if type(value) is not int or not 0 <= value < 1 << 53:
        fail(place, f"needs a count but receives {quote(value)}.", ANEW)
    return value


def _hash(value: Any, place: str) -> str:
    if not isinstance(value, str) or not _SHA.fullmatch(value):
        fail(place, f"needs a SHA-256 but receives {quote(value)}.", ANEW)
    return value


def _data(raw: dict[str, Any]) -> OwnData:
    source = text(raw.get("source", ""), "data.source", 40, [])
    if "path" not in raw:
        return OwnData(source)
    included = raw.get("included")
    if not isinstance(included, bool):
        fail("data.included", f"needs true or false but receives {quote(included)}.")
    try:
        path = check_text(raw["path"], "path")
    except DataError as error:
        fail("", error.message, error.hint)
    files, size = _number(raw.get("files"), "data.files"), _number(raw.get("bytes"), "data.bytes")
    return OwnData(source, path, files, size, _hash(raw.get("sha256"), "data.sha256"), included)


def _runs(raw: dict[str, Any]) -> dict[str, dict[str, int]]:
    if len(raw) > 1000:
        fail(
            "runs",
            f"has {len(raw):,} runs; at most 1,000 are allowed.",
            "Ask the sender for fewer.",
        )
    folded = {name.lower() for name in raw}
    if len(folded) < len(raw) or not all(RUN_NAME.fullmatch(name) for name in raw):
        bad = next((name for name in raw if not RUN_NAME.fullmatch(name)), "the same name twice")
        fail("runs", f"has an invalid name of a run: {quote(bad)}.", ANEW)
    return {
        name: {
            key: _number(value, f"runs.{name}.{key}")
            for key, value in json_object(best, f"runs.{name}").items()
            if key in ("epoch", "step")
        }
        for name, best in raw.items()
    }


def _member(row: Any) -> Member:
    columns = json_list(row, "members")
    if len(columns) != 3 or not isinstance(columns[0], str):
        fail("members", "needs rows of a name, a size and a SHA-256.", ANEW)
    return Member(columns[0], _number(columns[1], "members"), _hash(columns[2], "members"))


def _opened(raw: dict[str, Any]) -> dict[str, str]:
    return {key: text(value, f"opened.{key}", 300, []) for key, value in raw.items()}


def beside(project: Path) -> Path:
    """Where the manifest of an opened bundle lies: beside its project."""
    return project.with_name(project.name.removesuffix(PROJECT_ENDING) + BESIDE)


def read_beside(project: Path) -> Manifest | None:
    """The manifest of the bundle that a project came in; None for any other project.

    Raises ProjectError where it cannot be read.
    """
    file = beside(project)
    return from_bytes(read_bytes(file, LARGEST)) if file.is_file() else None


def write_beside(project: Path, manifest: Manifest) -> None:
    """Keep a manifest beside the project it came with. Raises OSError."""
    write_bytes(beside(project), to_text(manifest).encode())
