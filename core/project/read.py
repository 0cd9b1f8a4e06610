"""Open a project: parse, check, migrate. Nothing in the file is ever run or imported.

Unknown keys are kept and reported as notices; anything that would make the project ambiguous or
unsafe is refused with one ProjectError.
"""

import hashlib
import os
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from core.common.errors import ProjectError
from core.files.messages import at, fail, in_file, quote, shown
from core.files.read import read_bytes
from core.files.strict import decode, parse
from core.project.graph_json import read_graph
from core.project.migrate import FORMAT_KEY, migrate
from core.project.model import Project
from core.project.values import Notes, frozen, json_list, json_object, text, unknown

KEYS = (
    FORMAT_KEY,
    "name",
    "about",
    "graph",
    "composites",
    "data",
    "training",
    "notes",
    "layout",
    "specialised",
)
MAX_NAME, MAX_ABOUT, MAX_SENTENCE = 120, 20_000, 1000
FARTHEST = 10**9  # pixels from the corner of the canvas
SOURCE = re.compile(r"\A[A-Za-z][A-Za-z0-9_]{0,39}\Z")
BOM = "\ufeff"
ZIP = b"PK\x03\x04"


def open_project(path: str | os.PathLike[str]) -> Project:
    """Open a project file. Its `revision` is the sha256 of the bytes read.

    Raises ProjectError if the file cannot be read or is no project; the file stays as it is.
    """
    path = Path(path)
    data = read_bytes(path)
    if data.startswith(ZIP):
        _fail_for_archive(path)
    try:
        project = read_text(decode(data))
    except ProjectError as error:
        raise in_file(path.name, error) from None
    return replace(project, revision=hashlib.sha256(data).hexdigest())


def _fail_for_archive(path: Path) -> NoReturn:
    """Say how a bundle is opened, and that another archive is no project. Raises ProjectError."""
    name = shown(path.name)
    if not path.name.endswith(".loom.zip"):
        fail(
            name,
            "is a zip archive, not a project.",
            "Unpack it and open the .loom.json file in it.",
        )
    word = shown(shlex.quote(str(path)))
    how = f"`layerloom {word}` brings it into this folder as a project."
    fail(name, "is a bundle, not a project.", f"Open it first: {how}")


def read_text(source: str, name: str = "") -> Project:
    """Read a project from the text of its file; `name` is the file named in errors.

    Raises ProjectError.
    """
    notices: Notes = []
    try:
        if source.startswith(BOM):
            notices.append(("line 1", "starts with a byte order mark; saving leaves it out."))
            source = source.removeprefix(BOM)
        return read_json(parse(source), notices)
    except ProjectError as error:
        if not name:
            raise
        raise in_file(name, error) from None


def read_json(value: Any, notices: Notes) -> Project:
    """Read a project from parsed JSON. Raises ProjectError."""
    raw = migrate(json_object(value, "", "a project {...}"), notices)
    if "graph" not in raw:
        fail("", 'needs a "graph" but has none.', 'Write "graph": {"nodes": {}, "edges": []}.')
    data_settings = json_object(raw.get("data", {}), "data")
    _check_source(data_settings)
    return Project(
        name=text(raw.get("name", ""), "name", MAX_NAME, notices),
        about=text(raw.get("about", ""), "about", MAX_ABOUT, notices, lines=True),
        graph=read_graph(raw["graph"], raw.get("composites", {}), notices),
        data=frozen(data_settings),
        training=frozen(json_object(raw.get("training", {}), "training")),
        notes=frozen(json_list(raw.get("notes", []), "notes")),
        layout=_read_layout(raw.get("layout", {})),
        specialised=_read_sentences(raw.get("specialised", []), notices),
        extra=unknown(raw, KEYS, "", notices),
        notices=tuple(notices),
    )


def _read_sentences(value: Any, notices: Notes) -> tuple[str, ...]:
    sentences = json_list(value, "specialised")
    return tuple(
        text(sentence, f"specialised.{i}", MAX_SENTENCE, notices)
        for i, sentence in enumerate(sentences)
    )


def _check_source(data: dict[str, Any]) -> None:
    """A data set is chosen by its name: a file can never point at a path or an address."""
    source = data.get("source", "digits")
    if not isinstance(source, str) or not SOURCE.match(source):
        hint = 'Name one, such as "digits". Paths and addresses are not allowed.'
        fail("data.source", f"needs the name of a data set but receives {quote(source)}.", hint)


def _read_layout(value: Any) -> dict[str, tuple[float, float]]:
    return {
        name: _read_position(position, at("layout", name))
        for name, position in json_object(value, "layout").items()
    }


def _read_position(value: Any, path: str) -> tuple[float, float]:
    numbers = frozen(value) if isinstance(value, list) else ()
    if len(numbers) != 2 or not all(_is_pixels(number) for number in numbers):
        hint = "Write a position as [x, y] in pixels."
        fail(path, f"needs two numbers [x, y] but receives {quote(value)}.", hint)
    return numbers


def _is_pixels(number: Any) -> bool:
    return type(number) in (int, float) and abs(number) < FARTHEST
