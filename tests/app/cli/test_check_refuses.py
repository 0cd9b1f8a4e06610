"""`layerloom check` refuses the paths that training refuses, by their text alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.cli import main

ROOT = Path(__file__).parents[3]
OUTSIDE = ("/etc/passwd", "../x.safetensors", "//host/x.safetensors", "\\\\host\\x.safetensors",
           "C:x.safetensors", ".x.safetensors", "a/b.safetensors")  # fmt: skip


def checked(folder: Path, capsys: pytest.CaptureFixture[str], **training: Any) -> tuple[int, Any]:
    """Status and document of the check of a project with these settings."""
    made = json.loads((ROOT / "projects" / "mlp_iris.loom.json").read_text("utf-8"))
    made["training"] |= training
    made["data"] |= training.pop("data", {})
    made["training"].pop("data", None)
    file = folder / "net.loom.json"
    file.write_text(json.dumps(made), "utf-8")
    status = main(["check", str(file), "--json"])
    return status, json.loads(capsys.readouterr().out)


@pytest.fixture(autouse=True)
def no_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of what is refused is looked up."""
    real = Path.is_file

    def is_file(path: Path) -> bool:
        assert "passwd" not in path.name
        assert not path.name.endswith("x.safetensors")
        return real(path)

    monkeypatch.setattr(Path, "is_file", is_file)


@pytest.mark.parametrize("path", OUTSIDE)
def test_weights_elsewhere_are_an_error(
    path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, report = checked(tmp_path, capsys, start_from={"weights": path})
    assert status == 1
    assert report["ok"] is False
    assert [error["code"] for error in report["errors"]] == ["refused_setting"]
    assert "training.start_from.weights needs" in report["errors"][0]["message"]


def test_a_run_in_another_folder_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for settings in ({"start_from": {"run": "../x"}}, {"distil": {"run": "/x"}}):
        status, report = checked(tmp_path, capsys, **settings)
        assert status == 1
        assert "needs a name without folders" in report["errors"][0]["message"]


def test_weights_beside_the_project_that_are_not_there_are_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, report = checked(tmp_path, capsys, start_from={"weights": "absent.safetensors"})
    assert status == 0
    assert [warning["code"] for warning in report["warnings"]] == ["missing_weights"]


REFUSED = (
    ({"lr": -1}, "training.lr needs a number from 0"),
    ({"epochs": 0}, "training.epochs needs a whole number from 1"),
    ({"batch_size": "many"}, "training.batch_size needs a whole number from 1"),
    ({"optimizer": "Adamm"}, 'training.optimizer has no choice "Adamm"'),
    ({"loss": "MSELoss"}, "MSELoss does not fit the data: the task is classification."),
    ({"learning_rate": 0.1}, 'training has no setting "learning_rate"'),
    ({"warmup": 9, "epochs": 5}, "training.warmup must be less than the 5 epochs but is 9."),
    ({"scheduler": {"name": "StepLR", "step_size": 0}}, "training.scheduler.step_size needs"),
    ({"class_weights": [1.0, 2.0]}, "training.class_weights has 2 numbers but the data has 3"),
)


@pytest.mark.parametrize(("training", "message"), REFUSED)
def test_check_and_train_refuse_the_same_settings(
    training: dict[str, Any], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, report = checked(tmp_path, capsys, **training)
    assert (status, report["ok"]) == (1, False)
    assert [error["code"] for error in report["errors"]] == ["refused_setting"]
    assert report["errors"][0]["message"].startswith(message)
    words = ["train", str(tmp_path / "net.loom.json"), "--runs", str(tmp_path / "runs")]
    assert main(words) != 0
    assert report["errors"][0]["message"] in capsys.readouterr().err
    assert not list((tmp_path / "runs").glob("*/spec.json"))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"source": "iris", "normalise": True}, "data has no setting 'normalise'."),
        ({"source": "iris", "epochs": 3}, "data has no setting 'epochs'."),
        ({"source": "iris", "validation": 3}, "data.validation is 3."),
        ({"source": "CSV", "file": "rows.csv", "seperator": ";"}, "data has no setting 'seper"),
    ],
)
def test_check_and_train_refuse_the_same_data_settings(
    data: dict[str, Any], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rows.csv").write_text("a,b,c,d,kind\n" + "1,2,3,4,x\n2,3,4,5,y\n" * 9)
    status, report = checked(tmp_path, capsys, data=data)
    assert (status, report["ok"]) == (1, False)
    assert report["errors"][0]["message"].startswith(message)
    words = ["train", str(tmp_path / "net.loom.json"), "--runs", str(tmp_path / "runs")]
    assert main(words) != 0
    assert report["errors"][0]["message"] in capsys.readouterr().err


def test_values_are_refused_before_it_is_known_what_the_data_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = {"source": "CSV", "file": "absent.csv"}
    status, report = checked(tmp_path, capsys, data=own, lr=-1)
    assert status == 1
    assert report["errors"][0]["message"].startswith("training.lr needs a number from 0")
    assert checked(tmp_path, capsys, data=own)[0] == 0
