"""Faults that are made for real: memory that runs out, zombies, buttons pressed in any order."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from core.analyse import analyse_project
from core.common.errors import RunError
from core.prepare.create import prepare
from core.runs import checkpoint
from core.runs.listing import read_metrics, view_run
from core.worker import launch, warm_worker
from core.worker.launch import resume, start
from tests.core.no_links import no_links
from tests.core.small_runs import ended, hold_workers, project, table_net, until

Make = Callable[..., Path]
GIB = 1 << 30


@pytest.mark.alone
@pytest.mark.slow
def test_a_worker_that_runs_out_of_memory_fails_alone_and_names_the_block(tmp_path: Path) -> None:
    hidden = 1_000_000  # 64 rows of it are 256 MB: a step needs several of those in 1 GiB
    found = project(table_net(4, 3, hidden), {"source": "iris"}, batch_size=64, threads=1)
    run_dir = prepare(found, analyse_project(found), tmp_path / "runs")
    code = (
        "import resource, sys, pathlib; from core.worker import main as worker;"
        f"resource.setrlimit(resource.RLIMIT_DATA, ({GIB}, {GIB}));"
        "worker.main(pathlib.Path(sys.argv[1]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(run_dir)],
        cwd=warm_worker.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    view = view_run(run_dir)
    assert view.state == "failed", done.stderr
    assert "Memory ran out at " in view.message
    assert "with a batch of 64 samples, requesting 256 MB more" in view.message
    assert view.hint == "Set batch_size to 32 or less."


def test_a_worker_that_is_a_zombie_is_dead_at_once(iris_run: Make) -> None:
    run_dir = iris_run()
    hold = (
        "import fcntl, sys; f = open(sys.argv[1], 'ab'); fcntl.lockf(f, fcntl.LOCK_EX);"
        "print(1, flush=True); input()"
    )
    child = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", hold, str(run_dir / "worker.lock")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    assert child.stdout.read(1) == b"1"
    (run_dir / "proc.json").write_text('{"attempt": 1}')
    assert launch.listing.alive(run_dir)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it has died, and nobody reaped it
    os.kill(child.pid, 0)  # a pid alone would say that it lives
    assert view_run(run_dir).state == "crashed"
    child.communicate()


@pytest.mark.alone
@pytest.mark.slow
def test_a_pause_that_nobody_holds_any_more_is_ended_by_stop(small_run: Make) -> None:
    run_dir = small_run(epochs=4000)
    start(run_dir)
    until(run_dir, lambda view: view.step > 0)
    launch.pause(run_dir)
    until(run_dir, lambda view: view.state == "paused")
    launch.kill(run_dir, signal.SIGKILL)
    assert launch.wait(run_dir)
    assert view_run(run_dir).state == "paused"  # its checkpoint is whole: nothing was lost
    launch.stop(run_dir)
    assert (view_run(run_dir).state, view_run(run_dir).resumable) == ("stopped", True)


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_buttons_pressed_in_any_order_leave_one_run_with_every_step_once(
    small_run: Make, seed: int
) -> None:
    run_dir = small_run(epochs=4000, checkpoint_every_s=0.0)
    rng = random.Random(seed)
    presses: dict[str, Callable[[], object]] = {
        "start": lambda: start(run_dir),
        "stop": lambda: launch.stop(run_dir),
        "pause": lambda: launch.pause(run_dir),
        "resume": lambda: resume(run_dir),
        "kill": lambda: launch.kill(run_dir, signal.SIGKILL),
    }
    start(run_dir)
    until(run_dir, lambda view: view.step > 0)
    for _ in range(14):
        name = rng.choice(list(presses))
        with contextlib.suppress(RunError):  # refused in a sentence; anything else fails here
            presses[name]()
        assert workers(run_dir) <= 1
        settle = rng.choice([0, 3, 20])
        at = view_run(run_dir).step
        until(run_dir, lambda view, end=at + settle: view.step >= end or view.state != "running")
    launch.stop(run_dir, grace_s=30)
    last = until(run_dir, ended)
    assert last.state in ("stopped", "crashed")
    if last.state == "crashed":
        assert "was killed (signal 9)" in last.message
    found = [s for r in read_metrics(run_dir)[0] if r["kind"] == "step" for s in r["step"]]
    assert found == list(range(1, len(found) + 1))
    assert workers(run_dir) == 0


def workers(run_dir: Path) -> int:
    """Living processes that train this run, by what /proc says they were started with."""
    count = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        count += b"core.worker.main" in command and str(run_dir).encode() in command
    return count


@pytest.mark.alone
@pytest.mark.slow
def test_a_signal_to_end_is_obeyed_within_ten_seconds_and_loses_no_step(small_run: Make) -> None:
    run_dir = small_run(epochs=5000, checkpoint_every_s=3600.0)
    start(run_dir)
    until(run_dir, lambda view: view.step > 20)
    launch.kill(run_dir, signal.SIGTERM)
    assert launch.wait(run_dir, 10)
    view = view_run(run_dir)
    assert view.state == "stopped"
    assert json.loads((run_dir / "exit.json").read_text())["code"] == 0
    assert json.loads((run_dir / "ckpt" / "manifest.json").read_text())["files"][-1]["step"] == (
        view.step
    )


@pytest.mark.alone
@pytest.mark.slow
def test_on_a_disk_that_is_full_for_real_the_old_checkpoint_and_whole_lines_survive(
    small_run: Make,
) -> None:
    run_dir = small_run(epochs=2)
    start(run_dir)
    assert until(run_dir, ended).state == "finished"
    spec = json.loads((run_dir / "spec.json").read_text())
    spec["training"] |= {"epochs": 6, "checkpoint_every_s": 0.0}
    (run_dir / "spec.json").write_text(json.dumps(spec))
    before = (run_dir / "ckpt" / "last.pt").read_bytes()
    code = (
        "import resource, sys, pathlib; from core.worker import main as worker;"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({len(before) // 2}, {len(before) // 2}));"
        "sys.exit(worker.main(pathlib.Path(sys.argv[1])))"
    )
    command = [sys.executable, "-c", code, str(run_dir)]
    done = subprocess.run(
        command, cwd=warm_worker.ROOT, capture_output=True, text=True, check=False
    )
    view = view_run(run_dir)
    assert done.returncode == 1, done.stderr
    assert view.message.startswith("The last checkpoint could not be written: ")
    assert view.hint == "Check the disk, then resume."
    assert (run_dir / "ckpt" / "last.pt").read_bytes() == before
    assert not list((run_dir / "ckpt").glob(".*.tmp"))
    assert (run_dir / "metrics.jsonl").read_bytes().endswith(b"\n")
    resume(run_dir)
    assert until(run_dir, ended).state == "finished"


@pytest.mark.slow
def test_a_run_on_a_disk_without_hard_links_is_killed_and_ends_with_the_same_bits(
    tmp_path: Path, small_run: Make
) -> None:
    whole, broken = small_run(epochs=3), small_run(epochs=3, checkpoint_every_s=0.0)
    with no_links(tmp_path):
        with pytest.MonkeyPatch.context() as patch:
            hold_workers(patch, 40)
            start(broken)
        assert until(broken, ended).state == "crashed"
        for begin, run_dir in ((resume, broken), (start, whole)):
            begin(run_dir)
            assert until(run_dir, ended).state == "finished"
    assert checkpoint.intact(broken) == ["last", "previous", "best"]
    mine, theirs = (checkpoint.load(run_dir, "last")["model"] for run_dir in (broken, whole))
    assert all(torch.equal(mine[name], value) for name, value in theirs.items())
