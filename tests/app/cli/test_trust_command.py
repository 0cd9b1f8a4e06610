"""`layerloom trust`, and that no command runs a project's Python before it."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.cli import main
from core.files import trust
from core.project import open_project
from tests.wing_parts import rows

Capture = pytest.CaptureFixture[str]
SENTENCE = "mine is a Mine, which contains Python code that you have not trusted yet."


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """The file that the project's Python writes when its class is made: proof that it ran."""
    return tmp_path / "ran"


@pytest.fixture
def file(tmp_path: Path, mark: Path) -> Path:
    nodes = {
        "row": {"block": "Input", "settings": {"shape": [4]}},
        "fc": {"block": "Linear", "settings": {"out_features": 3}},
        "mine": {"block": "Mine"},
        "scores": {"block": "Output"},
    }
    code = [
        "class Mine(nn.Module):",
        f"    open({str(mark)!r}, 'w').close()",
        "",
        "    def forward(self, x: Tensor) -> Tensor:",
        "        return x * 2",
    ]
    project = {
        "layerloom": 1,
        "name": "Stranger",
        "graph": {"nodes": nodes, "edges": ["row -> fc", "fc -> mine", "mine -> scores"]},
        "composites": {"Mine": {"python": code}},
        "data": {"source": "iris"},
        "training": {"epochs": 1, "threads": 1},
    }
    path = tmp_path / "stranger.loom.json"
    path.write_text(json.dumps(project), "utf-8")
    return path


def text_of(file: Path) -> str:
    return open_project(file).graph.composites["Mine"].python


def answering(monkeypatch: pytest.MonkeyPatch, answers: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(answers))


def found(capsys: Capture) -> Any:
    return json.loads(capsys.readouterr().out)


DOORS: dict[str, list[str]] = {
    "check": ["check", "FILE"],
    "check as JSON": ["check", "FILE", "--json"],
    "code": ["code", "FILE"],
    "script": ["code", "FILE", "--as", "script"],
    "notebook": ["code", "FILE", "--as", "notebook"],
    "summary": ["summary", "FILE"],
    "train": ["train", "FILE", "--runs", "DIR/runs"],
    "onnx": ["export", "FILE", "--format", "onnx", "-o", "DIR/out.onnx"],
    "pt2": ["export", "FILE", "--format", "pt2", "-o", "DIR/out.pt2"],
    "python": ["export", "FILE", "--format", "python", "-o", "DIR/out.py"],
    **rows("commands", "UNTRUSTED"),
}


@pytest.mark.parametrize("door", DOORS)
def test_no_command_runs_what_nobody_trusted(
    door: str, file: Path, mark: Path, tmp_path: Path, capsys: Capture
) -> None:
    words = [w.replace("FILE", str(file)).replace("DIR", str(tmp_path)) for w in DOORS[door]]
    assert main(words) == 1
    out, err = capsys.readouterr()
    assert SENTENCE in out + err
    assert "layerloom trust FILE" in out + err
    assert not mark.exists()
    assert not list((tmp_path / "runs").glob("*/model.py"))


@pytest.mark.parametrize("words", [["diff", "FILE", "FILE"], *rows("commands", "READS").values()])
def test_what_only_reads_does_so_without_trust(
    words: list[str], file: Path, mark: Path, tmp_path: Path
) -> None:
    given = [w.replace("FILE", str(file)).replace("DIR", str(tmp_path)) for w in words]
    assert main(given) == 0
    assert not mark.exists()


