"""Whatever a file from outside holds, its reader reads it or raises its one typed error.

For each reader a good file is damaged in a hundred ways, by a fixed rule: bytes turned, cut, taken
out or put in; in JSON also values of another kind.
"""

import io
import json
import random
import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from core.bundle import open_bundle
from core.bundle.weights import check_safetensors
from core.bundle.write import needed_runs
from core.data import DataError
from core.data.arrays import read_arrays
from core.data.custom_source import CustomSource, read_custom_source
from core.data.folder import decode
from core.data.table import read_table
from core.errors import ProjectError
from core.prepare.requirements import missing
from core.project import open_project
from core.project.drafts import load_draft
from core.project.home import home
from core.project.recents import list_recents
from core.runs import history, listing
from core.runs.control_file import read_data_roots
from tests.core.bundle.test_hostile_bundles import archived, packed

ODD = (None, [], {}, "x", -1, 1e300, True, [[1]], {"run": []}, "\0", "a" * 300)
LENET = Path("projects/mlp_iris.loom.json")


def mutations(content: bytes, count: int = 100) -> Iterator[bytes]:
    """The same bytes with a fault each."""
    rng = random.Random(7)
    for _ in range(count):
        broken, at = bytearray(content), rng.randrange(len(content))
        match rng.randrange(4):
            case 0:
                broken[at] ^= 1 << rng.randrange(8)
            case 1:
                del broken[at:]
            case 2:
                del broken[at : at + rng.randrange(1, 9)]
            case _:
                broken[at:at] = bytes(rng.randrange(256) for _ in range(4))
        yield bytes(broken)


def otherwise(value: Any) -> Iterator[Any]:
    """A JSON value with other kinds of values in each of its places, one at a time."""

    def changed(inner: Any) -> Iterator[Any]:
        yield from ODD
        keys = list(inner) if isinstance(inner, dict) else []
        for key in keys or (range(len(inner)) if isinstance(inner, list) else ()):
            part = inner[key]
            for new in changed(part):
                if isinstance(inner, dict):
                    yield {**inner, key: new}
                else:
                    yield [*inner[:key], new, *inner[key + 1 :]]

    yield from changed(value)


def texts(value: Any, step: int = 1) -> Iterator[bytes]:
    """JSON damaged as values, of which every `step`-th is taken, then as bytes."""
    yield from (json.dumps(other).encode() for other in islice(otherwise(value), 0, None, step))
    yield from mutations(json.dumps(value).encode())


def tried(path: Path, contents: Iterator[bytes], read: Callable[[], Any], typed: Any) -> int:
    """Read every content; how many were refused. Any other error ends the test."""
    refused = 0
    path.parent.mkdir(parents=True, exist_ok=True)
    for content in contents:
        path.write_bytes(content)
        try:
            read()
        except typed:
            refused += 1
    return refused


def custom(data: dict[str, Any]) -> CustomSource:
    found = read_custom_source(data)
    assert found is not None
    return found


def test_projects(tmp_path: Path):
    path = tmp_path / "net.loom.json"
    good = json.loads(LENET.read_text(encoding="utf-8"))
    assert tried(path, texts(good, 11), lambda: open_project(path), ProjectError) > 100


MEMBERS = {
    "bundle.json": json.dumps({"layerloom_bundle": 1, "layerloom": "0.1.0", "project": "P",
                               "data": {"source": "iris"}, "runs": {}, "members": []}).encode(),
    "project.loom.json": LENET.read_bytes(),
}  # fmt: skip


def test_bundles(tmp_path: Path):
    def read(content: bytes) -> None:
        open_bundle(io.BytesIO(content), "b.loom.zip", tmp_path / "ws", tmp_path / "ws" / "runs")

    read(packed(MEMBERS))
    refused = 0
    for content in mutations(packed(MEMBERS), 40):
        try:
            read(content)
        except ProjectError:
            refused += 1
    assert refused > 30


@pytest.mark.parametrize("key", ["start_from", "distil"])
@pytest.mark.parametrize(
    "value", [{"run": []}, {"run": {}}, {"run": None}, [], {"run": 1}, {"run": "a" * 300},
              {"weights": "a" * 300 + ".safetensors"}, {"run": "\0"}],
)  # fmt: skip
def test_bundles_whose_project_begins_with_something_strange(tmp_path: Path, key: str, value: Any):
    project = json.loads(MEMBERS["project.loom.json"])
    project["training"][key] = value
    content = packed({**MEMBERS, "project.loom.json": json.dumps(project).encode()})
    opened = open_bundle(io.BytesIO(content), "b.loom.zip", tmp_path, tmp_path / "runs")
    found = open_project(opened.project)
    assert found.training[key] is not None
    assert all(need["message"] for need in missing(found, tmp_path, tmp_path / "runs"))
    assert isinstance(needed_runs(found), list)


