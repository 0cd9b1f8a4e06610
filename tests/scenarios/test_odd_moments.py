"""A clock that jumps back, and a stop in the middle of a validation: the run is as it would be."""

import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import torch

from core.engine.load_module import load_module
from core.engine.trainer import Trainer
from core.runs.listing import read_events, read_metrics, view_run
from core.worker import launch
from tests.core.small_runs import train_here

Make = Callable[..., Path]


def weights(run_dir: Path) -> dict[str, torch.Tensor]:
    return load_module(run_dir, "last").state_dict()


def same(one: Path, other: Path) -> bool:
    found, wanted = weights(one), weights(other)
    return all(torch.equal(found[key], wanted[key]) for key in wanted)


def epochs(run_dir: Path) -> list[int]:
    return [e for r in read_metrics(run_dir)[0] if r["kind"] == "epoch" for e in r["epoch"]]


def test_a_clock_that_jumps_back_during_a_run_changes_nothing_of_it(
    small_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, jumping = small_run(epochs=3), small_run(epochs=3)
    assert train_here(plain).state == "finished"
    began, asked = time.time(), count()
    monkeypatch.setattr(time, "time", lambda: began - 3600.0 * next(asked))
    view = train_here(jumping)
    assert (view.state, view.warnings) == ("finished", ())
    assert 0 <= view.elapsed_s < 60
    monkeypatch.undo()
    assert view_run(jumping).state == "finished"
    assert epochs(jumping) == [1, 2, 3]
    assert [e["kind"] for e in read_events(jumping)] == [e["kind"] for e in read_events(plain)]
    assert same(jumping, plain)


@pytest.mark.gate
def test_a_stop_asked_in_a_validation_keeps_that_epoch_and_the_run_goes_on_from_it(
    small_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, stopped = small_run(epochs=3), small_run(epochs=3)
    assert train_here(plain).state == "finished"
    validate = Trainer.validate

    def asking(engine: Trainer) -> dict[str, Any]:
        if engine.epoch == 1:
            launch.request(stopped, "stop")
            time.sleep(0.1)  # a worker listens again after 50 ms
        return validate(engine)

    monkeypatch.setattr(Trainer, "validate", asking)
    view = train_here(stopped)
    assert (view.state, view.epoch, view.epochs) == ("stopped", 2, 3)
    assert epochs(stopped) == [1, 2]
    monkeypatch.undo()
    launch.request(stopped, "run")
    view = train_here(stopped)
    assert (view.state, view.warnings) == ("finished", ())
    assert epochs(stopped) == [1, 2, 3]
    assert same(stopped, plain)