def test_the_text_is_shown_with_its_lines_and_what_trust_means(
    file: Path, mark: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(monkeypatch, "n\n")
    assert main(["trust", str(file)]) == 1
    out = capsys.readouterr().out
    assert "\n1  class Mine(nn.Module):\n2      open(" in out
    assert "It will run with all your permissions on this computer.\n" in out
    assert "Trust Mine? [y/N] Mine: not trusted (5 lines)\n" in out
    assert not trust.trusted(text_of(file))
    assert not mark.exists()


@pytest.mark.parametrize(("answer", "trusts"), [("y\n", True), ("YES\n", True), ("", False)])
def test_only_a_yes_is_one(
    answer: str, trusts: bool, file: Path, mark: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(monkeypatch, answer)
    assert main(["trust", str(file)]) == (0 if trusts else 1)
    assert trust.trusted(text_of(file)) == trusts
    assert not mark.exists()


def test_yes_trusts_for_scripts_and_says_what(file: Path, capsys: Capture) -> None:
    assert main(["trust", str(file), "--yes"]) == 0
    out = capsys.readouterr().out
    assert "5          return x * 2" in out
    assert out.endswith("Mine: trusted (5 lines)\n")
    assert main(["check", str(file)]) == 0


def test_list_says_and_forget_takes_back(file: Path, capsys: Capture) -> None:
    text = text_of(file)
    assert main(["trust", str(file), "--list", "--json"]) == 1
    assert found(capsys) == {
        "ok": False,
        "blocks": [
            {
                "name": "Mine",
                "sha256": trust.digest(text),
                "lines": 5,
                "trusted": False,
                "errors": [],
            }
        ],
    }
    trust.trust(text, "Mine")
    assert main(["trust", str(file), "--list"]) == 0
    assert main(["trust", str(file), "--forget"]) == 1
    assert not trust.trusted(text)


def test_json_asks_nothing(file: Path, capsys: Capture) -> None:
    assert main(["trust", str(file), "--json"]) == 1
    assert found(capsys)["blocks"][0]["trusted"] is False
    assert main(["trust", str(file), "--json", "--yes"]) == 0
    assert found(capsys)["blocks"][0]["trusted"] is True


@pytest.mark.parametrize("command", ["check", "summary"])
def test_what_the_code_prints_is_no_part_of_the_document(
    command: str, file: Path, capsys: Capture
) -> None:
    text = file.read_text("utf-8").replace("return x * 2", "print('hello'); return x * 2")
    file.write_text(text, "utf-8")
    trust.trust(text_of(file), "Mine")
    assert main([command, str(file), "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)
    assert "hello" in err


def test_a_text_that_is_no_block_is_not_trusted(file: Path, capsys: Capture) -> None:
    file.write_text(file.read_text("utf-8").replace("def forward", "def backward"), "utf-8")
    assert main(["trust", str(file), "--yes"]) == 1
    assert "error: Mine: Line 1 needs a method forward(self, x: Tensor)." in (
        capsys.readouterr().err
    )
    assert not trust.trusted(text_of(file))


def test_a_project_without_python_has_nothing_to_trust(capsys: Capture) -> None:
    lenet = Path(__file__).resolve().parents[3] / "projects/lenet_digits.loom.json"
    assert main(["trust", str(lenet)]) == 0
    assert capsys.readouterr().out == "LeNet on digits contains no Python.\n"


Forge = Callable[[Path], None]


@pytest.mark.gate
def test_a_run_goes_on_and_is_exported_only_while_its_python_is_trusted(
    file: Path, mark: Path, tmp_path: Path, capsys: Capture
) -> None:
    runs, text = tmp_path / "runs", text_of(file)
    trust.trust(text, "Mine")
    assert main(["train", str(file), "--runs", str(runs)]) == 0
    (run,) = runs.glob("stranger-*")
    trust.forget(text)
    mark.unlink()
    for words in (
        ["export", str(run), "--format", "onnx", "-o", str(tmp_path / "x.onnx")],
        ["export", str(run), "--format", "safetensors", "-o", str(tmp_path / "x.safetensors")],
        ["resume", str(run), "--runs", str(runs)],
    ):
        assert main(words) == 1, words
        assert not mark.exists(), words
    trust.trust(text, "Mine")
    assert main(["export", str(run), "--format", "onnx", "-o", str(tmp_path / "x.onnx")]) == 0
    capsys.readouterr()


@pytest.mark.slow
def test_a_run_folder_with_other_python_is_refused(
    file: Path, tmp_path: Path, capsys: Capture
) -> None:
    runs = tmp_path / "runs"
    trust.trust(text_of(file), "Mine")
    assert main(["train", str(file), "--runs", str(runs)]) == 0
    (run,) = runs.glob("stranger-*")
    evil = tmp_path / "evil"
    line = f"open({str(evil)!r}, 'w').close(); return x * 2"
    for name in ("model.py", "project.loom.json"):
        path = run / name
        path.write_text(path.read_text("utf-8").replace("return x * 2", line), "utf-8")
    capsys.readouterr()
    assert main(["export", str(run), "--format", "onnx", "-o", str(tmp_path / "x.onnx")]) == 1
    assert SENTENCE in capsys.readouterr().err
    assert not evil.exists()


@pytest.fixture
def with_data(file: Path, mark: Path) -> Path:
    """The same project without blocks of its own, whose data is a class beside it."""
    text = (
        "import torch\nfrom torch.utils.data import Dataset\n\n"
        f"MARK = open({str(mark)!r}, 'w')\n\n\nclass Rows(Dataset):\n"
        "    def __len__(self):\n        return 20\n\n"
        "    def __getitem__(self, index):\n        return torch.ones(4) * index, index % 3\n"
    )
    (file.parent / "rows.py").write_text(text, "utf-8")
    project = json.loads(file.read_text("utf-8"))
    project["graph"]["nodes"].pop("mine")
    project["graph"]["edges"] = ["row -> fc", "fc -> scores"]
    del project["composites"]
    project["data"] = {"source": "Dataset", "file": "rows.py"}
    file.write_text(json.dumps(project), "utf-8")
    return file


@pytest.mark.parametrize("door", ["script", "notebook", "train", *rows("commands", "UNTRUSTED")])
def test_no_command_runs_a_data_set_that_nobody_trusted(
    door: str, with_data: Path, mark: Path, tmp_path: Path, capsys: Capture
) -> None:
    words = [w.replace("FILE", str(with_data)).replace("DIR", str(tmp_path)) for w in DOORS[door]]
    assert main(words) != 0
    out, err = capsys.readouterr()
    assert "rows.py contains Python code that you have not trusted yet." in out + err
    assert "layerloom trust FILE" in out + err
    assert not mark.exists()


def test_check_warns_of_a_data_set_that_waits_for_trust(
    with_data: Path, mark: Path, capsys: Capture
) -> None:
    main(["check", str(with_data), "--json"])
    warnings = found(capsys)["warnings"]
    assert "untrusted_data" in [warning["code"] for warning in warnings]
    assert not mark.exists()


def test_a_data_set_is_shown_and_trusted_as_blocks_are(
    with_data: Path, mark: Path, capsys: Capture
) -> None:
    assert main(["trust", str(with_data), "--list", "--json"]) == 1
    (listed,) = found(capsys)["blocks"]
    assert (listed["name"], listed["trusted"], listed["errors"]) == ("rows.py", False, [])
    assert main(["trust", str(with_data), "--yes"]) == 0
    assert " 7  class Rows(Dataset):" in capsys.readouterr().out
    assert not mark.exists()
    assert main(["code", str(with_data), "--as", "script"]) == 0
    assert "class Rows(Dataset):" in capsys.readouterr().out
    assert mark.exists()
