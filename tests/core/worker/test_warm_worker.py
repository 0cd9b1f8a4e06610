"""A run begins at once in a spare that has torch imported, and nothing else changes by it."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

from core.engine.load_module import load_module
from core.runs.listing import read_metrics, view_run
from core.worker import main as worker
from core.worker import supervisor, warm_worker, warm_worker_host
from core.worker.launch import start
from core.worker.machine import machine_folder
from tests.core.small_runs import ended, light_spares, until, warmed

Make = Callable[..., Path]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home of its own, whose spare is gone afterwards."""
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("LAYERLOOM_SPARE")
    folder = machine_folder()
    assert folder is not None
    yield folder
    warm_worker.stop()


@pytest.fixture
def light(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The command of spares that import nothing ahead: one test tells of those that do."""
    return light_spares(monkeypatch)


def wait_for(good: Callable[[], object], timeout_s: float = 800.0) -> None:
    """Wait long: a spare imports torch behind everybody's work, and there may be much of that."""
    deadline = time.monotonic() + timeout_s
    while not good():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def processes(home: Path) -> list[int]:
    """Spares of this home, and their supervisors."""
    found: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command, env = (folder / "cmdline").read_bytes(), (folder / "environ").read_bytes()
        except OSError:
            continue
        ours = str(home.parents[1]).encode() in env + command
        if ours and (b"--spare" in command or b"host.py" in command):
            found.append(int(folder.name))
    return found


def worker_of(run_dir: Path) -> int:
    return json.loads((run_dir / "proc.json").read_text())["worker"]["pid"]


@pytest.mark.alone
@pytest.mark.gate
def test_a_run_takes_the_spare_and_ends_with_the_weights_of_a_cold_run(
    home: Path, small_run: Make
) -> None:
    cold, warm = small_run(), small_run()
    start(cold)
    assert until(cold, ended).state == "finished"
    warm_worker.warm()
    wait_for(warm_worker.ready)
    waiting = processes(home)
    start(warm)
    assert worker_of(warm) in waiting
    assert not warm_worker.ready()
    view = until(warm, ended)
    assert (view.state, view.attempt) == ("finished", 1)
    assert json.loads((warm / "exit.json").read_text())["code"] == 0
    expected, found = (load_module(run, "last").state_dict() for run in (cold, warm))
    assert all(torch.equal(expected[name], found[name]) for name in expected)
    losses = [[v for r in read_metrics(run)[0] for v in r.get("loss", [])] for run in (cold, warm)]
    assert losses[0] == losses[1]
    wait_for(lambda: not processes(home))


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.usefixtures("light")
def test_a_spare_is_used_once_and_another_may_be_warmed_beside_the_run(
    home: Path, iris_run: Make
) -> None:
    warm_worker.warm()
    wait_for(warm_worker.ready)
    first, second = iris_run(epochs=100_000), iris_run()
    start(first)
    until(first, lambda view: view.step > 0)
    warm_worker.warm()
    wait_for(warm_worker.ready)
    start(second)
    assert worker_of(first) != worker_of(second)
    assert until(second, ended).state == "finished"
    assert view_run(first).state == "running"
    control_stop(first)


def control_stop(run_dir: Path) -> None:
    from core.worker.launch import stop

    stop(run_dir, grace_s=20)


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.usefixtures("light")
def test_warming_twice_makes_one_spare(home: Path) -> None:
    for _ in range(3):
        warm_worker.warm()
    warmed()
    wait_for(warm_worker.ready)
    assert len(processes(home)) == 2  # a supervisor and its worker


def test_no_spare_is_made_where_the_environment_says_so(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAYERLOOM_SPARE", "0")
    warmed()
    assert processes(home) == []


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.usefixtures("light")
def test_a_spare_goes_when_nobody_has_asked_for_it_any_more(home: Path) -> None:
    warmed(idle_s=1.0)
    assert len(list(home.glob("*.lock"))) == 1  # there was one
    wait_for(lambda: not processes(home))
    assert not list(home.glob("*.sock"))


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.usefixtures("light")
def test_whoever_asks_for_a_shorter_time_sends_no_spare_of_others_away(home: Path) -> None:
    warmed()
    warm_worker.warm(idle_s=0.0)
    wait_for(warm_worker.ready)
    time.sleep(2 * warm_worker_host.LOOK_S)  # after this it would have gone
    assert warm_worker.ready()


@pytest.mark.alone
@pytest.mark.slow
def test_a_spare_goes_with_the_process_that_wanted_it(home: Path, light: list[str]) -> None:
    code = "import time; from core.worker import warm_worker; "
    code += f"warm_worker.worker_command = lambda _: {light}"
    code += "\nwarm_worker.warm()\nwhile not warm_worker.ready(): "
    code += "time.sleep(0.05)\nimport os; os.kill(os.getpid(), 9)"
    done = subprocess.run([sys.executable, "-c", code], cwd=warm_worker.ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    wait_for(lambda: not processes(home))


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.usefixtures("light")
def test_a_spare_whose_supervisor_was_killed_goes_and_a_run_starts_cold(
    home: Path, iris_run: Make
) -> None:
    warm_worker.warm()
    wait_for(warm_worker.ready)
    worker, host = both(home)
    assert parent_of(worker) == host
    os.kill(host, signal.SIGKILL)
    wait_for(lambda: not processes(home))
    run_dir = iris_run()
    start(run_dir)
    assert until(run_dir, ended).state == "finished"


def both(home: Path) -> tuple[int, int]:
    """The worker, whose command ends in `--spare`, and its supervisor."""
    one, other = processes(home)
    words = Path(f"/proc/{one}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    return (one, other) if words[-1] == b"--spare" else (other, one)


def stat_of(pid: int) -> list[str]:
    """State, parent and what else the system tells of a process."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def parent_of(pid: int) -> int:
    return int(stat_of(pid)[1])


def gone(pid: int) -> bool:
    """Whether a process has ended, though nobody may have asked how."""
    return not Path(f"/proc/{pid}").exists() or stat_of(pid)[0] == "Z"


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.usefixtures("light")
def test_a_spare_that_died_while_idle_does_not_take_a_run_with_it(
    home: Path, iris_run: Make
) -> None:
    warm_worker.warm()
    wait_for(warm_worker.ready)
    worker, _ = both(home)
    os.kill(worker, signal.SIGKILL)
    wait_for(lambda: gone(worker))
    run_dir = iris_run()
    start(run_dir)
    assert until(run_dir, ended).state == "finished"


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.usefixtures("light")
def test_a_spare_with_code_of_yesterday_is_not_used(
    home: Path, iris_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    warm_worker.warm()
    wait_for(warm_worker.ready)
    waiting = processes(home)
    with monkeypatch.context() as patch:
        patch.setattr(warm_worker, "_name", lambda: "spare-after-an-update")
        run_dir = iris_run()
        start(run_dir)
        assert worker_of(run_dir) not in waiting
        assert until(run_dir, ended).state == "finished"


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.usefixtures("light")
def test_a_spare_refuses_a_run_that_has_a_process(home: Path, iris_run: Make) -> None:
    run_dir = iris_run(epochs=100_000)
    start(run_dir)
    warm_worker.warm()
    wait_for(warm_worker.ready)
    job = {"run_dir": str(run_dir), "command": [], "queue": "", "threads": 1, "gpu": False}
    assert warm_worker.claim(job) == supervisor.BUSY
    assert warm_worker.ready()
    control_stop(run_dir)


@pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere threads have no priority of their own"
)
def test_a_spare_is_made_behind_everybody_s_work_and_its_run_is_not_held_back():
    before, seen = os.getpriority(os.PRIO_PROCESS, 0), []
    mine = os.PRIO_PROCESS
    worker.lower_priority(lambda: seen.append(os.getpriority(mine, threading.get_native_id())))
    assert seen == [max(before, 10)]
    assert os.getpriority(os.PRIO_PROCESS, 0) == before
