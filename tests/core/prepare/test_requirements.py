"""`check` names what a project needs and what is not here: data, weights, runs. It opens none."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.cli import main
from core.prepare.requirements import missing
from core.project import Project, read_text
from tests.core.small_runs import table_net


def project_of(data: dict[str, Any], **training: Any) -> Project:
    file = {"layerloom": 1, "name": "Small", "graph": table_net(4, 3), "data": data}
    return read_text(json.dumps({**file, "training": training, "layout": {}}))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("LAYERLOOM_DATA", str(tmp_path / "none"))


CASES = {
    "table": ({"source": "CSV", "file": "a.csv"}, {}, "missing_data", "a.csv is not in "),
    "set": ({"source": "MNIST"}, {}, "missing_data", "The project needs the data set MNIST,"),
    "weights": (
        {"source": "iris"},
        {"start_from": {"weights": "big.safetensors"}},
        "missing_weights",
        "Training starts from big.safetensors, which is not in the folder of the project.",
    ),
    "run": (
        {"source": "iris"},
        {"start_from": {"run": "small-001"}},
        "missing_run",
        "There is no run called small-001 in ",
    ),
    "teacher": (
        {"source": "iris"},
        {"distil": {"run": "big\x1b[2J"}},
        "missing_run",
        "There is no run called 'big\\x1b[2J' in ",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_not_here_is_named_with_what_to_do(case: str, tmp_path: Path) -> None:
    data, training, code, begins = CASES[case]
    (found,) = missing(project_of(data, **training), tmp_path, tmp_path / "runs")
    assert found["code"] == code
    assert found["message"].startswith(begins)
    assert found["hint"].endswith((".", "none."))


def test_what_is_here_is_not_named_and_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_dir = tmp_path / "runs" / "small-001"
    (run_dir / "ckpt").mkdir(parents=True)
    for path in ("runs/small-001/spec.json", "runs/small-001/ckpt/best.pt", "a.csv"):
        (tmp_path / path).write_bytes(b"\0")
    (tmp_path / "big.safetensors").write_bytes(b"\0")
    table = {"source": "CSV", "file": "a.csv"}
    projects = [
        project_of(table, start_from={"weights": "big.safetensors"}),
        project_of(table, start_from={"run": "small-001"}, distil={"run": "small-001"}),
    ]

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("opened")

    monkeypatch.setattr("io.open", refuse)
    assert [missing(one, tmp_path, tmp_path / "runs") for one in projects] == [[], []]


def test_weights_cannot_lie_beside_a_project_that_was_never_saved(tmp_path: Path) -> None:
    project = project_of({"source": "iris"}, start_from={"weights": "big.safetensors"})
    (found,) = missing(project, None, tmp_path)
    assert (found["code"], found["message"], found["hint"]) == (
        "missing_weights",
        "big.safetensors must be in the folder of the project, which has not been saved yet.",
        "Save the project, then copy the file there.",
    )


def test_a_run_without_the_checkpoint_is_named(tmp_path: Path) -> None:
    (tmp_path / "small-001").mkdir()
    (tmp_path / "small-001" / "spec.json").write_text("{}")
    project = project_of({"source": "iris"}, start_from={"run": "small-001", "which": "last"})
    (found,) = missing(project, tmp_path, tmp_path)
    assert found["message"] == (
        "The run small-001, whose weights training starts from, has no last checkpoint."
    )


def test_check_warns_of_what_is_not_here(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.project import save_project

    monkeypatch.delenv("LAYERLOOM_BESIDE", raising=False)
    path = tmp_path / "small.loom.json"
    save_project(project_of({"source": "iris"}, start_from={"run": "small-001"}), path)
    assert main(["check", str(path), "--json", "--runs", str(tmp_path / "runs")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "missing_run" in [warning["code"] for warning in found["warnings"]]
