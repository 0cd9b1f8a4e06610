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
