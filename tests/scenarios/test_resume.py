"""A run that is killed goes on as if nothing had happened."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from core.engine.load_module import load_module
from core.runs import checkpoint
from core.runs.files import SHIM_LOCK, is_locked, read_json
from core.runs.listing import read_events, read_metrics, view_run
from core.worker import launch, warm_worker
from core.worker.launch import resume, start
from tests.core.held_worker import there
from tests.core.small_runs import change_workers, ended, hold_workers, until

pytestmark = pytest.mark.slow

Make = Callable[..., Path]
EPOCHS = 6
LONG = 5000  # epochs: minutes, so that a run is still at it whenever a test looks


def weights(run_dir: Path) -> dict[str, torch.Tensor]:
    return load_module(run_dir, "last").state_dict()


def steps(run_dir: Path) -> list[int]:
    return [s for r in read_metrics(run_dir)[0] if r["kind"] == "step" for s in r["step"]]


def column(run_dir: Path, kind: str, name: str) -> list[float]:
    return [v for r in read_metrics(run_dir)[0] if r["kind"] == kind for v in r[name]]


def killed_at(begin: Callable[[Path], None], run_dir: Path, step: int) -> None:
    """Begin a run, or go on with it, in a worker that is killed before the step after `step`."""
    with pytest.MonkeyPatch.context() as patch:
        hold_workers(patch, step)
        begin(run_dir)
    view = until(run_dir, ended)
    assert view.state == "crashed"


@pytest.mark.alone
@pytest.mark.slow(keep=["OneCycleLR"])
@pytest.mark.parametrize(
    "schedule", ["OneCycleLR", pytest.param("ReduceLROnPlateau", marks=pytest.mark.slow)]
)
def test_a_run_killed_at_random_steps_ends_with_the_weights_of_one_that_never_was(
    small_run: Make, schedule: str
) -> None:
    settings = {"epochs": EPOCHS, "scheduler": {"name": schedule}, "checkpoint_every_s": 0.0}
    settings |= {"clip_norm": 1.0, "grad_noise": 1e-3}
    whole, broken = small_run(**settings), small_run(**settings)
    start(whole)
    rng = random.Random(schedule)
    for part, begin in enumerate((start, resume, resume)):
        killed_at(begin, broken, 20 + 30 * part + rng.randrange(25))
    resume(broken)
    assert until(whole, ended).state == "finished"
    view = until(broken, ended)
    assert view.state == "finished"
    assert view.attempt == 4
    expected, found = weights(whole), weights(broken)
    assert expected.keys() == found.keys()
    assert all(torch.equal(expected[name], found[name]) for name in expected)
    assert steps(broken) == list(range(1, 23 * EPOCHS + 1))
    for name in ("train_loss", "train_accuracy", "val_loss", "val_accuracy", "lr"):
        assert column(broken, "epoch", name) == column(whole, "epoch", name)
    assert column(broken, "step", "loss") == column(whole, "step", "loss")


@pytest.mark.alone
@pytest.mark.needs("g++")
def test_a_run_of_compiled_steps_that_is_killed_goes_on_to_the_bit(small_run: Make) -> None:
    settings = {"compile_step": "on", "epochs": 3, "checkpoint_every_s": 0.0, "clip_norm": 1.0}
    whole, broken = small_run(**settings), small_run(**settings)
    start(whole)
    assert until(whole, ended).state == "finished"
    compiled = next(event for event in read_events(whole) if event["kind"] == "compiled")
    assert compiled["message"].startswith("Whole steps are compiled, which took ")
    assert checkpoint.load(whole, "last")["fingerprint"]["calculation"] == "compile_step"
    killed_at(start, broken, 31)
    resume(broken)
    view = until(broken, ended)
    assert (view.state, view.attempt) == ("finished", 2)
    expected, found = weights(whole), weights(broken)
    assert all(torch.equal(expected[name], found[name]) for name in expected)
    assert column(broken, "step", "loss") == column(whole, "step", "loss")


@pytest.mark.alone
@pytest.mark.needs("g++")
def test_a_run_that_changes_over_is_the_same_wherever_it_is_killed(small_run: Make) -> None:
    """Before it decides, between what it writes down and its first compiled step, and after."""
    settings = {"compile_step": "auto", "epochs": 3, "checkpoint_every_s": 0.0, "clip_norm": 1.0}
    broken, whole = small_run(**settings), small_run(**settings)
    for begin, kill in ((start, 20), (resume, 30), (resume, 41)):
        with pytest.MonkeyPatch.context() as patch:
            change_workers(patch, 30, kill)
            begin(broken)
        assert until(broken, ended).state == "crashed"
        decided = read_json(broken / "modes.json")["compile_step"].get("from_step", 0)
        assert decided == (None if kill == 20 else 30)
    resume(broken)
    view = until(broken, ended)
    assert (view.state, view.attempt, view.epoch) == ("finished", 4, 3)
    shutil.copyfile(broken / "modes.json", whole / "modes.json")
    start(whole)
    assert until(whole, ended).state == "finished"
    expected, found = weights(whole), weights(broken)
    assert all(torch.equal(expected[name], found[name]) for name in expected)
    assert column(broken, "step", "loss") == column(whole, "step", "loss")


@pytest.mark.alone
@pytest.mark.slow
def test_a_run_killed_before_its_first_checkpoint_starts_again(small_run: Make) -> None:
    run_dir = small_run(epochs=4, checkpoint_every_s=3600.0)
    killed_at(start, run_dir, 5)
    assert checkpoint.intact(run_dir) == []
    resume(run_dir)
    assert until(run_dir, ended).state == "finished"
    assert steps(run_dir) == list(range(1, 23 * 4 + 1))


@pytest.mark.alone
@pytest.mark.parametrize("how", ["SIGTERM", pytest.param("stop", marks=pytest.mark.slow)])
def test_stopping_keeps_a_checkpoint_of_the_very_step_and_resume_goes_on_from_it(
    small_run: Make, how: str
) -> None:
    run_dir = small_run(epochs=LONG)
    start(run_dir)
    until(run_dir, lambda view: view.step > 30)
    if how == "stop":
        launch.stop(run_dir)
    else:
        launch.kill(run_dir, signal.SIGTERM)
    view = until(run_dir, ended)
    assert view.state == "stopped"
    assert view.resumable
    at = checkpoint.load(run_dir, "last")["step"]
    assert at == view.step == steps(run_dir)[-1]
    assert json.loads((run_dir / "exit.json").read_text())["code"] == 0
    resume(run_dir)
    until(run_dir, lambda view: view.state == "running" and view.step > at)
    launch.stop(run_dir)
    last = until(run_dir, ended).step
    assert steps(run_dir) == list(range(1, last + 1))


@pytest.mark.alone
@pytest.mark.slow
def test_a_paused_run_waits_and_goes_on_in_the_same_attempt(small_run: Make) -> None:
    run_dir = small_run(epochs=LONG)
    start(run_dir)
    until(run_dir, lambda view: view.step > 10)
    launch.pause(run_dir)
    paused = until(run_dir, lambda view: view.state == "paused")
    resume(run_dir)
    until(run_dir, lambda view: view.state == "running" and view.step > paused.step)
    launch.stop(run_dir)
    view = until(run_dir, ended)
    assert (view.state, view.attempt, paused.attempt) == ("stopped", 1, 1)
    assert steps(run_dir) == list(range(1, view.step + 1))


@pytest.mark.alone
@pytest.mark.slow
def test_a_finished_run_does_not_resume(iris_run: Make) -> None:
    run_dir = iris_run()
    start(run_dir)
    until(run_dir, ended)
    with pytest.raises(launch.RunError, match=r"has finished its 2 epochs\. Train again"):
        resume(run_dir)


@pytest.mark.alone
def test_a_run_cannot_be_started_twice(small_run: Make) -> None:
    run_dir = small_run(epochs=LONG)
    start(run_dir)
    with pytest.raises(launch.RunError, match="is running already"):
        start(run_dir)
    launch.stop(run_dir, grace_s=30)
    assert view_run(run_dir).attempt == 1


@pytest.mark.alone
@pytest.mark.slow
def test_a_run_outlives_the_process_that_started_it(small_run: Make) -> None:
    run_dir = small_run(epochs=4)
    code = f"import os; from core.worker import launch; launch.start({str(run_dir)!r}); "
    code += "os.kill(os.getpid(), 9)"
    done = subprocess.run([sys.executable, "-c", code], cwd=warm_worker.ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    assert until(run_dir, ended).state == "finished"


@pytest.mark.alone
def test_a_worker_whose_supervisor_was_killed_finishes_and_is_seen_to(
    small_run: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_dir, go_on = small_run(epochs=4), tmp_path / "go on"
    hold_workers(monkeypatch, 50, go_on)
    start(run_dir)
    until(run_dir, lambda _: there(go_on).exists())
    os.kill(json.loads((run_dir / "proc.json").read_text())["shim"]["pid"], signal.SIGKILL)
    until(run_dir, lambda _: not is_locked(run_dir / SHIM_LOCK))
    assert view_run(run_dir).state == "running"
    with pytest.raises(launch.RunError, match="is running already"):
        resume(run_dir)
    go_on.touch()
    assert until(run_dir, ended).state == "finished"
    assert not (run_dir / "exit.json").exists()


@pytest.mark.alone
@pytest.mark.slow
def test_a_changed_thread_count_is_reported_as_not_bit_for_bit(small_run: Make) -> None:
    run_dir = small_run(epochs=LONG)
    start(run_dir)
    until(run_dir, lambda view: view.step > 10)
    launch.stop(run_dir)
    until(run_dir, ended)
    spec = json.loads((run_dir / "spec.json").read_text())
    (run_dir / "spec.json").write_text(json.dumps(spec | {"threads": 2}))
    resume(run_dir)
    view = until(run_dir, lambda view: view.state == "running")
    launch.stop(run_dir, grace_s=30)
    assert view.warnings == ("Resumed, but not bit for bit, because of threads 1 -> 2.",)


@pytest.mark.alone
@pytest.mark.slow
def test_a_damaged_checkpoint_stops_resume_and_the_previous_one_goes_on(small_run: Make) -> None:
    run_dir = small_run(epochs=LONG, checkpoint_every_s=0.0)
    start(run_dir)
    until(run_dir, lambda view: view.epoch > 3)
    launch.stop(run_dir)
    until(run_dir, ended)
    path = run_dir / "ckpt" / "last.pt"
    broken = bytearray(path.read_bytes())
    broken[len(broken) // 2] ^= 1
    path.write_bytes(broken)
    with pytest.raises(checkpoint.CheckpointError, match="Use the previous checkpoint instead"):
        resume(run_dir)
    at = checkpoint.load(run_dir, "previous")["step"]
    resume(run_dir, "previous")
    until(run_dir, lambda view: view.state == "running" and view.step > at)
    launch.stop(run_dir)
    last = until(run_dir, ended).step
    assert steps(run_dir) == list(range(1, last + 1))


@pytest.mark.alone
def test_stopping_a_run_that_no_longer_answers_ends_it_by_force(
    small_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch, "HUNG_GRACE_S", 0.5)
    run_dir = small_run(epochs=LONG)
    start(run_dir)
    until(run_dir, lambda view: view.step > 5)
    worker = json.loads((run_dir / "proc.json").read_text())["worker"]["pid"]
    os.kill(worker, signal.SIGSTOP)
    until(run_dir, lambda _: ") T " in Path(f"/proc/{worker}/stat").read_text())
    status = json.loads((run_dir / "status.json").read_text())
    silent = status | {"hang_after_s": 0.2}
    (run_dir / "status.json").write_text(json.dumps(silent))
    until(run_dir, lambda view: view.state == "hung")
    launch.stop(run_dir)
    view = until(run_dir, lambda view: view.state == "crashed")
    assert "was killed (signal 9)" in view.message
