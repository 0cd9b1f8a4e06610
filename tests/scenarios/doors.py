"""The doors by which data comes: dropped; a folder chosen; a path of the workspace; a project on
the command line; those of wings (`data_doors.py`).

Each is the code behind the page or the command, called in this process.
"""

import asyncio
import hashlib
import io
import json
import zipfile
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from app.cli import files
from app.process import pool
from app.server.api import drop
from app.services import data_guess, staging
from app.services.file_drop import open_dropped
from core.data import DataError
from core.data.batches.dataset import load
from core.data.facts.metadata import read_own
from core.project import open_project, save_project
from tests.core.small_runs import table_project
from tests.wing_parts import rows

Files = Mapping[str, bytes]
Door = Callable[[Path, Files], Any]
SINGLE = {".npz": "NPZ", ".npy": "NPZ"}
"""Sources of one file that are not tables, by the ending of their name."""


def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read in this process: that pages have it done by another is tested with the pages."""

    def run(function: Any, *args: Any, timeout_s: float) -> Any:
        try:
            return function(*args)
        except DataError as error:
            raise pool.PoolError(error.message, error.hint) from error

    monkeypatch.setattr(pool, "run", run)


def as_read(data: Mapping[str, Any]) -> Any:
    """Columns, kinds, classes and the bytes of all tensors, as a network would get them."""
    facts = read_own(data)
    assert facts is not None
    source = facts.source
    found = load(data, source.shape, (len(source.classes) or 1,))
    digest = hashlib.sha256(found.content.encode())
    for column in (*found.all_inputs, *found.all_targets, found.train_indices):
        rows = column if isinstance(column, torch.Tensor) else column[torch.arange(len(column))]
        digest.update(rows.numpy().tobytes())
    kinds = json.dumps(facts.layout.get("columns", facts.layout.get("counts")))
    return (
        source.columns, kinds, source.classes, source.target_name, source.shape, source.samples,
        digest.hexdigest(),
    )  # fmt: skip


def single(given: Files) -> str:
    """The name of the one file of a table or of arrays, "" for a folder of pictures."""
    name = next(iter(given))
    return name if len(given) == 1 and "/" not in name else ""


def source_of(given: Files) -> dict[str, Any]:
    """What the Data page writes into a project of which only the file or folder is chosen."""
    if name := single(given):
        return {"source": SINGLE.get(Path(name).suffix, "CSV"), "file": f"data/{name}"}
    return {"source": "ImageFolder", "root": "data/pets"}


def placed(workspace: Path, given: Files) -> None:
    folder = workspace / ("data" if single(given) else "data/pets")
    for name, content in given.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            (folder / name).mkdir()
        else:
            (folder / name).write_bytes(content)


def dropped(names: Files) -> Any:
    """A drop as the browser sends it: a line with names and sizes, then the bytes."""
    listed = [{"name": name, "size": len(content)} for name, content in names.items()]
    head = json.dumps(listed).encode() + b"\n"

    async def stream() -> AsyncIterator[bytes]:
        for piece in (head, *names.values()):
            yield piece

    with staging.staging() as folder:
        found = open_dropped(asyncio.run(drop._received(stream(), folder)))
    assert found.data is not None
    return found.error or as_read(found.data)


def by_drop(_: Path, given: Files) -> Any:
    """One file: the table, or a zip of the folder."""
    if single(given):
        return dropped(given)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in given.items():
            archive.writestr(name, content)
    return dropped({"pets.zip": packed.getvalue()})


def by_folder(_: Path, given: Files) -> Any:
    return dropped({f"pets/{n}": content for n, content in given.items() if not n.endswith("/")})


def by_path(workspace: Path, given: Files) -> Any:
    placed(workspace, given)
    data, _, error = data_guess.guess_and_read(source_of(given))
    return error or as_read(data)


def project_of(workspace: Path, given: Files) -> Path:
    """A project in a workspace with the data as the Data page settles it."""
    placed(workspace, given)
    data = data_guess.guess_and_read(source_of(given))[0]
    made = replace(table_project(), data=data)
    file = workspace / "small.loom.json"
    save_project(made, file)
    return file


def by_command(workspace: Path, given: Files) -> Any:
    file = project_of(workspace, given)
    elsewhere = workspace.with_name(f"{workspace.name}-elsewhere")
    elsewhere.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LAYERLOOM_WORKSPACE", str(elsewhere))
        patch.setenv("LAYERLOOM_BESIDE", "")
        project = open_project(file)
        files.read_data(project, file)
        return as_read(project.data)


DOORS: dict[str, Door] = {
    "dropped": by_drop, "folder": by_folder, "path": by_path, "command line": by_command,
    **rows("data_doors", "DOORS"),
}  # fmt: skip


def through_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: Files) -> dict[str, Any]:
    """What became of it by each door, each with a workspace of its own."""
    found: dict[str, Any] = {}
    for name, door in DOORS.items():
        workspace = tmp_path / name
        workspace.mkdir()
        monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(workspace))
        monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
        try:
            found[name] = door(workspace, given)
        except DataError as error:
            found[name] = str(error)
        if isinstance(found[name], str):  # what is refused before it is kept lies in no folder yet
            found[name] = found[name].replace("data/", "")
    return found
