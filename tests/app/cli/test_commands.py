"""The command line in this process: what it prints where, and the status it ends with."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.cli import main, runs
from core.runs.listing import RunView

ROOT = Path(__file__).resolve().parents[3]
LENET = str(ROOT / "projects/lenet_digits.loom.json")
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def broken(tmp_path: Path) -> str:
    """LeNet whose second kernel is larger than what it receives, and a node without a wire."""
    project = json.loads(Path(LENET).read_text("utf-8"))
    project["graph"]["nodes"]["conv2"]["settings"]["kernel_size"] = 15
    path = tmp_path / "broken.loom.json"
    path.write_text(json.dumps(project), "utf-8")
    return str(path)


@pytest.fixture
def unreadable(tmp_path: Path) -> str:
    path = tmp_path / "cut.loom.json"
    path.write_text(Path(LENET).read_text("utf-8")[:200], "utf-8")
    return str(path)


def document(capsys: Capture) -> Any:
    """The one JSON document on standard output."""
    return json.loads(capsys.readouterr().out)


def test_check_of_a_sound_project_is_status_0(capsys: Capture) -> None:
    assert main(["check", LENET]) == 0
    out, err = capsys.readouterr()
    assert "(N, 6, 28, 28)" in out
    assert out.endswith("LeNet on digits: no errors, no warnings\n")
    assert err == ""


def test_check_of_a_project_with_errors_is_status_1_and_names_block_and_numbers(
    broken: str, capsys: Capture
) -> None:
    assert main(["check", broken]) == 1
    err = capsys.readouterr().err
    assert "error: conv2 has a 15x15 kernel but receives a 14x14 image" in err
    assert "  fix:  " in err


def test_check_json_is_the_contract(broken: str, capsys: Capture) -> None:
    assert main(["check", broken, "--json"]) == 1
    found = document(capsys)
    assert found["ok"] is False
    assert found["nodes"]["conv1"]["outputs"]["output"] == {
        "shape": ["N", 6, 28, 28],
        "dtype": "float32",
    }
    (error,) = found["errors"]
    assert (error["node"], error["code"]) == ("conv2", "image_too_small")
    assert error["fixes"][0]["edits"]
    assert found["warnings"] == []


def test_the_fixes_of_check_json_mend_the_block(broken: str, capsys: Capture) -> None:
    from core.analyse import analyse
    from core.graph.edits import apply
    from core.project import open_project

    main(["check", broken, "--json"])
    fixes = document(capsys)["errors"][0]["fixes"]
    graph = open_project(broken).graph
    left = [analyse(apply(graph, fix["edits"])).errors for fix in fixes]
    assert len(left) >= 2
    assert "conv2" not in {error.node for errors in left for error in errors}


@pytest.mark.parametrize("command", ["check", "code", "summary", "train"])
def test_an_unreadable_file_is_status_2_with_its_place(
    command: str, unreadable: str, capsys: Capture
) -> None:
    assert main([command, unreadable]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: cut.loom.json: ")
    assert "Traceback" not in err


@pytest.mark.parametrize("command", ["check", "summary", "train"])
def test_with_json_an_unreadable_file_is_still_one_document(
    command: str, unreadable: str, capsys: Capture
) -> None:
    assert main([command, unreadable, "--json"]) == 2
    found = document(capsys)
    assert found["ok"] is False
    assert set(found["error"]) == {"place", "message", "hint"}


@pytest.mark.parametrize("command", ["code", "summary", "train"])
def test_what_needs_a_sound_project_tells_its_errors_first(
    command: str, broken: str, capsys: Capture
) -> None:
    assert main([command, broken]) == 1
    assert "conv2 has a 15x15 kernel" in capsys.readouterr().err


def test_code_prints_the_source_that_is_built(capsys: Capture) -> None:
    assert main(["code", LENET]) == 0
    assert capsys.readouterr().out == (ROOT / "tests/golden/lenet_digits.py").read_text("utf-8")


@pytest.mark.parametrize("form", ["model", "script", "notebook"])
def test_code_writes_every_form_to_a_file(form: str, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "written"
    assert main(["code", LENET, "--as", form, "-o", str(out)]) == 0
    assert capsys.readouterr().out == ""
    text = out.read_text("utf-8")
    assert "class LeNetOnDigits" in text or "class LeNetOnDigits" in json.dumps(json.loads(text))
    assert list(tmp_path.iterdir()) == [out]


def test_code_into_a_folder_that_is_not_there_is_status_2(tmp_path: Path, capsys: Capture) -> None:
    assert main(["code", LENET, "-o", str(tmp_path / "no/where.py")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_summary_json_counts_as_torch_does_and_keeps_torchinfo_s_figure(capsys: Capture) -> None:
    assert main(["summary", LENET, "--json"]) == 0
    found = document(capsys)
    assert found["total_params"] == 61_706
    assert found["trainable_params"] == 61_706
    assert (found["mult_adds"], found["torchinfo_mult_adds"]) == (416_520, 423_038)
    keys = {"id", "block", "depth", "output_shape", "params", "trainable_params", "mult_adds"}
    assert keys | {"activation_bytes"} <= set(found["rows"][0])
    memory = {"parameters_bytes", "gradients_bytes", "optimizer_bytes", "activations_bytes"}
    assert memory <= set(found["memory"])


def test_summary_of_a_batch_scales_the_activations(capsys: Capture) -> None:
    sizes = []
    for batch in ("1", "32"):
        assert main(["summary", LENET, "--json", "--batch", batch]) == 0
        sizes.append(document(capsys)["memory"]["activations_bytes"])
    assert sizes[1] == 32 * sizes[0]


@pytest.mark.parametrize("batch", ["0", "-3", "many", "1000001", "9" * 20])
def test_summary_refuses_a_batch_that_is_none(batch: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as end:
        main(["summary", LENET, f"--batch={batch}"])
    assert end.value.code == 2
    assert "needs a whole number from 1 to 1,000,000" in capsys.readouterr().err


def test_blocks_json_is_the_whole_catalogue(capsys: Capture) -> None:
    assert main(["blocks", "--json"]) == 0
    found = document(capsys)
    assert len(found["blocks"]) >= 60
    assert {name for family in found["families"] for name in family["blocks"]} == set(
        found["blocks"]
    )


def test_one_block_is_shown_with_its_settings(capsys: Capture) -> None:
    assert main(["blocks", "Conv2d"]) == 0
    out = capsys.readouterr().out
    assert "kernel_size" in out
    assert "set by the input" in out


def test_a_block_that_is_not_there_is_status_2_with_the_nearest(capsys: Capture) -> None:
    assert main(["blocks", "conv2"]) == 2
    assert "Did you mean Conv2d or conv2d?" in capsys.readouterr().err


def test_new_copies_a_template_byte_for_byte(tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "mine.loom.json"
    assert main(["new", "lenet_digits", "-o", str(out)]) == 0
    assert out.read_bytes() == Path(LENET).read_bytes()
    assert capsys.readouterr().out == ""


def test_new_never_writes_over_a_file(tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "mine.loom.json"
    out.write_text("precious")
    assert main(["new", "lenet_digits", "-o", str(out)]) == 2
    assert out.read_text() == "precious"
    assert "exists already" in capsys.readouterr().err


def test_new_with_a_wrong_name_offers_the_nearest(tmp_path: Path, capsys: Capture) -> None:
    assert main(["new", "lenet_digit", "-o", str(tmp_path / "x")]) == 2
    assert "Did you mean lenet_digits?" in capsys.readouterr().err


def test_new_list_names_every_template(capsys: Capture) -> None:
    assert main(["new", "--list", "--json"]) == 0
    names = {found["template"] for found in document(capsys)}
    files = (ROOT / "projects").glob("*.loom.json")
    assert names == {file.name.removesuffix(".loom.json") for file in files}


def test_a_word_that_is_no_command_and_no_file_offers_the_nearest(capsys: Capture) -> None:
    assert main(["chekc"]) == 2
    assert "Did you mean `layerloom check`?" in capsys.readouterr().err


def test_opening_an_unreadable_file_ends_before_any_server_starts(
    unreadable: str, capsys: Capture
) -> None:
    assert main([unreadable]) == 2
    assert capsys.readouterr().err.startswith("error: cut.loom.json: ")


def test_doctor_json_names_devices_and_versions(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    import torch

    found = [{"device": "cpu", "name": "CPU", "fault": ""}]
    monkeypatch.setattr("core.worker.device_trials.try_devices", lambda: found)
    assert main(["doctor", "--json"]) == 0
    found = document(capsys)
    assert found["devices"][0]["device"] == "cpu"
    assert found["libraries"]["torch"] == torch.__version__.partition("+")[0]
    assert set(found["programs"]) == {"graphviz", "chromium", "git", "c++", "tensorboard"}


def test_a_run_that_is_not_there_is_status_2(tmp_path: Path, capsys: Capture) -> None:
    for command in (["resume"], ["pause"], ["stop"]):
        assert main([*command, "lenet-001", "--runs", str(tmp_path)]) == 2
        assert "There is no run called lenet-001" in capsys.readouterr().err


def test_an_empty_folder_has_no_runs(tmp_path: Path, capsys: Capture) -> None:
    assert main(["runs", "--runs", str(tmp_path / "runs"), "--json"]) == 0
    assert document(capsys) == []


def test_a_fault_nobody_foresaw_is_one_sentence_and_status_1(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("division by zero\nframe #1: in torch")

    monkeypatch.setattr("app.cli.doctor.examine", fail)
    assert main(["doctor"]) == 1
    err = capsys.readouterr().err
    assert err.startswith("error: Layerloom itself failed (ZeroDivisionError: division by zero).")
    assert "frame #1" not in err
    assert "Traceback" not in err


def test_the_list_of_runs_says_from_which_step_one_is_compiled(tmp_path: Path) -> None:
    changed = {"from_step": 1235, "times": 2.1}
    view = RunView(tmp_path, "a", "finished", elapsed_s=61.0, compiled=changed)
    assert runs.row(view)[3].endswith(" (compiled from step 1235, 2.1 x)")
