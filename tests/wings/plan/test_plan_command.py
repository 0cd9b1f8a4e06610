"""`layerloom plan`: memory and speed on several GPUs."""

import json
from pathlib import Path

import pytest

from app.cli import main

LENET = str(Path(__file__).parents[3] / "projects" / "lenet_digits.loom.json")


def test_the_plan_of_lenet_on_eight_gpus(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", LENET, "--gpus", "8", "--step-ms", "4", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["samples"], found["batch"], found["accumulate"]) == (64, 8, 8)
    assert found["machines"]["usable_bytes"] == 72_000_000_000
    assert found["machines"]["link"]["name"] == "nvlink"
    ddp, fsdp = found["ways"]
    assert ddp["memory"]["weights"] == 61_706 * 4
    assert ddp["memory"]["communication"] == 9 * 61_706 * 4
    assert fsdp["memory"]["weights"] < ddp["memory"]["weights"] / 7
    assert (ddp["fits"], fsdp["fits"]) == (True, True)
    assert ddp["calculation_ms"] == 0.5


def test_what_does_not_fit_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["plan", LENET, "--memory", "0.004", "--step-ms", "4"]
    assert main(words) == 0
    printed = capsys.readouterr().out
    assert "1 machine with 1 GPU each of 0.004 GB" in printed
    assert (
        "One GPU: Set batch_size to 32 and accumulate to 2: the same 64 samples per step" in printed
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--gpus", "0"], "needs a whole number from 1 to 1,024: 0"),
        (["--memory", "nan"], "needs a positive number: nan"),
        (["--bandwidth", "-1"], "needs a positive number: -1"),
    ],
)
def test_numbers_that_cannot_be_are_refused(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["plan", LENET, *words])
    assert message in capsys.readouterr().err


def test_a_batch_that_cannot_be_divided_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", LENET, "--gpus", "7", "--step-ms", "4"]) == 1
    assert "A batch of 64 samples cannot be divided among 7 processes." in capsys.readouterr().err


def test_a_script_for_processes_is_written(tmp_path: Path) -> None:
    out = tmp_path / "train.py"
    assert main(["code", LENET, "--as", "script", "--ddp", "-o", str(out)]) == 0
    assert "rank, world = join_processes(args.device)" in out.read_text("utf-8")


def test_a_notebook_for_processes_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["code", LENET, "--as", "notebook", "--ddp"]) == 2
    errors = capsys.readouterr().err
    assert "--ddp is for --as script, not for --as notebook." in errors
    assert "A notebook runs in one process. Use --as script." in errors
