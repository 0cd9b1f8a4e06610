"""Doors that train again: their weights and their metric are those of the run."""

import contextlib
import os
import re
from collections.abc import Callable
from pathlib import Path

import torch

from core.export.formats import FORMATS
from core.prepare.branch import branch
from core.runs.files import read_json, write_json
from core.script.ranks import SAME
from core.worker import together
from tests.core.script.alone import run_like_many, surroundings
from tests.core.script.test_notebook import run_cells
from tests.core.small_runs import train_here
from tests.crossing.trained_run import (
    Answers,
    Outputs,
    Refused,
    Stated,
    TrainedRun,
    printed_metric,
)
from tests.torchrun import torchrun

CLOSE = re.compile(r"(The results are close to [^:]*: [^.]*\.|Batch norm sees [^.]*\.)")
"""What a script for several processes says of itself where it differs."""


def script(run: TrainedRun) -> Answers:
    """The run's own script."""
    folder = run.folder("script")
    text = (run.run_dir / "script.py").read_text("utf-8")
    return run.of_script(folder, run_like_many(text, folder))


def plain_script(run: TrainedRun) -> Answers:
    """Trains, and says of itself that its results are close, not identical."""
    folder = run.folder("plain")
    found = run.of_script(
        folder, run_like_many(run.exported("script-plain").read_text("utf-8"), folder)
    )
    assert all(torch.isfinite(output).all() for output in found.outputs)
    raise Stated(FORMATS["script-plain"].about)


def lightning(run: TrainedRun) -> Answers:
    with contextlib.suppress(ImportError):
        import lightning as _  # noqa: F401

        folder = run.folder("lightning")
        text = run.exported("lightning").read_text("utf-8")
        return run.of_script(folder, run_like_many(text, folder, imported="lightning"))
    raise Refused("Lightning is not installed here.")


def shared_script(processes: int) -> Callable[[TrainedRun], Answers]:
    """The script for several processes, by python alone or by torchrun."""

    def answers(run: TrainedRun) -> Answers:
        folder, text = run.folder(f"ddp{processes}"), run.exported("script-ddp").read_text("utf-8")
        if processes == 1:
            return run.of_script(folder, run_like_many(text, folder))
        printed = _by_torchrun(text, folder)
        found = run.of_script(folder, printed)
        said = " ".join(text.split())
        if stated := CLOSE.search(printed) or CLOSE.search(said):
            raise Stated(stated[0])
        if not close(run.expected, found.outputs) and _as_in_parts(run, text, found):
            raise Stated(said[said.index(SAME) :][: len(SAME)])
        return found

    return answers


def _as_in_parts(run: TrainedRun, text: str, found: Answers) -> bool:
    """Whether one process with half batches, two to a step, answers the same to the bit."""
    folder = run.folder("ddp_parts")
    size = read_json(run.run_dir / "spec.json")["training"]["batch_size"] // 2
    options = ("--batch-size", str(size), "--accumulate", "2")
    one = run.of_script(folder, run_like_many(text, folder, *options))
    return all(torch.equal(a, b) for a, b in zip(one.outputs, found.outputs, strict=True))


def _by_torchrun(text: str, folder: Path) -> str:
    """What two processes print."""
    (folder / "train.py").write_text(text, "utf-8")
    return torchrun(folder, surroundings(folder), "train.py")


def notebook(run: TrainedRun) -> Answers:
    text, before = run.exported("notebook").read_text("utf-8"), Path.cwd()
    os.chdir(run.workspace)
    try:
        names, printed = run_cells(text)
    finally:
        os.chdir(before)
    return run.of_state(names["model"].state_dict(), printed_metric(printed))


def resumed(run: TrainedRun) -> Answers:
    """Stopped before its second step, then resumed."""
    again = run.again("resumed")
    write_json(again / "control.json", {"want": "stop", "seq": 1})
    train_here(again)
    write_json(again / "control.json", {"want": "run", "seq": 2})
    train_here(again)
    return run.of_run(again)


def branched(run: TrainedRun) -> Answers:
    first = run.again("branched", keep_best=2, checkpoint_every_s=0.0)
    train_here(first)
    other = branch(first, "epoch-000001")
    train_here(other)
    return run.of_run(other)


def _trials(run: TrainedRun, name: str) -> list[Path]:
    """Two trials of a sweep: the run's own rate, and half of it."""
    rate = float(read_json(run.run_dir / "spec.json")["training"]["lr"])
    return [run.again(name, lr=lr) for lr in (rate, rate / 2)]


def trial_alone(run: TrainedRun) -> Answers:
    """The first trial of a sweep in a worker of its own."""
    first, _ = _trials(run, "alone")
    train_here(first)
    return run.of_run(first)


def trial_together(run: TrainedRun) -> Answers:
    """The same beside another, whose steps are timed together."""
    trials = _trials(run, "together")
    together.main("auto", trials)
    return run.of_run(trials[0])


def close(expected: Outputs, found: Outputs) -> bool:
    pairs = zip(expected, found, strict=True)
    return all(torch.allclose(a, b, rtol=1e-4, atol=1e-4, equal_nan=True) for a, b in pairs)
