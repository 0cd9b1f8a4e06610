"""`layerloom bundle`, and `check`, `slice` and opening of a bundle on the command line."""

import json
import shutil
from pathlib import Path
from zipfile import ZipFile

import pytest

from app.cli import main
from core.wings.bundle.manifest import read_beside

ROOT = Path(__file__).resolve().parents[3]
LENET = str(ROOT / "projects/lenet_digits.loom.json")
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a project that learns from a table of its own."""
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
    workspace = tmp_path / "mine"
    workspace.mkdir()
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(workspace))
    monkeypatch.chdir(workspace)
    monkeypatch.setenv("LAYERLOOM_BESIDE", "")
    project = json.loads((ROOT / "projects/mlp_iris.loom.json").read_text("utf-8"))
    project["data"] = {"source": "CSV", "file": "flowers.csv"}
    (workspace / "iris.loom.json").write_text(json.dumps(project), "utf-8")
    (workspace / "flowers.csv").write_text("a,b,c,d,kind\n1,2,3,4,x\n2,3,4,5,y\n", "utf-8")
    return workspace


def test_a_bundle_says_what_is_in_it(own: Path, capsys: Capture) -> None:
    assert main(["bundle", "iris.loom.json", "-o", "iris.loom.zip", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["ok"] is True
    assert made["runs"] == []
    assert made["data"] == {"source": "CSV", "files": 1, "included": False}
    assert main(["bundle", "iris.loom.json", "-o", "all.loom.zip", "--with-data"]) == 0
    err = capsys.readouterr().err
    assert "all.loom.zip written" in err
    assert "the project, 0 runs, its data" in err


def test_check_lists_what_is_lacking_of_a_bundle_and_of_what_was_opened(
    own: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    main(["bundle", "iris.loom.json", "-o", "iris.loom.zip"])
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    shutil.copy("iris.loom.zip", theirs)
    monkeypatch.chdir(theirs)
    monkeypatch.setenv("LAYERLOOM_BESIDE", "")
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(theirs))
    capsys.readouterr()
    assert main(["check", "iris.loom.zip", "--json"]) == 0
    warnings = json.loads(capsys.readouterr().out)["warnings"]
    assert [w["code"] for w in warnings] == ["missing_data"]
    assert list(theirs.iterdir()) == [theirs / "iris.loom.zip"]

    served = list[Path]()
    monkeypatch.setattr("app.server.main.serve", lambda file, **_: served.append(file))
    monkeypatch.setattr("app.cli.workbench.end_calmly", lambda: None)
    assert main(["open", "iris.loom.zip", "--no-browser"]) == 0
    assert served == [theirs / "iris.loom.json"]
    err = capsys.readouterr().err
    assert "iris.loom.zip was opened as iris.loom.json" in err
    assert "missing: flowers.csv is not in" in err
    assert read_beside(served[0]) is not None
    (theirs / "flowers.csv").write_text("another,table\n1,2\n")
    assert main(["check", "iris.loom.json", "--json"]) == 0
    warnings = json.loads(capsys.readouterr().out)["warnings"]
    assert [w["code"] for w in warnings] == ["other_data"]


def test_wrong_uses_are_status_2(own: Path, capsys: Capture) -> None:
    assert main(["bundle", "iris.loom.json", "-o", "iris.zip"]) == 2
    assert "does not end with .loom.zip" in capsys.readouterr().err
    assert main(["bundle", "iris.loom.json", "nobody-001", "-o", "x.loom.zip"]) == 1
    assert "There is no run called 'nobody-001'" in capsys.readouterr().err
    (own / "evil.loom.zip").write_bytes(b"PK not a zip at all" * 9)
    assert main(["check", "evil.loom.zip"]) == 2
    assert main(["evil.loom.zip", "--no-browser"]) == 2
    assert "its end is missing" in capsys.readouterr().err


def test_runs_are_named_by_their_path_as_other_commands_take_them(tmp_path: Path) -> None:
    from app.cli.output import UsageError
    from app.wings.bundle.cli import named_runs

    for name in ("here/net-001", "here/net-002", "there/net-003"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "spec.json").write_text("{}")
    here = tmp_path / "here"
    expected = (here.resolve(), ("net-001", "net-002"))
    assert named_runs([str(here / "net-001"), "net-002"], here) == expected
    assert named_runs([str(here / "net-001"), str(here / "net-002")], tmp_path) == expected
    assert named_runs([], here) == (here, ())
    with pytest.raises(UsageError, match="The runs are in 2 different folders"):
        named_runs(["net-001", str(tmp_path / "there" / "net-003")], here)


def test_a_bundle_of_a_part_brings_its_weights(tmp_path: Path) -> None:
    out = tmp_path / "part.loom.zip"
    assert main(["slice", LENET, "--blocks", "conv1,tanh1", "-o", str(out)]) == 0
    with ZipFile(out) as archive:
        assert "weights/imported.safetensors" in archive.namelist()