def test_heads_of_bundles(tmp_path: Path):
    head = json.loads(packed(MEMBERS)[30 + len("bundle.json") :].split(b"PK\3\4")[0])
    refused = 0
    for other in islice(otherwise(head), 0, None, 3):
        content = archived({**MEMBERS, "bundle.json": json.dumps(other).encode()})
        try:
            open_bundle(io.BytesIO(content), "b.loom.zip", tmp_path / "ws", tmp_path / "runs")
        except ProjectError:
            refused += 1
    assert refused > 10


RUN_FILES = {
    "spec.json": {"format": 1, "name": "a", "project": "p", "task": "classification",
                  "training": {"epochs": 2}, "data": {"source": "iris"}, "params": 3},
    "status.json": {"state": "finished", "attempt": 1, "epoch": 2, "step": 4, "steps": 4,
                    "elapsed_s": 1.5, "metrics": {"val_loss": 0.4}, "warnings": ["w"], "beat": 3,
                    "best": {"metric": "val_loss", "epoch": 1, "step": 2, "value": 0.9,
                             "metrics": {"val_loss": 0.4}}},
    "control.json": {"want": "run", "attempt": 1},
    "marks.json": {"note": "n", "tags": ["a"], "pinned": True},
}  # fmt: skip
LINE = {"attempt": 1, "kind": "step", "step": [1, 2], "epoch": [1, 1], "loss": [0.5, None]}


@pytest.mark.parametrize("name", RUN_FILES)
def test_files_of_a_run(tmp_path: Path, name: str):
    run = tmp_path / "a"
    run.mkdir()
    for other, value in RUN_FILES.items():
        (run / other).write_text(json.dumps(value))

    def read() -> None:
        listing.list_runs(tmp_path)
        read_data_roots(run)

    assert tried(run / name, texts(RUN_FILES[name], 4), read, ()) == 0


def test_metrics_of_a_run(tmp_path: Path):
    path = tmp_path / "metrics.jsonl"
    lines = (content.replace(b"\n", b" ") + b"\n" for content in texts(LINE))

    def read() -> None:
        listing.read_metrics(tmp_path)
        history.History(path).refresh(1)
        history.Histories().between(path, 1, 0, 9)

    assert tried(path, lines, read, ()) == 0


def test_weights_in_safetensors(tmp_path: Path):
    from safetensors.numpy import save

    path = tmp_path / "w.safetensors"
    good = save({"a": np.ones((2, 3), np.float32), "b": np.zeros(4, np.int64)})
    read = lambda: check_safetensors(path, path.name)  # noqa: E731
    assert tried(path, mutations(good), read, ProjectError) > 30


def test_arrays(tmp_path: Path):
    file = io.BytesIO()
    np.savez(file, x=np.ones((8, 3), np.float32), y=np.arange(8) % 2)
    given = custom({"source": "NPZ", "file": "a.npz", "columns": ["x"], "target_column": "y"})
    path = tmp_path / "a.npz"
    read = lambda: read_arrays(path, given)  # noqa: E731
    assert tried(path, mutations(file.getvalue()), read, DataError) > 50


def test_tables(tmp_path: Path):
    good = b"x1,x2,kind\n" + b"".join(b"%d.5,%d,%s\n" % (i, i * i, b"ab"[i % 2 :][:1])
                                      for i in range(20))  # fmt: skip
    given = custom({"source": "CSV", "file": "a.csv", "target_column": "kind"})
    path = tmp_path / "a.csv"
    assert tried(path, mutations(good), lambda: read_table(path, given), DataError) > 10


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP", "PPM"])
def test_pictures(tmp_path: Path, kind: str):
    file = io.BytesIO()
    Image.new("RGB", (20, 20), (9, 99, 200)).save(file, kind)
    path = tmp_path / "a.png"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tried(path, mutations(file.getvalue(), 60), lambda: decode(path, (3, 8, 8)), DataError)


def test_recent_projects():
    good = [{"path": "/tmp/a.loom.json", "name": "A"}, {"path": "/tmp/b.loom.json", "name": "B"}]
    assert tried(home() / "recent.json", texts(good), list_recents, ()) == 0


def test_drafts(tmp_path: Path):
    from core.project.drafts import draft_folder, save_draft

    project, key = open_project(LENET), tmp_path / "net.loom.json"
    save_draft(key, project, None)
    (file,) = (path for path in draft_folder(key).rglob("*") if path.is_file())
    good = json.loads(file.read_text(encoding="utf-8"))
    assert tried(file, texts(good, 11), lambda: load_draft(key), ProjectError) > 50
