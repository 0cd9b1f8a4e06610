"""Scripts of own data and of varied pictures end with the weights of the run, bit for bit."""

import ast
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image, ImageOps, ImageStat, UnidentifiedImageError
from torchvision import datasets

from core.analyse import build
from core.data import describe, load
from core.data.facts.metadata import read_own
from core.engine.loader import DeviceSplit
from core.engine.rng import seed_all
from core.engine.trainer_factory import trainer_from_settings
from core.project import Project
from core.script.lightning import write_lightning
from core.script.notebook import write_notebook
from core.script.script import write_script
from core.settings.validate import resolve
from tests.core.data.own_classes import TEXT, WAVES, write_classes
from tests.core.data.own_sets import write_arrays, write_pictures, write_table
from tests.core.data.picture_files import write as write_set
from tests.core.script.alone import run_like_many
from tests.core.script.hand_made import Written
from tests.core.script.test_excerpt import faults

MODEL = '''\
"""Net: {shape} -> (N, {outputs}). Written by Layerloom."""

import torch
from torch import Tensor, nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear({inputs}, 16)
        self.relu1 = nn.ReLU()
        self.drop1 = nn.Dropout(0.2)
        self.fc2 = nn.Linear(16, {outputs})

    def forward(self, image: Tensor) -> Tensor:
        x = torch.flatten(image, 1)
        x = self.fc1(x)
        x = self.relu1(x)
        x = self.drop1(x)
        return self.fc2(x)  # (N, {outputs})
'''
EVERY = [
    {"name": "RandomCrop", "padding": 2},
    {"name": "RandomHorizontalFlip"},
    {"name": "RandomVerticalFlip", "p": 0.2},
    {"name": "RandomRotation", "degrees": 15},
    {"name": "ColorJitter", "hue": 0.1},
    {"name": "RandomErasing"},
    {"name": "GaussianNoise", "sigma": 0.05},
]
FOLDER = {"source": "ImageFolder", "root": "data/shapes"}
CASES: dict[str, tuple[dict[str, Any], tuple[int, ...], int, dict[str, Any]]] = {
    "folder": (FOLDER, (3, 12, 12), 3, {"batch_size": 5}),
    "grey": (FOLDER | {"normalize": True}, (1, 10, 14), 3, {"accumulate": 2, "batch_size": 4}),
    "varied": (FOLDER | {"normalize": True, "transform": EVERY}, (3, 12, 12), 3, {}),
    "drawn_again": (FOLDER | {"target": "input"}, (3, 6, 6), 108, {}),
    "digits": ({"source": "digits", "transform": EVERY, "normalize": True, "limit": 60},
               (1, 8, 8), 10, {}),
    "drawn_noisy": ({"source": "digits", "transform": EVERY[:2], "noise": 0.1, "limit": 200,
                     "test": 0.1}, (1, 8, 8), 10,
                    {"sampler": "balanced", "class_weights": "balanced", "batch_size": 32}),
    "table": ({"source": "CSV", "file": "data/iris.csv"}, (5,), 2, {"batch_size": 3}),
    "number": ({"source": "CSV", "file": "data/iris.csv", "target_column": "petal width",
                "columns": ["petal length", "species"]}, (3,), 1, {}),
    "arrays": ({"source": "NPZ", "file": "data/cells.npz", "columns": ["images"],
                "target_column": "labels", "transform": EVERY[:2]}, (3, 8, 8), 2, {}),
    "commas": ({"source": "CSV", "file": "data/commas.csv"}, (2,), 1, {}),
    "elsewhere": ({"source": "NPZ", "file": "data/elsewhere.npz", "columns": ["x"],
                   "target_column": "y"}, (4,), 1, {"batch_size": 4}),
    "heights": ({"source": "NPZ", "file": "data/cells.npz", "columns": ["images"],
                 "target_column": "heights"}, (3, 4, 4), 1, {}),
    "holes": ({"source": "CSV", "file": "data/holes.csv", "separator": ";", "decimal": ",",
               "thousands": ".", "fill": {"price": "median", "city": "most_frequent",
                                          "day": "mean", "kind": "drop", "roof": "missing"},
               "dates": {"day": {"format": "%d.%m.%Y", "parts": ["days", "weekday"]}}},
              (9,), 2, {"batch_size": 4}),
    "one_hot": ({"source": "CSV", "file": "data/labels.csv", "columns": ["a", "b"],
                 "target_columns": ["one", "two"]}, (2,), 2, {"batch_size": 4}),
    "one_hot_words": ({"source": "CSV", "file": "data/labels.csv", "columns": ["a", "b"],
                       "target_columns": ["three", "four", "five"]}, (2,), 3, {"batch_size": 4}),
    "own_class": (WAVES, (8,), 2, {"batch_size": 7}),
    "own_pictures": (WAVES | {"class": "Pictures", "loader_workers": 1}, (1, 6, 6), 3, {}),
    "own_stream": (WAVES | {"class": "Sums", "samples": 40}, (3,), 1, {}),
    "set": ({"source": "DTD", "normalize": True, "transform": EVERY, "test": "makers"},
            (3, 12, 12), 47, {"batch_size": 4}),
    "own_again": (WAVES | {"target": "input", "samples": 30}, (8,), 8, {}),
}  # fmt: skip


