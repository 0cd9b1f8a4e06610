"""`layerloom compare` and `layerloom diff`: what differs, for people and as JSON."""

import json
from pathlib import Path

import pytest

from app import cli

ROOT = Path(__file__).resolve().parents[3]
LENET = ROOT / "projects" / "lenet_digits.loom.json"


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Two runs that differ in their rate; the second is the better one."""
    for name, rate, accuracy in (("calm-001", 0.001, 0.9), ("bold-001", 0.1, 0.95)):
        folder = tmp_path / "runs" / name
        folder.mkdir(parents=True)
        spec = {"training": {"lr": rate, "epochs": 2}, "params": 61706}
        best = {"metric": "val_accuracy", "value": accuracy, "metrics": {"val_accuracy": accuracy}}
        (folder / "spec.json").write_text(json.dumps(spec))
        (folder / "status.json").write_text(json.dumps({"best": best, "elapsed_s": 3.0}))
    return tmp_path / "runs"


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """LeNet with another kernel, another rate and one block less."""
    project = json.loads(LENET.read_text("utf-8"))
    graph = project["graph"]
    graph["nodes"]["conv1"]["settings"]["out_channels"] = 8
    del graph["nodes"]["tanh4"]
    graph["edges"] = [edge for edge in graph["edges"] if "tanh4" not in edge] + ["fc2 -> fc3"]
    project["training"]["lr"] = 0.01
    file = tmp_path / "changed.loom.json"
    file.write_text(json.dumps(project))
    return file


def test_compare_prints_a_column_per_run_and_names_the_best(runs: Path, capsys) -> None:
    assert cli.main(["compare", "calm-001", "bold-001", "--runs", str(runs)]) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines() == [
        "                   calm-001  bold-001",
        "lr                    0.001       0.1",
        "best val_accuracy       0.9      0.95",
        "params                61706     61706",
        "seconds                   3         3",
    ]
    assert captured.err == "Best run: bold-001\n"


def test_compare_as_json(runs: Path, capsys) -> None:
    assert (
        cli.main(["compare", "calm-001", str(runs / "bold-001"), "--runs", str(runs), "--json"])
        == 0
    )
    assert json.loads(capsys.readouterr().out) == {
        "ok": True,
        "runs": ["calm-001", "bold-001"],
        "differing": {"lr": [0.001, 0.1]},
        "results": {
            "best val_accuracy": [0.9, 0.95],
            "params": [61706, 61706],
            "seconds": [3.0, 3.0],
        },
        "best": "bold-001",
        "groups": [{"runs": ["calm-001", "bold-001"], "best": "bold-001"}],
        "judged_on": "",
    }


def test_runs_judged_on_other_samples_have_no_best(runs: Path, capsys) -> None:
    for name, share in (("calm-001", 0.2), ("bold-001", 0.5)):
        file = runs / name / "spec.json"
        spec = json.loads(file.read_text())
        file.write_text(json.dumps({**spec, "data": {"source": "iris", "validation": share}}))
    command = ["compare", "calm-001", "bold-001", "--runs", str(runs)]
    assert cli.main(command) == 0
    assert capsys.readouterr().err == (
        "No best run: they were judged on different splits of the data (calm-001 | bold-001).\n"
    )
    assert cli.main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["best"], found["judged_on"]) == (None, "judged on different splits of the data")
    assert found["groups"] == [
        {"runs": ["calm-001"], "best": None},
        {"runs": ["bold-001"], "best": None},
    ]


def test_compare_needs_two_runs_that_are_there(runs: Path, capsys) -> None:
    assert cli.main(["compare", "calm-001", "--runs", str(runs)]) == 2
    assert "error: compare needs two runs or more." in capsys.readouterr().err
    assert cli.main(["compare", "calm-001", "none", "--runs", str(runs)]) == 2
    assert "error: There is no run called none in" in capsys.readouterr().err


def test_diff_prints_blocks_settings_and_wires(changed: Path, capsys) -> None:
    assert cli.main(["diff", str(LENET), str(changed)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "- tanh4",
        "~ conv1: out_channels 6 -> 8",
        "+ fc2.output -> fc3.input",
        "- fc2.output -> tanh4.input",
        "- tanh4.output -> fc3.input",
        "~ training: lr 0.002 -> 0.01",
    ]


def test_diff_as_json_and_of_a_project_with_itself(changed: Path, capsys) -> None:
    assert cli.main(["diff", str(LENET), str(changed), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "same": False,
        "added": [],
        "removed": ["tanh4"],
        "changed": {"conv1": {"out_channels": [6, 8]}},
        "wires_added": [["fc2.output", "fc3.input"]],
        "wires_removed": [["fc2.output", "tanh4.input"], ["tanh4.output", "fc3.input"]],
        "renamed": {},
        "settings": {"training.lr": [0.002, 0.01]},
    }
    assert cli.main(["diff", str(LENET), str(LENET)]) == 0
    assert capsys.readouterr().out == "Same drawing and settings.\n"


def test_diff_says_which_file_cannot_be_read(capsys) -> None:
    assert cli.main(["diff", str(LENET), "none.loom.json"]) == 2
    assert "error: none.loom.json: does not exist." in capsys.readouterr().err


def test_the_help_of_a_command_says_what_it_does(capsys) -> None:
    with pytest.raises(SystemExit):
        cli.main(["diff", "--help"])
    assert "Compare two projects: blocks, wires and settings." in capsys.readouterr().out
