"""Runs share a machine: first come, first served, whatever happens to those in front."""

import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from small_runs import ended, until

from core.train import control, lease, resume, spare, start, view_run, wait
from core.train.machine import queue_folder

Make = Callable[..., Path]


@pytest.fixture
def queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A queue of its own."""
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("LAYERLOOM_SPARE")
    yield Path(queue_folder())
    spare.dismiss()


def machine(monkeypatch: pytest.MonkeyPatch, threads: int, gpus: list[str]) -> None:
    monkeypatch.setattr(lease, "threads", lambda: threads)
    monkeypatch.setattr(lease, "gpus", lambda: gpus)


def holder(queue: Path, want: lease.Want) -> tuple[int, int]:
    """A process that draws a ticket, asks once, and waits; its pid and what it was told."""
    told, tell = os.pipe()
    pid = os.fork()
    if not pid:
        ticket = lease.draw(queue, want)
        os.write(tell, str(lease.ask(ticket)).encode() + b" " + ticket.gpu.encode())
        signal.pause()
    place, _, gpu = os.read(told, 99).decode().partition(" ")
    os.close(told)
    os.close(tell)
    assert gpu in ("", "0", "1")
    return pid, int(place)


def end(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def test_threads_are_shared_and_the_first_in_line_is_served_first(
    queue: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine(monkeypatch, 4, [])
    one, place = holder(queue, lease.Want("a", threads=3))
    assert place == 0
    two, place = holder(queue, lease.Want("b", threads=2))
    assert place == 1
    three = lease.draw(queue, lease.Want("c", threads=1))
    assert lease.ask(three) == 2  # one thread is free, but others came before
    end(two)
    assert lease.ask(three) == 0
    end(one)
    three.leave()
    four = lease.draw(queue, lease.Want("d", threads=4))
    assert lease.ask(four) == 0
    four.leave()
    assert list(queue.glob("*.json")) == []  # those of the dead are thrown away


def test_a_run_that_wants_more_threads_than_there_are_gets_all_of_them(
    queue: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine(monkeypatch, 2, [])
    one, place = holder(queue, lease.Want("a", threads=64))
    assert place == 0
    _two, place = two = holder(queue, lease.Want("b"))
    assert place == 1
    end(one)
    end(two[0])


def test_each_gpu_has_one_run_and_the_processor_is_another_queue(
    queue: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine(monkeypatch, 1, ["0", "1"])
    held = [holder(queue, lease.Want(name, gpu=True)) for name in "abc"]
    assert [place for _, place in held] == [0, 0, 1]
    other, place = holder(queue, lease.Want("d"))
    assert place == 0
    last = lease.draw(queue, lease.Want("e", gpu=True))
    assert lease.ask(last) == 2
    for pid in (held[1][0], held[2][0]):
        end(pid)
    assert lease.ask(last) == 0
    assert last.gpu == "1"
    for pid in (held[0][0], other):
        end(pid)
    last.leave()


def test_a_paused_run_leaves_its_threads_to_others(
    queue: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    machine(monkeypatch, 1, [])
    one, place = holder(queue, lease.Want(str(tmp_path)))
    assert place == 0
    two = lease.draw(queue, lease.Want("b"))
    assert lease.ask(two) == 1
    (tmp_path / "status.json").write_text('{"state": "paused"}')
    assert lease.ask(two) == 0
    end(one)
    two.leave()


def test_the_gpus_are_those_cuda_may_see(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "DEVICES", tmp_path)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    assert lease.gpus() == []
    for name in ("nvidia0", "nvidia1", "nvidiactl"):
        (tmp_path / name).touch()
    assert lease.gpus() == ["0"]
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    assert lease.gpus() == ["0", "1"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    assert lease.gpus() == []


def full(queue: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Somebody who holds all threads of this machine."""
    pid, place = holder(queue, lease.Want("other", threads=10_000))
    assert place == 0
    return pid


@pytest.mark.slow
def test_a_run_waits_as_queued_with_its_place_and_begins_when_it_is_its_turn(
    queue: Path, iris_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = full(queue, monkeypatch)
    first, second = iris_run(), iris_run()
    start(first)
    start(second)
    view = until(second, lambda view: "number 2" in view.message)
    assert view.state == "queued"
    assert view.message == "Waits for a free processor: number 2 in the queue of this machine."
    assert not (second / "status.json").exists()  # no torch is imported for a run that waits
    end(other)
    assert until(first, ended).state == "finished"
    assert until(second, ended).state == "finished"
    assert not (second / "place.json").exists()


@pytest.mark.slow
def test_a_queued_run_can_be_stopped_and_resumed_and_those_behind_move_up(
    queue: Path, iris_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = full(queue, monkeypatch)
    first, second = iris_run(), iris_run()
    start(first)
    start(second)
    until(second, lambda view: "number 2" in view.message)
    control.stop(first)
    assert wait(first, 10)
    view = view_run(first)
    assert (view.state, view.resumable) == ("stopped", True)
    assert view.message == "It was stopped before its turn in the queue came."
    until(second, lambda view: "next in the queue" in view.message)
    resume(first)
    until(first, lambda view: "number 2" in view.message)
    end(other)
    assert until(first, ended).state == "finished"
    assert until(second, ended).state == "finished"


@pytest.mark.slow
def test_a_pause_of_a_queued_run_can_be_taken_back(
    queue: Path, iris_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = full(queue, monkeypatch)
    run_dir = iris_run()
    start(run_dir)
    until(run_dir, lambda view: "next in the queue" in view.message)
    with pytest.raises(control.RunError, match="is running already"):
        resume(run_dir)
    control.pause(run_dir)
    resume(run_dir)
    end(other)
    assert until(run_dir, ended).state == "finished"


@pytest.mark.slow
def test_a_spare_leaves_a_run_that_must_wait_to_the_queue(
    queue: Path, iris_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = full(queue, monkeypatch)
    spare.warm()
    run_dir = iris_run()
    start(run_dir)
    until(run_dir, lambda view: "next in the queue" in view.message)
    assert "worker" not in json.loads((run_dir / "proc.json").read_text())
    end(other)
    assert until(run_dir, ended).state == "finished"


@pytest.mark.slow
def test_a_class_that_presses_train_at_once_is_served_in_turn(queue: Path, iris_run: Make) -> None:
    runs = [iris_run() for _ in range(12)]
    for run_dir in runs:
        start(run_dir)
    busiest = 0
    while not all(ended(view_run(run_dir)) for run_dir in runs):
        working = [r for r in runs if "worker" in (json.loads((r / "proc.json").read_text()))
                   and not (r / "exit.json").exists()]  # fmt: skip
        busiest = max(busiest, len(working))
    assert 0 < busiest <= lease.threads()
    assert {view_run(run_dir).state for run_dir in runs} == {"finished"}
    begun = [(r / "status.json").stat().st_mtime for r in runs]
    assert begun.index(min(begun)) < lease.threads()
