"""A run that diverged says in which block; a run that may choose its threads chooses once."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import torch

from core.analyse import analyse_project
from core.engine.trainer import Trainer
from core.prepare import create
from core.prepare.create import prepare
from core.runs.listing import read_events
from core.runs.verdict import verdict_of
from core.worker import threads
from core.worker.setup import LoopReporter
from tests.core.small_runs import project, table_net, train_here

Make = Callable[..., Path]


def graph_with(block: str) -> dict[str, object]:
    """A net on iris in which `block` stands between the two layers."""
    graph = table_net(4, 3)
    graph["nodes"]["odd1"] = {"block": block}
    graph["edges"] = ["row -> fc1", "fc1 -> relu1", "relu1 -> odd1", "odd1 -> fc2", "fc2 -> result"]
    return graph


def made(tmp_path: Path, block: str, **training: object) -> Path:
    found = project(graph_with(block), {"source": "iris"}, threads=1, epochs=5, **training)
    return prepare(found, analyse_project(found), tmp_path / "runs")


def test_the_block_that_put_out_the_first_nan_is_named_with_its_numbers(tmp_path: Path) -> None:
    view = train_here(made(tmp_path, "log"))  # of the zeros that a ReLU gives: minus infinity
    assert view.state == "failed"
    assert view.origin is not None
    assert (view.origin["node"], view.origin["step"]) == ("odd1", 1)
    assert view.origin["message"].startswith("In step 1 the output of odd1 has ")
    assert "infinite of 1024 values; its inputs range from 0 to " in view.origin["message"]
    assert (view.message, view.hint) == (
        view.origin["message"],
        "odd1 (log) needs numbers above 0. Put a Softplus before it, or leave it out; no learning "
        "rate fixes it.",
    )
    verdict = verdict_of(view.dir)
    assert verdict.title == "Not a number from odd1"
    assert verdict.reason == f"{view.message} {view.hint}"
    assert [dict(r.changes) for r in verdict.remedies] == [{"odd1.block": "Identity"}]


def test_a_gradient_that_is_no_number_is_found_on_the_way_back(tmp_path: Path) -> None:
    graph = table_net(4, 3)
    graph["nodes"] |= {"none1": {"block": "sub"}, "root1": {"block": "sqrt"}}
    graph["edges"] = ["row -> fc1", "fc1 -> none1.input", "fc1 -> none1.other", "none1 -> root1",
                      "root1 -> fc2", "fc2 -> result"]  # fmt: skip
    del graph["nodes"]["relu1"]  # a root of nothing but zeros, where its slope is infinite
    found = project(graph, {"source": "iris"}, threads=1, epochs=5)
    view = train_here(prepare(found, analyse_project(found), tmp_path / "runs"))
    assert view.state == "failed"
    assert view.origin is not None
    assert (view.origin["node"], view.origin["step"]) == ("root1", 1)
    assert "in the backward pass the gradient from root1 to none1 had " in view.origin["message"]
    assert "its inputs range from 0 to 0" in view.origin["message"]
    assert "lr" not in str([r.changes for r in verdict_of(view.dir).remedies])


def test_a_step_that_was_too_long_is_reported(small_run: Make) -> None:
    run_dir = small_run(optimizer="SGD", lr=1e39, epochs=3)
    view = train_here(run_dir)
    assert view.origin is not None
    assert view.origin["step"] == 1
    assert "the step was too large" in view.origin["message"]
    event = next(e for e in read_events(run_dir) if e["kind"] == "origin")
    assert (event["node"], event["bad_step"]) == (view.origin["node"], 1)


def test_a_late_fault_is_found_from_the_last_checkpoint(
    small_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_dir = small_run(checkpoint_every_s=0.0, epochs=4)
    step = Trainer.make_step

    def poisoned(self: Trainer, group: Sequence[torch.Tensor]) -> None:
        step(self, group)
        if self.step == 60:
            with torch.no_grad():
                self.module.fc1.weight.fill_(float("inf"))  # type: ignore[union-attr]

    monkeypatch.setattr(Trainer, "make_step", poisoned)
    view = train_here(run_dir)
    assert view.origin is not None
    assert (view.origin["node"], view.origin["step"]) == ("fc1", 60)
    saved = json.loads((run_dir / "ckpt" / "manifest.json").read_text())["files"]
    assert any(0 < entry["step"] < 60 for entry in saved)


def test_a_replay_that_fails_hides_nothing(iris_run: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OSError("no")

    monkeypatch.setattr(LoopReporter, "origin", broken)
    view = train_here(iris_run(optimizer="SGD", lr=1e39, epochs=30))
    assert view.state == "failed"
    assert view.message.startswith("The loss became ")
    assert view.warnings[-1] == "The origin could not be found: OSError."


@pytest.mark.parametrize(
    ("times", "count"),
    [({1: 4.0, 2: 2.0, 4: 1.0}, 4), ({1: 1.0, 2: 2.0, 4: 4.0}, 1), ({1: 1.05, 2: 1.0, 4: 1.0}, 1)],
)
def test_the_fewest_threads_that_are_about_as_fast_are_taken(
    times: dict[int, float], count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    now: list[int] = []
    monkeypatch.setattr(torch, "set_num_threads", now.append)
    found = threads.fastest(lambda: times[now[-1]] / 1000, 4)
    assert found.count == now[-1] == count
    assert f"1 thread {times[1]:.3g} ms" in found.why


@pytest.mark.gate
def test_a_trial_changes_no_bit_and_is_held_once(
    small_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(create, "SMALL_STEP", 1)
    monkeypatch.setattr(
        threads, "fastest", lambda step, most: (step(), threads.ThreadChoice(1, "said"))[1]
    )
    monkeypatch.setattr(create.os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    tried, plain = small_run(threads=0), small_run(threads=1)
    assert json.loads((tried / "spec.json").read_text())["threads"] == 2
    assert train_here(tried).state == train_here(plain).state == "finished"
    assert threads.read_thread_count(tried) == 1
    assert [e["message"] for e in read_events(tried) if e["kind"] == "threads"] == ["said"]
    torch.set_num_threads(1)
    assert train_here(tried).state == "finished"
    assert len([e for e in read_events(tried) if e["kind"] == "threads"]) == 1
