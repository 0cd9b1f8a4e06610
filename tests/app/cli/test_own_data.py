"""Own data beside a project, by a relative path as people type it, is found by what trains."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

from app.cli import main
from core.runs import control_file
from tests import wing_parts

PROJECT = {
    "layerloom": 1,
    "name": "Own",
    "graph": {
        "nodes": {
            "row": {"block": "Input", "settings": {"shape": [2]}},
            "fc1": {"block": "Linear", "settings": {"out_features": 2}},
            "result": {"block": "Output"},
        },
        "edges": ["row -> fc1", "fc1 -> result"],
    },
    "data": {"source": "CSV", "file": "data/t.csv"},
    "training": {"epochs": 4, "batch_size": 8, "threads": 1, "max_minutes": 0.0},
    "layout": {},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder to start in; project and data lie in a folder of it."""
    (tmp_path / "mine/data").mkdir(parents=True)
    (tmp_path / "mine/own.loom.json").write_text(json.dumps(PROJECT))
    rows = "".join(f"{i},5;{i % 7};{'ab'[i % 2]}\n" for i in range(100))
    (tmp_path / "mine/data/t.csv").write_text(f"x;y;kind\n{rows}")
    return tmp_path


@pytest.fixture
def layerloom(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """The command as somebody types it in a folder: its status, stdout and stderr."""

    def done(where: Path, *words: str) -> tuple[int, str, str]:
        known = {k: v for k, v in os.environ.items() if not k.startswith("LAYERLOOM")}
        with mock.patch.dict(os.environ, known | {"LAYERLOOM_SPARE": "0"}, clear=True):
            monkeypatch.chdir(where)
            status = main(words)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return done


@pytest.mark.slow
def test_a_run_finds_it_when_started_and_when_resumed_from_elsewhere(
    folder: Path, layerloom: Callable[..., tuple[int, str, str]]
) -> None:
    _, _, err = layerloom(folder, "train", "mine/own.loom.json")
    assert "own-001 stopped" in err
    idle = "warning: A time limit of 0 minutes ends the run after its first step."
    assert idle in err
    (folder / "elsewhere").mkdir()
    _, out, _ = layerloom(folder / "elsewhere", "resume", "../runs/own-001", "--json")
    assert json.loads(out)["step"] > 1
    for source in ("../runs/own-001", "../mine/own.loom.json"):
        words = ("export", source, "--format", "script", "-o", "train.py")
        status, _, err = layerloom(folder / "elsewhere", *words)
        assert (status, err.startswith("train.py")) == (0, True), (source, err)
    file = folder / "mine/data/t.csv"
    file.write_text(file.read_text().replace("7,5;0;b", "7,5;1;b"))
    status, _, err = layerloom(folder / "elsewhere", "resume", "../runs/own-001")
    assert status == 1
    assert err.count("is not the data that this run started with") == 1
    assert "Verdict" not in err
    file.rename(folder / "mine/data/u.csv")
    status, _, err = layerloom(folder / "elsewhere", "resume", "../runs/own-001")
    assert status == 1
    assert f"data/t.csv is not in {folder} or {folder}/mine or {folder}/elsewhere." in err


def test_a_misspelt_setting_is_named_before_a_file_that_is_not_there(
    folder: Path, layerloom: Callable[..., tuple[int, str, str]]
) -> None:
    data = {"source": "CSV", "file": "data/absent.csv", "seperator": ";"}
    (folder / "other.loom.json").write_text(json.dumps({**PROJECT, "data": data}))
    of_wings = wing_parts.rows("commands", "READS_DATA").values()
    for command in (("train",), ("code", "--as", "script"), *of_wings):
        status, _, err = layerloom(folder, command[0], "other.loom.json", *command[1:])
        assert status in (1, 2), command
        assert "data has no setting 'seperator'." in err, command


def test_roots_in_the_folder_of_a_stranger_are_not_used(workspace: Path) -> None:
    run_dir = workspace / "runs/own-001"
    run_dir.mkdir(parents=True)
    (run_dir / "spec.json").write_text("{}")
    known, _ = control_file.read_data_roots(run_dir)
    assert known["roots"] == [str(workspace)]
    for seal, found in ((known["seal"], ["/", str(workspace)]), ([1, 2], [str(workspace)])):
        asked = {**known, "roots": ["/"], "seal": seal}
        (run_dir / "control.json").write_text(json.dumps(asked))
        again, places = control_file.read_data_roots(run_dir)
        assert again["roots"] == found
        assert places["LAYERLOOM_WORKSPACE"] == found[0]
