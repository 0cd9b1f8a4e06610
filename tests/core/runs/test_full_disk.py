"""A full disk is waited for with a sentence; nothing that was trained is lost, and stop works."""

import errno
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from core.analyse import analyse_project
from core.common.errors import RunError
from core.data import DataError
from core.prepare.create import prepare
from core.runs import checkpoint, control_file, full_disk
from core.runs.files import read_json, read_status
from core.runs.jsonl import Lines
from core.runs.listing import read_events, read_metrics, view_run
from core.worker import launch as control
from core.worker import main as worker
from core.worker import run_inputs
from core.worker.build import compile_checked
from core.worker.launch import resume, start
from tests.core.small_runs import ended, project, table_net, train_here, until
from tests.core.worker.faulty_disk import Disk

Make = Callable[..., Path]


def full(*_: object, **__: object) -> Any:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(full_disk, "SHORTEST_S", 0.001)
    monkeypatch.setattr(full_disk, "LONGEST_S", 0.01)


def losses(run_dir: Path) -> list[float]:
    records = [r for r in read_metrics(run_dir)[0] if r["kind"] == "step"]
    return [loss for record in records for loss in record["loss"]]


def whole(run_dir: Path, expected: Path) -> None:
    """Everything that counts is there, and the same as where nothing was refused."""
    assert losses(run_dir) == losses(expected)
    for which in ("last", "best"):
        mine, theirs = (checkpoint.load(folder, which) for folder in (run_dir, expected))
        assert mine["step"] == theirs["step"]
        assert all(torch.equal(mine["model"][k], v) for k, v in theirs["model"].items())
    assert read_json(run_dir / "final.json")["state"] == "finished"
    assert [e["kind"] for e in read_events(run_dir)][-1] == "finished"
    assert not [path for path in run_dir.rglob("*.tmp")]


@pytest.mark.alone
@pytest.mark.slow(keep=["1"])
@pytest.mark.parametrize("many", [1, 4])
def test_whichever_write_is_refused_the_run_ends_with_all_it_has_trained(
    iris_run: Make, tmp_path: Path, many: int
) -> None:
    settings: dict[str, Any] = {"epochs": 1, "checkpoint_every_s": 0.0, "keep_best": 2}
    expected = iris_run(**settings)
    assert train_here(expected).state == "finished"
    number, waited = 0, 0
    while True:
        number += 1
        run_dir = iris_run(**settings)
        disk = Disk(run_dir, number, many)
        with pytest.MonkeyPatch.context() as patch:
            disk.install(patch)
            try:
                view = train_here(run_dir)
            except OSError:  # the lock itself: no worker, which its supervisor writes down
                assert number <= many
                view = view_run(run_dir)
        if view.state != "finished":  # the lock: no worker has begun
            assert (number <= many, view.step) == (True, 0), (number, view)
            assert train_here(run_dir).state == "finished"
        waited += "disk_full" in [e["kind"] for e in read_events(run_dir)]
        whole(run_dir, expected)
        shutil.rmtree(run_dir)
        if not disk.refused:
            break
    assert number > 40
    assert waited > 5


@pytest.mark.gate
def test_a_run_on_a_full_disk_says_so_goes_on_when_there_is_space_and_loses_no_metric(
    iris_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected, run_dir = iris_run(), iris_run()
    train_here(expected)
    write, seen = Lines.write, list[Any]()

    def refused(self: Lines, record: Any) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                control.listing, "alive", lambda _: True
            )  # a process does not see its locks
            view = view_run(run_dir)
            if view.disk_full and len(seen) < 3:
                with pytest.raises(RunError, match="The disk is full, so the run waits"):
                    resume(run_dir)
                seen.append(view)
        if len(seen) < 3:
            full()
        write(self, record)

    monkeypatch.setattr(Lines, "write", refused)
    assert train_here(run_dir).state == "finished"
    assert (seen[0].state, seen[0].resumable) == ("paused", False)
    assert seen[0].message == "The disk is full, so the run waits: its metrics cannot be written."
    assert "it continues automatically" in seen[0].hint
    whole(run_dir, expected)
    assert "disk_full" in [event["kind"] for event in read_events(run_dir)]
    assert view_run(run_dir).message == ""


