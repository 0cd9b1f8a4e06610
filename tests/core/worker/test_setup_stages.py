"""The stages of an attempt: read, build, begin; and how it reports in each."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.engine.trainer import Trainer
from core.runs.accelerations import read_accelerations
from core.runs.files import read_json
from core.runs.status import Status
from core.settings.launcher import Launcher
from core.worker import launch
from core.worker.attempt import Attempt
from core.worker.begin import begin
from core.worker.build import build
from core.worker.run_inputs import read

Make = Callable[..., Path]


def attempt_of(run_dir: Path) -> Attempt:
    return Attempt(run_dir, read_json(run_dir / "spec.json"), Status(run_dir, {}))


def events(run_dir: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run_dir / "events.jsonl").read_text().splitlines()]


def test_each_stage_returns_what_the_next_one_needs(iris_run: Make) -> None:
    run_dir = iris_run(epochs=1, threads=1)
    attempt = attempt_of(run_dir)
    inputs, state = read(attempt)
    assert (inputs.device.type, state, inputs.teacher) == ("cpu", None, None)
    assert inputs.data.classes == ("setosa", "versicolor", "virginica")
    assert attempt.context.lines == inputs.network.report.lines
    training = build(inputs, attempt)
    assert type(training.trainer) is Trainer
    assert training.settings["compile"] == "off"
    assert (training.trainer.step, training.initial_weights) == (0, "")
    loop = begin(training, state, attempt)
    assert loop.engine is training.trainer
    assert loop.run() == "finished"
    assert read_json(run_dir / "final.json")["state"] == "finished"


def test_before_the_loop_events_have_no_step_and_each_kind_is_written_once(iris_run: Make) -> None:
    run_dir = iris_run()
    attempt = attempt_of(run_dir)
    attempt.event_once("begins", "with weights")
    attempt.event_once("begins", "with weights")
    (event,) = events(run_dir)
    assert (event["kind"], event["message"], "step" in event) == ("begins", "with weights", False)


def test_memory_that_runs_out_before_the_network_is_known_gives_the_batch_size(
    iris_run: Make,
) -> None:
    attempt = attempt_of(iris_run(batch_size=32))
    error = attempt.explain(MemoryError())
    assert error.message == "Memory ran out with a batch of 32 samples."
    assert error.hint == "Set batch_size to 16 or less."


def test_only_a_run_of_several_processes_trains_as_ranks(iris_run: Make) -> None:
    run_dir = iris_run(epochs=1, threads=1)
    spec = read_json(run_dir / "spec.json")

    def ranked(**more: Any) -> bool:
        return Attempt(run_dir, spec | more, Status(run_dir, {})).ranked

    one, two = (Launcher("slurm", count).as_spec() for count in (1, 2))
    assert (ranked(), ranked(launcher=one)) == (False, False)
    assert (ranked(launcher=two), ranked(launcher=one, ranked=True)) == (True, True)


def test_one_process_of_a_cluster_may_compile_its_steps(iris_run: Make) -> None:
    run_dir = iris_run(epochs=1, threads=1)
    spec = read_json(run_dir / "spec.json") | {"launcher": Launcher("ray").as_spec()}
    attempt = Attempt(run_dir, spec, Status(run_dir, {}))
    training = build(read(attempt)[0], attempt)
    assert type(training.trainer) is Trainer
    assert not read_accelerations(run_dir)["compile_step"].why.startswith("It is off, as gradients")


def test_a_run_that_has_had_several_processes_stays_ranked(iris_run: Make) -> None:
    run_dir = iris_run(epochs=1, threads=1, accumulate=4)
    launch.share(run_dir, 1)
    assert "ranked" not in read_json(run_dir / "spec.json")
    launch.share(run_dir, 4, "fsdp")
    launch.share(run_dir, 1)
    spec = read_json(run_dir / "spec.json")
    assert (spec["ranked"], spec["launcher"]["processes"]) == (True, 1)
    assert spec["launcher"]["sharding"] == "fsdp"
    attempt = attempt_of(run_dir)
    assert (attempt.ranked, attempt.sharded) == (True, False)
