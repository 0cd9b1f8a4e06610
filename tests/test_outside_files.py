"""Whatever a file from outside holds, its reader reads it or raises its one typed error.

For each reader a good file is damaged in a hundred ways, by a fixed rule: bytes turned, cut, taken
out or put in; in JSON also values of another kind.
"""

import io
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from core.common.errors import ProjectError
from core.data import DataError
from core.data.pictures.folder import decode
from core.data.sources.custom_source import CustomSource, read_custom_source
from core.data.table.arrays import read_arrays
from core.data.table.read import read_table
from core.files.home import home
from core.project import open_project
from core.project.drafts import load_draft
from core.project.recents import list_recents
from core.runs import history, listing
from core.runs.control_file import read_data_roots
from tests.damage import mutations, texts, tried

LENET = Path("projects/mlp_iris.loom.json")


def custom(data: dict[str, Any]) -> CustomSource:
    found = read_custom_source(data)
    assert found is not None
    return found


def test_projects(tmp_path: Path):
    path = tmp_path / "net.loom.json"
    good = json.loads(LENET.read_text(encoding="utf-8"))
    assert tried(path, texts(good, 11), lambda: open_project(path), ProjectError) > 100


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