def test_how_a_run_stands_is_known_where_no_file_can_be_written(
    iris_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_dir = iris_run()
    assert train_here(run_dir).state == "finished"
    with monkeypatch.context() as patch:
        patch.setattr("core.runs.status.write_json", full)
        patch.setattr(checkpoint, "_write", full)
        spec = read_json(run_dir / "spec.json")
        spec["training"]["epochs"] = 4
        control.write_json(run_dir / "spec.json", spec)
        control.request(run_dir, "stop")
        view = train_here(run_dir)
    assert view.state == "stopped"
    assert view.message.endswith("on a full disk, without a new checkpoint.")
    assert view.hint == "Free some space. Resume continues from step 4."
    assert read_json(run_dir / "status.json")["state"] == "finished"  # the older one
    assert read_status(run_dir)["state"] == "stopped"
    control.request(run_dir, "run")
    assert train_here(run_dir).epoch == 4  # and the next attempt is told of again


def test_a_checkpoint_that_an_optional_one_was_refused_beside_is_written_next_time(
    small_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_dir = small_run(checkpoint_every_s=0.0, epochs=1)
    save, refused = checkpoint.save, list[str]()

    def once(folder: Path, which: str, state: dict[str, Any]) -> int:
        if which == "best" and not refused:
            refused.append(which)
            full()
        return save(folder, which, state)

    monkeypatch.setattr(checkpoint, "save", once)
    assert train_here(run_dir).state == "finished"
    assert refused == ["best"]
    assert checkpoint.load(run_dir, "best")["epoch"] == 1


@pytest.mark.alone
@pytest.mark.gate
def test_tensorboard_on_a_full_disk_neither_holds_a_run_up_nor_is_silent(
    iris_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tensorboardX.event_file_writer import EventsWriter

    run_dir = iris_run(epochs=200, histograms=True)
    monkeypatch.setattr(EventsWriter, "write_event", full)
    view = train_here(run_dir)
    assert view.state == "finished"
    assert "The TensorBoard file could not be written: No space left on device." in view.warnings


@pytest.mark.gate
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_disk_that_becomes_full_while_a_run_is_got_ready_is_waited_for(
    iris_run: Make, monkeypatch: pytest.MonkeyPatch, wrapped: bool
) -> None:
    expected, run_dir = iris_run(), iris_run()
    train_here(expected)
    gather, seen = run_inputs.load_data, list[Any]()

    def refused(*args: Any) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(control.listing, "alive", lambda _: True)
            seen.append(view_run(run_dir))
        if len(seen) > 3:
            return gather(*args)
        try:
            full()
        except OSError as error:
            if wrapped:
                raise DataError("The pictures could not be kept decoded.", "Free some.") from error
            raise

    monkeypatch.setattr(run_inputs, "load_data", refused)
    assert train_here(run_dir).state == "finished"
    why = "the pictures could not be kept decoded" if wrapped else "it cannot be prepared"
    assert [(view.state, view.disk_full) for view in seen[1:]] == [("paused", True)] * 3
    assert seen[1].message == f"The disk is full, so the run waits: {why}."
    assert seen[1].hint.startswith(f"{full_disk.HINT} {run_dir} has ")
    assert seen[1].hint.endswith(" kB free; about 1.0 MB are needed.")
    whole(run_dir, expected)
    kinds = [event["kind"] for event in read_events(run_dir)]
    assert kinds == ["disk_full", "started", "finished"]
    assert view_run(run_dir).message == ""


def test_a_run_that_waits_to_be_got_ready_can_be_stopped_and_goes_on_later(
    iris_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_dir, tried = iris_run(), list[int]()

    def refused(*_: Any) -> Any:
        tried.append(1)
        if len(tried) == 3:
            control.request(run_dir, "stop")
        full()

    with monkeypatch.context() as patch:
        patch.setattr(run_inputs, "load_data", refused)
        view = train_here(run_dir)
    assert (view.state, view.disk_full, view.resumable) == ("stopped", False, True)
    assert view.message == "It was stopped while it was being prepared: the disk was full."
    assert view.hint == "Free some space. Resume starts it again from the beginning."
    control.request(run_dir, "run")
    assert train_here(run_dir).state == "finished"


def test_a_run_that_waits_to_be_got_ready_and_loses_its_folder_ends(
    iris_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_dir = iris_run()

    def refused(*_: Any) -> Any:
        shutil.rmtree(run_dir)
        full()

    monkeypatch.setattr(run_inputs, "load_data", refused)
    assert worker.main(run_dir) == 1
    assert not run_dir.exists()


def test_a_compiler_that_finds_the_disk_full_says_nothing_of_the_network() -> None:
    def make(*_: Any) -> Any:
        try:
            full()
        except OSError as error:
            raise RuntimeError("backend='inductor' raised") from error

    training = {"precision": "float32", "warmup": 0}
    with pytest.raises(RuntimeError, match="inductor"):
        compile_checked(make, training, {}, "")


@pytest.mark.alone
@pytest.mark.slow
def test_stop_works_where_nothing_can_be_written(
    small_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_dir = small_run(epochs=5000)
    start(run_dir)
    until(run_dir, lambda view: view.step > 3)
    monkeypatch.setattr(control_file, "write_json", full)
    with pytest.raises(
        RunError,
        match=r"The request could not be written to the folder of .*: No space left on device",
    ):
        control.pause(run_dir)
    control.stop(run_dir)
    assert until(run_dir, ended).state == "stopped"


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.parametrize("moved", [False, True])
def test_a_run_whose_folder_is_gone_ends_and_makes_nothing_anew(
    small_run: Make, tmp_path: Path, moved: bool
) -> None:
    run_dir = small_run(epochs=50_000)
    start(run_dir)
    until(run_dir, lambda view: view.step > 3)
    proc = read_json(run_dir / "proc.json")
    if moved:
        run_dir.rename(tmp_path / "elsewhere")
        run_dir.mkdir()  # another one takes its name
    else:
        shutil.rmtree(run_dir)
    for who in ("worker", "shim"):
        until_gone(proc[who])
    assert [path.name for path in run_dir.glob("*")] == []
    assert run_dir.exists() == moved


@pytest.mark.alone
@pytest.mark.slow
def test_a_run_that_wrote_while_its_folder_was_deleted_ends(small_run: Make) -> None:
    run_dir = small_run(epochs=50_000)
    start(run_dir)
    until(run_dir, lambda view: view.step > 3)
    proc = read_json(run_dir / "proc.json")
    (run_dir / "spec.json").unlink()  # the folder is there, as if it had been made anew
    for who in ("worker", "shim"):
        until_gone(proc[who])
    assert not (run_dir / "exit.json").exists()


def until_gone(who: dict[str, Any]) -> None:
    """Wait until a process has ended."""
    for _ in range(6000):
        if control.supervisor.identity(who["pid"]) != who:
            return
        threading.Event().wait(0.02)
    raise AssertionError(f"{who} still lives")


def test_a_kill_says_whether_there_was_anybody(iris_run: Make) -> None:
    assert not control.kill(iris_run(), signal.SIGTERM)


def test_whichever_write_of_the_supervisor_is_refused_no_worker_is_left_alone(
    tmp_path: Path,
) -> None:
    handlers = {n: signal.getsignal(n) for n in control.supervisor.SIGNALS}
    number, refused = 0, 0
    try:
        while True:
            number += 1
            run_dir = tmp_path / str(number)
            run_dir.mkdir()
            workers, disk = list[Any](), Disk(run_dir, number, many=100)

            def launch(job: Any, workers: list[Any] = workers) -> Any:
                workers.append(subprocess.Popen(["sleep", "0.05"]))
                return workers[-1]

            job = {"run_dir": str(run_dir), "command": [], "queue": "", "attempt": 1}
            with pytest.MonkeyPatch.context() as patch:
                disk.install(patch)
                try:
                    control.supervisor.supervise(job, launch, lambda: None)
                except OSError as error:
                    refused += error.errno == errno.ENOSPC
            assert all(worker.poll() is not None for worker in workers)
            assert not list(run_dir.glob(".*"))
            if not disk.refused:
                break
    finally:
        for which, handler in handlers.items():
            signal.signal(which, handler)
    assert refused >= 4
    assert read_json(run_dir / "exit.json")["code"] == 0


@pytest.mark.gate
def test_a_run_that_cannot_be_made_leaves_no_folder(tmp_path: Path) -> None:
    found = project(table_net(4, 3), {"source": "iris"})
    report, number = analyse_project(found), 0
    while True:
        number += 1
        disk = Disk(tmp_path, number)
        with pytest.MonkeyPatch.context() as patch:
            disk.install(patch)
            message = refusal(lambda: prepare(found, report, tmp_path / "runs"))
        if not message:
            break
        assert message.startswith(f"The run folder cannot be written: the disk is full. {tmp_path}")
        assert message.endswith(" kB free; about 1.0 MB are needed. Free some space.")
        assert not list((tmp_path / "runs").glob("*"))
    assert number > 15


def refusal(make: Callable[[], Path]) -> str:
    """What is said where something cannot be made; "" where it can."""
    try:
        make()
    except RunError as error:
        return str(error)
    return ""
