"""The worker processes: functions only, errors as one sentence, replaced when they die or hang."""

import os
import signal
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.process import pool
from app.process.pool import PoolError, WorkerProcess

pytestmark = pytest.mark.slow


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for(condition, seconds=600):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


@pytest.fixture(scope="module")
def worker():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "_prepare", os.getpid)  # else each new process imports torch
        worker = WorkerProcess("The test")
        yield worker
        worker.close()


def test_work_runs_in_another_process(worker):
    assert worker.submit(30, os.getpid) == worker.pid() != os.getpid()


def test_a_killed_worker_is_replaced(worker):
    before = worker.pid()
    os.kill(before, signal.SIGKILL)
    assert wait_for(lambda: not alive(before))
    with pytest.raises(PoolError, match="ended unexpectedly"):
        worker.submit(30, time.sleep, 1)  # the pool notices a moment after the kill
    assert worker.submit(60, os.getpid) != before


def test_a_call_over_its_time_is_ended_and_its_process_killed(worker, monkeypatch):
    before = worker.pid()
    monkeypatch.setattr(os, "getloadavg", lambda: (0.5, 0.5, 0.5))
    with pytest.raises(PoolError, match=r"took longer than 0\.2 s"):
        worker.submit(0.2, time.sleep, 60)
    assert worker.submit(60, os.getpid) != before
    assert wait_for(lambda: not alive(before))


def test_a_busy_machine_has_as_much_more_time_as_it_is_slower(worker, monkeypatch):
    cores = os.cpu_count() or 1
    monkeypatch.setattr(os, "getloadavg", lambda: (4.0 * cores, 0.0, 0.0))
    assert worker.submit(0.5, time.sleep, 0.9) is None
    with pytest.raises(PoolError, match=r"longer than 0\.4 s .* busy with other work") as error:
        worker.submit(0.1, time.sleep, 60)
    assert "smaller" not in error.value.hint
    monkeypatch.setattr(os, "getloadavg", lambda: (99.0 * cores, 0.0, 0.0))
    assert pool.busy() == 6


def test_a_call_that_waits_for_another_neither_runs_out_of_time_nor_ends_the_other(worker):
    before = worker.pid()
    with ThreadPoolExecutor(1) as another:
        long = another.submit(worker.submit, 60, time.sleep, 2.2)
        assert wait_for(lambda: worker._turn.locked())
        assert worker.submit(2, os.getpid) == before
        assert long.result() is None


def test_a_server_that_stops_ends_every_worker_amid_its_work(monkeypatch, tmp_path):
    monkeypatch.setattr(pool, "_prepare", os.getpid)
    monkeypatch.setattr(pool, "_every", weakref.WeakSet())  # not those of other tests
    busy = WorkerProcess("The import")
    with ThreadPoolExecutor(1) as aside:
        answer = aside.submit(busy.submit, 600, touch_and_sleep, tmp_path / "begun")
        assert wait_for((tmp_path / "begun").exists)
        before = busy.pid()
        pool.close()
        with pytest.raises(PoolError, match="The import ended unexpectedly"):
            answer.result(60)
    assert wait_for(lambda: not alive(before))


def touch_and_sleep(file):
    """Say that it has begun, and work for longer than anybody waits."""
    file.touch()
    time.sleep(600)


def test_an_exception_arrives_as_one_sentence(worker):
    with pytest.raises(PoolError) as error:
        worker.submit(30, int, "seven")
    assert error.value.message == "ValueError: invalid literal for int() with base 10: 'seven'"
    assert "Traceback" not in str(error.value)


def test_our_own_errors_keep_message_and_hint(worker):
    from core.project import read_text

    with pytest.raises(PoolError) as error:
        worker.submit(30, read_text, "{}")
    assert (
        error.value.message == 'needs "layerloom": 1 to be a Layerloom project but has none.'
        or (error.value.hint)
    )


@pytest.mark.parametrize(
    "name",
    [
        "os:system",
        "core.project",
        "core.project:__import__",
        "core..x:y",
        "core.project:read_text\n",
    ],
)
def test_a_text_names_no_work(worker, name):
    with pytest.raises(PoolError, match="TypeError: 'str' object is not callable"):
        worker.submit(30, name)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise GeneratorExit('no')", "GeneratorExit: no"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("class Odd(BaseException): pass\nraise Odd('no')", "Odd: no"),
        (r"raise ValueError('half \ud800')", r"ValueError: half \ud800"),
        (
            "class Odd(Exception):\n def __str__(self): raise GeneratorExit\nraise Odd",
            "Odd: the reason is unknown, as reading it raises GeneratorExit",
        ),
    ],
)
def test_whatever_is_raised_arrives_as_our_error_and_the_worker_lives_on(worker, code, message):
    before = worker.pid()
    with pytest.raises(PoolError) as error:
        worker.submit(30, exec, code)
    assert error.value.message == message
    assert worker.submit(30, os.getpid) == before
