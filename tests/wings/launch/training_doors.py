"""A run on two processes as a door: its weights and its metric are those of one process."""

import os
from pathlib import Path

import torch

from app.wings.launch.launcher import shared
from core.analyse import analyse_project
from core.prepare.create import prepare
from core.runs.files import read_json
from core.settings.launcher import Launcher
from core.wings.launch.smaller_batches import sentence
from core.worker import child_process
from tests.core.small_runs import train_here
from tests.crossing.door import SHARED, Door
from tests.crossing.trained_run import Answers, Stated, TrainedRun
from tests.crossing.training_doors import close
from tests.torchrun import torchrun as torchrun_two


def _shared(run: TrainedRun, name: str) -> Path:
    """A run for two processes. Says beforehand what differs."""
    report = analyse_project(run.project)
    launcher = Launcher("torchrun", 2)
    return prepare(run.project, report, run.workspace / name, launcher=launcher)


def _of_two(run: TrainedRun, made: Path) -> Answers:
    """What two processes have learned, which equals one process with the parts of their batches."""
    launcher, project = Launcher("torchrun", 2), run.project
    found = run.of_run(made)
    if words := sentence(launcher, project.training, run.subject.source, project.data):
        raise Stated(words)
    if close(run.expected, found.outputs):
        return found
    parts = read_json(made / "spec.json")["training"]
    one = run.again(f"{made.parent.name}_parts",
                    batch_size=parts["batch_size"], accumulate=parts["accumulate"])  # fmt: skip
    train_here(one)
    same = zip(run.of_run(one).outputs, found.outputs, strict=True)
    if not all(torch.equal(a, b) for a, b in same):
        return found
    raise Stated(shared(made, launcher))


def nproc(run: TrainedRun) -> Answers:
    """`layerloom train --nproc 2`."""
    from tests.wings.launch.worker.forked_workers import train_on_ranks

    made = _shared(run, "nproc")
    code, _ = train_on_ranks(made, 2)
    assert code == 0, (made / "log.txt").read_text("utf-8")
    return _of_two(run, made)


def torchrun(run: TrainedRun) -> Answers:
    """A run whose ranks torchrun starts."""
    made = _shared(run, "torchrun")
    env = {**os.environ, "PYTHONPATH": str(child_process.ROOT)}
    torchrun_two(child_process.ROOT, env, "-m", "core.worker.main", str(made))
    return _of_two(run, made)


DOORS = {
    "--nproc 2": Door(nproc, SHARED, seconds=5),
    "torchrun": Door(torchrun, SHARED, seconds=30),
}
