"""A workbench for each account, in real processes, behind the front door."""

import json
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path

import pytest

from core.wings.class_server import roster
from core.wings.class_server.seats import ClassRules, Seats
from core.worker import child_process

WAITS = "tests.wings.class_server.waiting_seat"


@pytest.fixture
def seats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(child_process, "module", lambda name, *words: [*command(name), *words])
    seats = Seats(tmp_path, WAITS, ClassRules(seats=2, quota=5, runs=3))
    yield seats
    seats.close()


def command(name: str) -> list[str]:
    return [sys.executable, str(Path(__file__).parents[3] / f"{name.replace('.', '/')}.py")]


def told(seats: Seats, name: str, teacher: bool = False) -> dict[str, str]:
    """What the workbench of an account was started with."""
    seat = seats.take(name, teacher)
    with urllib.request.urlopen(f"http://127.0.0.1:{seat.port}/") as answer:
        return json.load(answer)


@pytest.mark.alone
def test_each_account_has_folders_a_token_and_limits_of_its_own(
    seats: Seats, tmp_path: Path
) -> None:
    ann, teach = told(seats, "ann"), told(seats, "teach", teacher=True)
    assert ann["LAYERLOOM_WORKSPACE"] == str(tmp_path / "work" / "ann")
    assert ann["LAYERLOOM_HOME"] == str(tmp_path / "state" / "ann")
    assert ann["LAYERLOOM_QUEUE"] == teach["LAYERLOOM_QUEUE"] == str(tmp_path / "queue")
    assert ann["LAYERLOOM_TOKEN"] != teach["LAYERLOOM_TOKEN"]
    assert [ann[n] for n in ("LAYERLOOM_PYTHON", "LAYERLOOM_QUOTA", "LAYERLOOM_MOST_RUNS")] == [
        "off", "5", "3",
    ]  # fmt: skip
    assert "LAYERLOOM_PYTHON" not in teach
    assert "LAYERLOOM_QUOTA" not in teach
    assert seats.take("ann", teacher=False).process.pid == int(ann["pid"])
    for folder in ("work/ann", "state/ann"):
        assert (tmp_path / folder).stat().st_mode & 0o077 == 0


@pytest.mark.alone
def test_one_that_was_killed_starts_again_and_one_that_nobody_looks_at_ends(seats: Seats) -> None:
    first = seats.take("ann", teacher=False)
    first.process.kill()
    first.process.wait()
    second = seats.take("ann", teacher=False)
    assert second.process.pid != first.process.pid
    second.used -= seats.rules.idle_s + 1
    second.channels = 1
    seats.end_idle()
    assert second.process.poll() is None
    second.channels = 0
    seats.end_idle()
    assert second.process.poll() is not None
    assert seats.running() == {}


@pytest.mark.alone
@pytest.mark.slow
def test_a_student_logs_in_to_a_real_workbench_which_ends_with_its_killed_server(
    tmp_path: Path,
) -> None:
    password = roster.add(tmp_path / "c", ["ann"])["ann"]
    server = child_process.start(
        child_process.module("app.cli", "class", "serve", str(tmp_path / "c")),
        stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        address = re.search(r"http://\S+", server.stdout.readline())[0]
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        form = urllib.parse.urlencode({"name": "ann", "password": password}).encode()
        page = browser.open(f"{address}login", form)
        assert page.url == f"{address}class/ann/"
        assert b"<title>" in page.read()
        assert browser.open(f"{address}class/ann/_stcore/health").read() == b"ok"
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(f"{address}class/ann/_stcore/health")
        server.send_signal(signal.SIGKILL)
        # the workbench holds the other end of this pipe until it has ended
        server.stdout.read()
    finally:
        server.kill()
        server.wait()