FORMS: dict[str, Callable[..., str]] = {
    "script": write_script,
    "plain": partial(write_script, shuffled=True),
    "shared": partial(write_script, processes=True),
    "lightning": write_lightning,
}


@pytest.fixture(autouse=True)
def workspace(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LAYERLOOM_HOME", str(workspace / "home"))
    monkeypatch.setenv("LAYERLOOM_DATA", str(workspace / "data"))
    write_set(workspace / "data", "DTD")
    write_classes(workspace)
    write_pictures(workspace / "data/shapes", 8)
    write_table(workspace / "data/iris.csv")
    write_arrays(workspace / "data/cells.npz")
    rows = "".join(
        f"{i},{i * 7 % 5},{'' if i == 3 else int(i > 8)},{'no' if i % 3 else 'yes'},{i % 4 == 0},"
        f"{('', 'x', 'y; x', 'z', 'NA')[i % 5]},{i % 2},{1 - i % 2},"
        f"{i % 3 == 0},{i % 3 == 1},{i % 3 == 2}\n"
        for i in range(24)
    )
    write_table(
        workspace / "data/labels.csv", f"a,b,big,odd,old,kinds,one,two,three,four,five\n{rows}"
    )
    rows = "".join(f"{i},5;{i % 3};{i % 4},25\n" for i in range(20))
    write_table(
        workspace / "data/commas.csv", f"a long name, with commas in it, of 50 letters;y;z\n{rows}"
    )
    write_table(workspace / "data/holes.csv", "day;price;city;roof;kind\n" + "".join(
        f"{'' if i == 3 else f'{i + 1:02}.05.2023'};{'?' if i == 5 else f'{i + 1}.500,25'};"
        f"{'NA' if i in (2, 7) else 'xyz'[i % 3]};{'n/a' if i % 4 == 0 else 'rs'[i % 2]};"
        f"{'' if i == 9 else 'ab'[i % 2]}\n" for i in range(20)))  # fmt: skip
    np.savez(workspace / "data/elsewhere.npz", x=np.arange(80, dtype=">f8").reshape(20, 4) / 7,
             y=np.arange(20, dtype=">f4") / 3)  # fmt: skip
    return workspace


def made(name: str) -> tuple[Project, Written, Any, tuple[Any, Any]]:
    data, shape, outputs, training = CASES[name]
    read_own(data)
    inputs = torch.Size(shape).numel()
    model = MODEL.format(shape=("N", *shape), inputs=inputs, outputs=outputs)
    project = Project(name="Net", data=data, training={"epochs": 2, **training})
    info = describe(data, shape, (outputs,))
    return project, Written(model, "Net"), info, (shape, (outputs,))


def weights_of_a_run(name: str) -> tuple[dict[str, torch.Tensor], dict[str, float]]:
    project, written, info, ends = made(name)
    training = resolve(project.training, info.task, info.losses)
    data = load(project.data, *ends, training["seed"])
    seed_all(training["seed"])
    module = build(written.source or "", "Net")
    parts = DeviceSplit(*data.all_training()), DeviceSplit(*data.all_validation())
    engine = trainer_from_settings(module, training, data, parts)
    for _ in engine.fit():
        pass
    assert engine.best is not None
    assert engine.best_weights is not None
    return engine.best_weights, engine.best["metrics"]


@pytest.mark.slow(keep=["digits"])
@pytest.mark.parametrize("name", [name for name in CASES if name != "folder"])
def test_a_script_ends_with_the_weights_of_the_run(name: str, tmp_path: Path):
    weights, metrics = weights_of_a_run(name)
    project, written, info, _ = made(name)
    printed = run_like_many(write_script(project, written, info), tmp_path, "--device", "cpu")
    saved = torch.load(tmp_path / "model.pt", weights_only=True)
    assert [key for key in saved if not torch.equal(saved[key], weights[key])] == []
    assert saved.keys() == weights.keys()
    assert f"validation loss {metrics['val_loss']:.4f}" in printed


@pytest.mark.slow
@pytest.mark.parametrize("name", ["varied", "drawn_again", "digits", "drawn_noisy", "set"])
def test_a_lightning_script_that_makes_samples_one_by_one_ends_as_the_run(
    name: str, tmp_path: Path
):
    weights, metrics = weights_of_a_run(name)
    project, written, info, _ = made(name)
    text = write_lightning(project, written, info)
    assert list(faults(text)) == []
    arguments = ("--device", "cpu")
    printed = run_like_many(text, tmp_path, *arguments, imported="lightning")
    saved = torch.load(tmp_path / "model.pt", weights_only=True)
    assert [key for key in weights if not torch.equal(saved[key], weights[key])] == []
    assert f"validation loss {metrics['val_loss']:.4f}" in printed
    assert ("Test loss" in printed) == info.parts.tests


@pytest.mark.gate
@pytest.mark.parametrize("name", CASES)
def test_the_script_is_python_whose_lines_fit(name: str):
    project, written, info, _ = made(name)
    own = {getattr(node, "name", "") for node in ast.parse(TEXT).body}
    for form, write in FORMS.items():
        script = write(project, written, info)
        assert [line for line in script.splitlines() if len(line) > 88] == []
        ast.parse(script)
        assert [f for f in faults(script) if f.split()[0] not in own] == [], form


def test_scripts_of_own_data_are_formatted_and_free_of_lint(tmp_path: Path):
    for name in (name for name in CASES if not name.startswith("own")):  # their text is copied
        project, written, info, _ = made(name)
        for form, write in FORMS.items():
            text = write(project, written, info)
            (tmp_path / f"{form}_{name}.py").write_text(text, "utf-8")
    for command in (["format", "--check", "--diff"], ["check", "--select", "F,I,B,UP,SIM"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--isolated", "--target-version", "py311"]
        done = subprocess.run([*ruff, str(tmp_path)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", ["varied", "table", "set"])
def test_the_cells_of_a_notebook_run_from_top_to_bottom(name: str, tmp_path: Path):
    import json

    project, written, info, _ = made(name)
    cells = json.loads(write_notebook(project, written, info))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    printed = run_like_many("\n\n\n".join(code), tmp_path)
    assert "epoch 2" in printed


def test_a_script_opens_no_picture_that_is_a_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(CASES, "skips", (FOLDER | {"skip_corrupt": True}, (3, 12, 12), 3, {}))
    project, written, info, _ = made("skips")
    parts = ast.parse(write_script(project, written, info)).body
    kept = [part for part in parts if getattr(part, "name", "") in ("opened", "readable", "seen")]
    kept += [part for part in parts if ast.unparse(part).startswith("FORMATS = ")]
    space: dict[str, Any] = {
        "Image": Image,
        "ImageOps": ImageOps,
        "ImageStat": ImageStat,
        "datasets": datasets,
    }
    exec(compile(ast.Module(kept, []), "<script>", "exec"), space)
    Image.new("RGB", (8, 8)).save(tmp_path / "x.png", "EPS")
    assert space["readable"](str(tmp_path / "x.png")) is False
    with pytest.raises(UnidentifiedImageError):
        space["opened"](str(tmp_path / "x.png"))
    Image.new("L", (8, 8)).save(tmp_path / "y.png", "GIF")
    assert space["readable"](str(tmp_path / "y.png")) is True
    assert space["opened"](str(tmp_path / "y.png")).mode == "RGB"


def test_the_script_calls_torchvisions_own_transforms():
    project, written, info, _ = made("varied")
    script = write_script(project, written, info)
    assert "datasets.ImageFolder(folder, decode, loader=opened)" in script
    assert "v2.RandomCrop((12, 12), padding=2)" in script
    assert "v2.ColorJitter(brightness=0.2, contrast=0.2, saturation=0.2, hue=0.1)" in script
    assert "batches = EpochBatches(len(train), args.batch_size, SEED)" in script
    assert "DataLoader(train, batch_sampler=batches, " in script
