"""Workbenches that are forks of one parent: each its own account's, and nothing of another's."""

import os
import re
import signal
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.wings.class_server.cli import PARENT, SEAT
from core.wings.class_server.seats import ClassRules, Seats, memory
from core.worker import child_process, forking
from tests.wings.class_server.test_seats import WAITS, command, told

pytestmark = [
    pytest.mark.alone,
    pytest.mark.skipif(not forking.is_possible(), reason="this system has no such forks"),
]
WAITING_PARENT = "tests.wings.class_server.waiting_parent"


@pytest.fixture
def seats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Seats]:
    monkeypatch.setattr(child_process, "module", lambda name, *words: [*command(name), *words])
    seats = Seats(tmp_path, WAITS, ClassRules(seats=3, quota=5), WAITING_PARENT)
    yield seats
    seats.close()


def children(pid: int) -> list[int]:
    return [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def links(pid: int) -> set[str]:
    """The pipes and sockets that a process has open."""
    found = (str(each.readlink()) for each in Path(f"/proc/{pid}/fd").iterdir())
    return {each for each in found if each.startswith(("pipe:", "socket:"))}


def test_each_fork_has_folders_a_token_and_a_session_of_its_own(
    seats: Seats, tmp_path: Path
) -> None:
    ann, bob = told(seats, "ann"), told(seats, "bob")
    assert ann["LAYERLOOM_WORKSPACE"] == str(tmp_path / "work" / "ann")
    assert bob["LAYERLOOM_HOME"] == str(tmp_path / "state" / "bob")
    assert ann["LAYERLOOM_TOKEN"] != bob["LAYERLOOM_TOKEN"]
    assert ann["parent"] == bob["parent"] != str(os.getpid())
    assert Path(f"/proc/{ann['pid']}/cwd").readlink() == tmp_path / "work" / "ann"
    assert os.getsid(int(ann["pid"])) == int(ann["pid"])


def test_a_fork_has_no_line_to_another_nor_to_the_parent(seats: Seats) -> None:
    ann, bob = told(seats, "ann"), told(seats, "bob")
    common = links(int(ann["pid"])) & links(int(bob["pid"]))
    assert common <= links(int(ann["parent"]))  # what the server's own output goes to
    assert not [each for each in common if each.startswith("socket:")]


def test_a_parent_that_was_killed_is_replaced_and_nobody_is_turned_away(seats: Seats) -> None:
    ann = told(seats, "ann")
    os.kill(int(ann["parent"]), signal.SIGKILL)
    bob = told(seats, "bob")  # started afresh
    assert bob["parent"] == str(os.getpid())
    carl = told(seats, "carl")
    assert carl["parent"] not in (ann["parent"], str(os.getpid()))
    assert seats.take("ann", teacher=False).process.pid == int(ann["pid"])


def test_one_that_was_killed_starts_again(seats: Seats) -> None:
    first = seats.take("ann", teacher=False)
    first.process.kill()
    first.process.wait(60)
    assert told(seats, "ann")["pid"] != str(first.process.pid)


@pytest.mark.slow
def test_a_real_workbench_takes_less_than_a_tenth_of_one_that_starts_afresh(tmp_path: Path) -> None:
    """980 MB were what a workbench with its two helpers took for itself."""
    seats = Seats(tmp_path, SEAT, ClassRules(), PARENT)
    try:
        seat = seats.take("ann", teacher=False)
        request = urllib.request.Request(f"http://127.0.0.1:{seat.port}{seat.base}/_stcore/health")
        request.add_header("Authorization", f"Bearer {seat.token}")
        with urllib.request.urlopen(request, timeout=120) as answer:
            assert answer.read() == b"ok"
        assert 0 < memory(seat) < 98_000_000
    finally:
        seats.close()


@pytest.mark.slow
def test_the_parent_has_no_thread_of_torch_and_no_account(tmp_path: Path) -> None:
    """A fork has the one thread that forked it; settings that were read would be everybody's."""
    code = (
        "import os; from pathlib import Path; from app.wings.class_server import seat_parent; "
        "seat_parent.prepare(); from streamlit import config; import torch; "
        "names = [f.read_text().strip() for f in Path('/proc/self/task').glob('*/comm')]; "
        "print(sorted(set(names) - {'jemalloc_bg_thd'}), config._config_options, "
        "torch.cuda.is_initialized(), 'OPENBLAS_NUM_THREADS' in os.environ)"
    )
    environment = child_process.environment()
    environment.pop("OMP_NUM_THREADS", None)
    ended = child_process.run(
        [sys.executable, "-c", code], cwd=Path(__file__).parents[3], text=True
    )
    assert ended.returncode == 0, ended.stderr
    assert re.match(r"\['python[\d.]*'\] None False False", ended.stdout), ended.stdout
