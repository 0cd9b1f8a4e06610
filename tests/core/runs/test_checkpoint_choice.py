"""A checkpoint is best, last, previous, a kept epoch or a step, for all commands alike."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from app.cli import main
from core.common.errors import CheckpointError
from core.common.network_ref import CheckpointRef
from core.export.subject import subject_at
from core.runs import checkpoint
from core.runs.checkpoint_choice import checkpoint_of, choices, whole_checkpoint_of
from core.runs.listing import view_run
from core.worker import launch
from tests.core.small_runs import train_here

Make = Callable[..., Path]


def save(run_dir: Path, step: int, which: str = "last") -> None:
    state = {"model": {"w": torch.full((5,), float(step))}, "epoch": 1, "step": step}
    checkpoint.save(run_dir, which, state)


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "net-001"
    folder.mkdir()
    for step, which in ((7, "last"), (7, "best"), (14, "last")):
        save(folder, step, which)
    return folder


def test_a_step_names_the_whole_checkpoint_of_it_first(run_dir: Path) -> None:
    assert choices(run_dir) == [("last", 14), ("previous", 7), ("best", 7)]
    given = ("14", "7", "best", "previous")
    assert [checkpoint_of(run_dir, each) for each in given] == ["last", "previous", *given[2:]]
    there = r"no checkpoint of step 9\. Available: last \(step 14\), previous \(step 7\), best"
    with pytest.raises(CheckpointError, match=there):
        checkpoint_of(run_dir, "9")
    with pytest.raises(CheckpointError, match="no checkpoint called 'newest'"):
        checkpoint_of(run_dir, "newest")


def test_the_previous_checkpoint_is_of_an_earlier_step(run_dir: Path) -> None:
    save(run_dir, 14)  # as the end of a run saves once more
    assert choices(run_dir) == [("last", 14), ("previous", 7), ("best", 7)]
    assert checkpoint.intact(run_dir) == ["last", "previous", "best"]


def test_going_on_needs_a_whole_checkpoint(run_dir: Path) -> None:
    assert whole_checkpoint_of(run_dir, "best") == "previous"
    save(run_dir, 21)
    with pytest.raises(CheckpointError, match="has weights but no optimiser state"):
        whole_checkpoint_of(run_dir, "best")
    save(run_dir, 7, "epoch-000001")
    assert whole_checkpoint_of(run_dir, "best") == "epoch-000001"


@pytest.fixture
def trained(iris_run: Make) -> Path:
    run_dir = iris_run(checkpoint_every_s=0.0, epochs=3)
    train_here(run_dir)
    return run_dir


def test_commands_take_the_choice(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    step = dict(choices(trained))["previous"]
    out = tmp_path / "net.safetensors"
    command = ["export", str(trained), "--format", "safetensors", "-o", str(out), "--json"]
    assert main([*command, "--checkpoint", str(step)]) == 0
    assert "previous weights of the run" in json.loads(capsys.readouterr().out)["note"]
    assert main([*command, "--checkpoint", "999"]) == 1
    assert "has no checkpoint of step 999." in capsys.readouterr().err
    look = ["look", str(trained), "--json", "--checkpoint", "last"]
    assert main(look) == 0
    assert main([*look, "--epoch", "1"]) == 2
    assert main(["export", "none.json", "--format", "onnx", "-o", "x", "--checkpoint", "last"]) == 2


def test_a_page_exports_the_checkpoint_that_is_chosen(trained: Path) -> None:
    found = subject_at(CheckpointRef(trained, "last", "1"))
    assert found.note == "last weights of the run"
    expected = checkpoint.load(trained, "last")["model"]
    assert all(torch.equal(found.module.state_dict()[k], v) for k, v in expected.items())


def test_resume_goes_on_from_the_step_that_is_named(
    trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(launch, "start", lambda run_dir, which: asked.append(which))
    step = dict(choices(trained))["previous"]
    assert main(["resume", str(trained), "--checkpoint", str(step), "--detach"]) == 0
    assert asked == ["previous"]
    whole = checkpoint.load(trained, "last")["model"]
    with launch.change_control(trained) as control:
        control["from"] = "previous"
    assert train_here(trained).state == "finished"
    assert view_run(trained).epoch == 3
    again = checkpoint.load(trained, "last")["model"]
    assert all(torch.equal(again[name], value) for name, value in whole.items())
