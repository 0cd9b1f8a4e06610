"""A script has the rows of a run on each side: by group, in time, by a column, with folds."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from torch import Tensor

from core.data import DataInfo, describe, load
from core.data.facts.metadata import read_own
from core.data.sources.io_spec import End
from core.project import Project
from core.script.lightning import write_lightning
from core.script.script import write_script
from tests.core.script.hand_made import MLP, Written
from tests.core.script.test_excerpt import faults

TABLE = {"source": "CSV", "file": "visits.csv", "columns": ["dose"], "target_column": "ill"}
ARRAYS = {"source": "NPZ", "file": "cells.npz", "columns": ["cells"], "target_column": "kind"}
SCANS = {"source": "ImageFolder", "root": "scans", "split": "group"}
GROUP = {"split": "group", "split_by": "patient"}
TIME = {"split": "time", "split_by": "day"}
SITE = {"split": "column", "split_by": "site"}
SITES = {"validation": ["B"], "test": ["C, north"]}
CASES: dict[str, dict[str, Any]] = {
    "group": TABLE | GROUP | {"test": 0.2},
    "group_folds": TABLE | GROUP | {"folds": 4, "fold": 3, "split_seed": 5},
    "group_of_numbers": TABLE | GROUP | {"target_column": "dose", "columns": ["site"]},
    "group_limited": TABLE | GROUP | {"limit": 12, "test": 0.1, "folds": 3},
    "time": TABLE | TIME | {"gap": "2 days", "test": 0.1},
    "time_folds": TABLE | TIME | {"gap": 3, "folds": 3, "fold": 2, "test": 0.2},
    "time_limited": TABLE | TIME | {"limit": 12},
    "time_of_numbers": TABLE | {"split": "time", "split_by": "price", "columns": ["site"]},
    "order": TABLE | {"split": "time", "gap": 4, "target_column": "dose", "columns": ["site"]},
    "column": TABLE | SITE | {"split_values": SITES, "columns": ["dose", "site"]},
    "column_folds": TABLE | SITE | {"folds": 3, "fold": 2},
    "column_drawn": TABLE | SITE | {"split_values": {"test": ["A"]}, "columns": ["price"]},
    "column_both_drawn": TABLE | SITE | {"split_values": {"validation": ["B"]}, "test": 0.25},
    "seed": TABLE | {"split_seed": 4},
    "array_group": ARRAYS | {"split": "group", "split_by": "whose", "test": 0.2},
    "array_time": ARRAYS | {"split": "time", "split_by": "when", "gap": 2},
    "array_column": ARRAYS | {"split": "column", "split_by": "whose", "folds": 5, "fold": 3},
    "digits": {"source": "digits", "split": "time", "test": 0.1, "limit": 300},
    "text": {"source": "text", "file": "poem.txt", "split": "time", "gap": 1},
}  # fmt: skip
PICTURES: dict[str, dict[str, Any]] = {
    "name": SCANS | {"split_by": "name", "test": 0.2},
    "until": SCANS | {"split_by": "name", "split_until": "_", "folds": 3, "fold": 2},
    "folder": SCANS | {"split_by": "folder", "root": "nested", "limit": 20, "normalize": True},
}


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    sites = ("A", "B", "C, north", "")
    rows = [
        f"p{k // 5:02};{(k * 7) % 20 + 1:02}.03.2021;{sites[k % 3 if k != 9 else 3]};"
        f"{k % 11};{(k * 13) % 60},5;{'ny'[k % 2]}"
        for k in range(60)
    ]
    rows = [row.replace(";;", ";A;") for row in rows]
    lines = ["patient;day;site;dose;price;ill", *rows]
    (tmp_path / "visits.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "poem.txt").write_text("".join(chr(97 + k * k % 23) for k in range(1200)))
    generator = np.random.default_rng(0)
    np.savez(
        tmp_path / "cells.npz",
        cells=generator.normal(size=(40, 3)),
        whose=np.repeat([f"n{k % 5}" for k in range(10)], 4),
        when=generator.permutation(40) / 2,
        kind=np.arange(40) % 2,
    )
    for kind in ("ill", "well"):
        for k in range(24):
            whose = f"{kind}{k // 4}"
            for file in (f"scans/{kind}/{whose}_{k % 2}_{k}.png", f"nested/{kind}/{whose}/{k}.png"):
                (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
                Image.new("RGB", (6, 6), (k * 9, 20, 30)).save(tmp_path / file)
    return tmp_path


def asked(data: dict[str, Any]) -> tuple[Project, DataInfo, Any]:
    """A project, its data as it is told before the run, and as a run has it."""
    facts = read_own(data)
    shape = facts.source.shape if facts else (1, 8, 8)
    shape = (3, 6, 6) if data["source"] == "ImageFolder" else shape
    ends: tuple[Any, Any] = shape, (len(facts.source.classes) or 1 if facts else 10,)
    if facts and facts.source.alphabet:
        ends = (End("letters", (8,), "int64"),), (End("scores", (8, len(facts.source.alphabet))),)
    info, run = describe(data, *ends, seed=3), load(data, *ends, 3)
    return Project(name="Net", data=data, training={"seed": 3}), info, run


def written(project: Project, info: DataInfo) -> str:
    model = MLP.format(inputs=torch.Size(info.input_shape).numel(), outputs=2)
    return write_script(project, Written(model, "Mlp"), info)


def read_by(script: str, data: dict[str, Any]) -> list[Any]:
    """What `load_data` of a script gives."""
    room: dict[str, Any] = {"__name__": "script"}
    exec(compile(script, "script", "exec"), room)
    path = data.get("file", data.get("root"))
    return list(room["load_data"](path) if path else room["load_data"]())


@pytest.mark.parametrize("name", CASES)
def test_a_script_has_the_rows_of_the_run_on_each_side(name: str):
    project, info, run = asked(CASES[name])
    parts = [run.all_training(), run.all_validation()]
    parts += [run.all_test()] if info.parts.tests else []
    sizes = [len(inputs[0]) for inputs, _ in parts]
    assert sizes == [info.train_size, info.validation_size, info.test_size][: len(sizes)]
    found: list[Tensor] = []
    for each in read_by(written(project, info), project.data):
        found += each if isinstance(each, list) else [each] * isinstance(each, Tensor)
    wanted = [column for inputs, targets in parts for column in (*inputs, *targets)]
    assert len(found) == len(wanted)
    assert all(torch.equal(a, b) for a, b in zip(found, wanted, strict=True))


@pytest.mark.parametrize("name", PICTURES)
def test_a_script_has_the_pictures_of_the_run_on_each_side(name: str):
    project, info, run = asked(PICTURES[name])
    parts = read_by(written(project, info), project.data)
    rows = [run.train_indices, run.validation_indices, run.test_indices][: len(parts)]
    assert [part.rows for part in parts] == [each.tolist() for each in rows]
    assert all(len(each) for each in rows)


def test_these_scripts_are_formatted_and_call_what_a_run_calls(tmp_path: Path):
    folder = tmp_path / "scripts"
    folder.mkdir()
    for name, data in {**CASES, **PICTURES}.items():
        project, info, _ = asked(data)
        text = written(project, info)
        assert list(faults(text)) == [], name
        model = MLP.format(inputs=torch.Size(info.input_shape).numel(), outputs=2)
        lightning = write_lightning(project, Written(model, "Mlp"), info)
        for form, each in (("script", text), ("lightning", lightning)):
            (folder / f"{name}_{form}.py").write_text(each, "utf-8")
    for command in (["format", "--check", "--diff"], ["check", "--select", "F,I,B,UP,SIM"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--isolated", "--target-version", "py311"]
        done = subprocess.run([*ruff, str(folder)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
