"""A spare that dies before it has taken up its run costs nothing: the run begins cold instead."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.runs.files import read_json
from core.runs.listing import read_metrics
from core.worker import supervisor, warm_worker
from core.worker.launch import start
from tests.core.small_runs import ended, light_spares, until, warmed

Make = Callable[..., Path]


@pytest.fixture
def killed_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Have a spare ready that will be killed in place of a step."""
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("LAYERLOOM_SPARE")

    def make(step: str) -> None:
        light_spares(monkeypatch, step)
        warmed()
        assert warm_worker._ask({"ask": "ready"}) is not None

    yield make
    warm_worker.stop()


@pytest.mark.alone
@pytest.mark.slow
def test_a_run_whose_spare_is_killed_before_it_takes_it_up_begins_cold(
    killed_at: Callable[[str], None], iris_run: Make
) -> None:
    killed_at("take_up")
    run_dir = iris_run()
    start(run_dir)
    view = until(run_dir, ended)
    assert (view.state, view.attempt, view.message) == ("finished", 1, "")
    assert read_json(run_dir / "exit.json")["code"] == 0
    steps = [s for r in read_metrics(run_dir)[0] if r["kind"] == "step" for s in r["step"]]
    assert steps == list(range(1, view.steps + 1))


def test_a_spare_killed_after_it_took_up_the_run_is_a_crash_and_nothing_begins_twice(
    killed_at: Callable[[str], None], iris_run: Make
) -> None:
    killed_at("main")
    run_dir = iris_run()
    start(run_dir)
    view = until(run_dir, ended)
    assert (view.state, view.resumable) == ("crashed", True)
    assert "was killed (signal 9)" in view.message


@pytest.fixture
def handlers() -> Iterator[None]:
    """What signals do in this process, as before."""
    before = {number: signal.getsignal(number) for number in supervisor.SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def supervised(run_dir: Path, tell: Callable[[], Any], code: str = "") -> bool:
    """Supervise a spare that runs `code` and never begins; whether a cold worker was started."""
    mark = run_dir / "cold"
    job = {"run_dir": str(run_dir), "command": ["touch", str(mark)], "queue": "", "attempt": 1}
    lost = [sys.executable, "-I", "-S", "-c", code]
    supervisor.supervise(job, lambda _: subprocess.Popen(lost, stdout=subprocess.PIPE), tell)
    return mark.exists()


@pytest.mark.usefixtures("handlers")
@pytest.mark.parametrize(("want", "cold"), [("run", True), ("pause", True), ("stop", False)])
def test_a_run_that_is_to_stop_is_not_begun_cold(tmp_path: Path, want: str, cold: bool) -> None:
    (tmp_path / "control.json").write_text(json.dumps({"want": want}))
    told: list[int] = []
    assert supervised(tmp_path, lambda: told.append(1)) is cold
    assert told == [1]  # whoever started it hears of it once
    assert read_json(tmp_path / "exit.json")["code"] == 0


@pytest.mark.usefixtures("handlers")
def test_a_spare_that_was_told_to_end_before_it_began_is_not_replaced(tmp_path: Path) -> None:
    end = lambda: os.kill(os.getpid(), signal.SIGTERM)  # noqa: E731
    assert not supervised(tmp_path, end, "import signal; signal.pause()")
    assert read_json(tmp_path / "exit.json")["signal"] == signal.SIGTERM


@pytest.mark.usefixtures("handlers")
def test_the_worker_that_is_told_of_is_the_cold_one(tmp_path: Path) -> None:
    seen: list[Any] = []
    supervised(tmp_path, lambda: seen.append(read_json(tmp_path / "proc.json")["worker"]))
    assert read_json(tmp_path / "proc.json")["worker"] not in seen
