"""Runs share a machine: first come, first served, whatever happens to those in front."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.files import home
from core.runs.listing import view_run
from core.worker import job_queue, launch, warm_worker
from core.worker.launch import resume, start, wait
from core.worker.machine import queue_folder
from tests.core.small_runs import ended, until, warmed
from tests.core.worker.ticket_holders import HOLDERS, end, holder

Make = Callable[..., Path]


@pytest.fixture
def queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A queue of its own."""
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("LAYERLOOM_SPARE")
    yield Path(queue_folder())
    warm_worker.stop()
    for pid in list(HOLDERS):
        end(pid)


def machine(monkeypatch: pytest.MonkeyPatch, threads: int, gpus: list[str]) -> None:
    monkeypatch.setattr(job_queue, "threads", lambda: threads)
    monkeypatch.setattr(job_queue, "gpus", lambda: gpus)


def test_threads_are_shared_and_the_first_in_line_is_served_first(
    queue: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine(monkeypatch, 4, [])
    one, place = holder(queue, job_queue.ResourceRequest("a", threads=3))
    assert place == 0
    two, place = holder(queue, job_queue.ResourceRequest("b", threads=2))
    assert place == 1
    three = job_queue.enqueue(queue, job_queue.ResourceRequest("c", threads=1))
    assert job_queue.position(three) == 2  # one thread is free, but others came before
    end(two)
    assert job_queue.position(three) == 0
    end(one)
    three.leave()
    four = job_queue.enqueue(queue, job_queue.ResourceRequest("d", threads=4))
    assert job_queue.position(four) == 0
    four.leave()
    assert list(queue.glob("*.json")) == []  # those of the dead are thrown away


def test_the_queue_and_the_rest_name_an_account_by_the_same_variable() -> None:
    assert job_queue.PERSON == home.PERSON  # the queue is of the standard library alone


def test_people_who_share_a_queue_take_turns(queue: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine(monkeypatch, 1, [])
    # reading a ticket of this process, as nobody else would, gives up its lock
    monkeypatch.setattr(job_queue, "_is_locked", lambda _: True)
    waiting: list[tuple[str, job_queue.Ticket]] = []

    def draw(*people: str) -> None:
        for person in people:
            monkeypatch.setenv(job_queue.PERSON, person)
            want = job_queue.ResourceRequest("", threads=1)
            waiting.append((person, job_queue.enqueue(queue, want)))

    def serve() -> str:
        served = next(each for each in waiting if job_queue.position(each[1]) == 0)
        served[1].leave()
        waiting.remove(served)
        return served[0]

    draw("ann", "ann", "ann", "ben", "ann", "cat", "ben")
    assert [serve() for _ in range(4)] == ["ann", "ben", "cat", "ann"]
    draw("cat", "dan")  # who comes later waits for nobody's third
    assert [serve() for _ in range(5)] == ["ben", "cat", "dan", "ann", "ann"]


def test_a_run_that_wants_more_threads_than_there_are_gets_all_of_them(
    queue: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine(monkeypatch, 2, [])
    one, place = holder(queue, job_queue.ResourceRequest("a", threads=64))
    assert place == 0
    _two, place = two = holder(queue, job_queue.ResourceRequest("b"))
    assert place == 1
    end(one)
    end(two[0])


def test_each_gpu_has_one_run_and_the_processor_is_another_queue(
    queue: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine(monkeypatch, 1, ["0", "1"])
    held = [holder(queue, job_queue.ResourceRequest(name, gpu=True)) for name in "abc"]
    assert [place for _, place in held] == [0, 0, 1]
    other, place = holder(queue, job_queue.ResourceRequest("d"))
    assert place == 0
    last = job_queue.enqueue(queue, job_queue.ResourceRequest("e", gpu=True))
    assert job_queue.position(last) == 2
    for pid in (held[1][0], held[2][0]):
        end(pid)
    assert job_queue.position(last) == 0
    assert last.gpu == "1"
    for pid in (held[0][0], other):
        end(pid)
    last.leave()


def test_a_paused_run_leaves_its_threads_to_others(
    queue: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    machine(monkeypatch, 1, [])
    one, place = holder(queue, job_queue.ResourceRequest(str(tmp_path)))
    assert place == 0
    two = job_queue.enqueue(queue, job_queue.ResourceRequest("b"))
    assert job_queue.position(two) == 1
    (tmp_path / "status.json").write_text('{"state": "paused"}')
    assert job_queue.position(two) == 0
    end(one)
    two.leave()


def paused(folder: Path, name: str, **more: bool) -> str:
    """The folder of a run that holds its network in memory and rests."""
    run_dir = folder / name
    run_dir.mkdir(exist_ok=True)
    (run_dir / "status.json").write_text(json.dumps({"state": "paused", **more}))
    return str(run_dir)


def test_a_paused_run_goes_on_when_there_are_threads_again_before_any_that_never_began(
    queue: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    machine(monkeypatch, 2, [])
    said: list[str] = []
    rests = paused(tmp_path, "rests")
    one, place = holder(queue, job_queue.ResourceRequest(rests, threads=2))
    assert place == 0
    two, place = holder(queue, job_queue.ResourceRequest("began meanwhile", threads=1))
    assert place == 0
    assert not job_queue.requeue(queue, rests, lambda: said.append("taken"))
    paused(tmp_path, "rests", waits=True)
    three = job_queue.enqueue(queue, job_queue.ResourceRequest("never began", threads=1))
    assert (
        job_queue.position(three) == 1
    )  # a thread is free, but the run that waits to go on needs it
    end(two)
    assert said == []
    assert job_queue.requeue(queue, rests, lambda: said.append("taken"))
    assert said == ["taken"]
    end(one)
    assert job_queue.position(three) == 0
    three.leave()


def test_of_two_that_wait_to_go_on_the_one_that_came_first_does(
    queue: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    machine(monkeypatch, 1, [])
    held = list[int]()
    for name in ("first", "second"):
        pid, place = holder(queue, job_queue.ResourceRequest(paused(tmp_path, name)))
        assert place == 0
        held.append(pid)
    for name in ("first", "second"):
        paused(tmp_path, name, waits=True)
    told: list[str] = []
    assert not job_queue.requeue(queue, str(tmp_path / "second"), lambda: told.append("second"))
    assert job_queue.requeue(queue, str(tmp_path / "first"), lambda: told.append("first"))
    assert told == ["first"]
    for pid in held:
        end(pid)


def test_a_run_outside_of_any_queue_goes_on_at_once(tmp_path: Path) -> None:
    told: list[str] = []
    assert job_queue.requeue(tmp_path / "none", "run", lambda: told.append("yes"))
    assert told == ["yes"]


@pytest.mark.alone
@pytest.mark.slow
def test_a_run_that_paused_says_that_it_waits_for_threads_and_goes_on_after_those_who_have_them(
    queue: Path, small_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_dir = small_run(epochs=5000)
    start(run_dir)
    until(run_dir, lambda view: view.step > 10)
    launch.pause(run_dir)
    step = until(run_dir, lambda view: view.state == "paused").step
    other = full(queue, monkeypatch)
    resume(run_dir)
    view = until(run_dir, lambda view: view.state == "queued")
    assert (
        view.message == "Waits for free processors: other processes took them while it was paused."
    )
    assert view.step == step
    launch.pause(run_dir)  # for as long as it waits it may be paused again
    until(run_dir, lambda view: view.state == "paused")
    resume(run_dir)
    until(run_dir, lambda view: view.state == "queued")
    end(other)
    assert until(run_dir, lambda view: view.step > step).state == "running"
    launch.stop(run_dir)
    assert until(run_dir, ended).state == "stopped"


def test_the_gpus_are_those_cuda_may_see(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_queue, "DEVICES", tmp_path)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    assert job_queue.gpus() == []
    for name in ("nvidia0", "nvidia1", "nvidiactl"):
        (tmp_path / name).touch()
    assert job_queue.gpus() == ["0"]
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    assert job_queue.gpus() == ["0", "1"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    assert job_queue.gpus() == []


def full(queue: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Somebody who holds all threads of this machine."""
    pid, place = holder(queue, job_queue.ResourceRequest("other", threads=10_000))
    assert place == 0
    return pid


@pytest.mark.alone
@pytest.mark.gate
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


@pytest.mark.alone
@pytest.mark.slow
def test_a_queued_run_can_be_stopped_and_resumed_and_those_behind_move_up(
    queue: Path, iris_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = full(queue, monkeypatch)
    first, second = iris_run(), iris_run()
    start(first)
    start(second)
    until(second, lambda view: "number 2" in view.message)
    launch.stop(first)
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


@pytest.mark.alone
@pytest.mark.slow
def test_a_pause_of_a_queued_run_can_be_taken_back(
    queue: Path, iris_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = full(queue, monkeypatch)
    run_dir = iris_run()
    start(run_dir)
    until(run_dir, lambda view: "next in the queue" in view.message)
    with pytest.raises(launch.RunError, match="is running already"):
        resume(run_dir)
    launch.pause(run_dir)
    resume(run_dir)
    end(other)
    assert until(run_dir, ended).state == "finished"


@pytest.mark.alone
@pytest.mark.slow
def test_a_spare_leaves_a_run_that_must_wait_to_the_queue(
    queue: Path, iris_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = full(queue, monkeypatch)
    warmed()
    run_dir = iris_run()
    start(run_dir)
    until(run_dir, lambda view: "next in the queue" in view.message)
    assert "worker" not in json.loads((run_dir / "proc.json").read_text())
    end(other)
    assert until(run_dir, ended).state == "finished"


@pytest.mark.alone
@pytest.mark.slow
def test_a_class_that_presses_train_at_once_is_served_in_turn(queue: Path, iris_run: Make) -> None:
    runs = [iris_run() for _ in range(min(12, 2 * job_queue.threads() + 1))]
    for run_dir in runs:
        start(run_dir)
    assert {until(run_dir, ended).state for run_dir in runs} == {"finished"}
    begun = [(r / "proc.json").stat().st_mtime_ns for r in runs]
    over = [(r / "exit.json").stat().st_mtime_ns for r in runs]
    working = [sum(b <= at < o for b, o in zip(begun, over, strict=True)) for at in begun]
    assert 0 < max(working) <= job_queue.threads()
    assert begun.index(min(begun)) < job_queue.threads()
