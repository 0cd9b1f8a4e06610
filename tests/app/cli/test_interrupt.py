"""Ctrl-C in two steps: the first asks, the second ends a command whatever it does then."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from app.cli import interrupt, watch_run
from core.runs.files import write_json
from core.worker import launch

ROOT = Path(__file__).parents[3]
READY = "print(1, flush=True)"
HANGS = {
    "a loop that passes over it": """
signal.signal(signal.SIGINT, lambda *_: None)
print(1, flush=True)
while True: pass
""",
    "a library that hangs": f"{READY}; ctypes.CDLL(None).pthread_mutex_lock(taken)",
    "a library that hangs and keeps the lock of Python": f"{READY}; sum(itertools.repeat(0))",
}
SCRIPT = """
import ctypes, itertools, signal
from app.cli import interrupt
taken = ctypes.create_string_buffer(64)
ctypes.CDLL(None).pthread_mutex_lock(taken)
interrupt.listen().wait()
"""


def catches_interrupts(pid: int) -> bool:
    """Whether a process still handles SIGINT itself."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    caught = next(line for line in lines if line.startswith("SigCgt"))
    return bool(int(caught.split()[1], 16) & 1 << signal.SIGINT - 1)


def stat_of(pid: int) -> list[str]:
    """What Linux says of the first thread of a process, from its state on."""
    return Path(f"/proc/{pid}/task/{pid}/stat").read_text().rpartition(")")[2].split()


def sleeps(pid: int) -> bool:
    """Whether the first thread of a process waits for something."""
    return stat_of(pid)[0] == "S"


def ticks(pid: int) -> int:
    """How long it has calculated, in hundredths of a second."""
    return int(stat_of(pid)[11])


@pytest.mark.gate
@pytest.mark.parametrize("hang", HANGS)
def test_the_second_ctrl_c_ends_a_command_whatever_it_does(hang: str) -> None:
    command = [sys.executable, "-c", SCRIPT + HANGS[hang]]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True) as child:
        assert child.stdout
        assert child.stderr
        assert child.stdout.read(1) == "1"
        before = ticks(child.pid)
        while not (sleeps(child.pid) or ticks(child.pid) > before + 5):  # it is in there
            os.sched_yield()
        child.send_signal(signal.SIGINT)
        if "keeps the lock" in hang:
            while catches_interrupts(child.pid):
                os.sched_yield()
        else:
            said = "Stopping... A second stop ends it within 10 seconds.\n"
            assert child.stderr.readline() == said
        child.send_signal(signal.SIGINT)
        said, status = child.stderr.read(), child.wait()
    if "keeps the lock" in hang:
        assert (status, said) == (-signal.SIGINT, "")
    else:
        assert (status, said) == (130, "It did not respond and was ended by a second stop.\n")


@pytest.mark.parametrize(
    ("requests", "ended_after"),
    [
        ([2, 2], [0]),
        ([interrupt.BEGIN, 2, 2], [interrupt.LIMIT_S]),
        (
            [interrupt.BEGIN, 2, 2, interrupt.END],
            [interrupt.LIMIT_S],
        ),  # as a server raises it again
        ([interrupt.BEGIN, 2, interrupt.END, 2], []),
        ([interrupt.BEGIN, interrupt.END, 2, 2], [0]),
    ],
)
def test_a_request_counts_by_who_attended_when_it_came(
    requests: list[int], ended_after: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Over(BaseException):
        pass

    limits: list[float] = []
    parts = iter([bytes(requests)])

    def read(*_: object) -> bytes:
        if part := next(parts, b""):
            return part
        raise Over

    monkeypatch.setattr(interrupt.os, "read", read)
    monkeypatch.setattr(interrupt, "_handlers", lambda: (lambda: None, lambda: None))
    monkeypatch.setattr(interrupt, "_left", threading.Event())
    monkeypatch.setattr(interrupt, "_end_after", limits.append)
    monkeypatch.setattr(interrupt, "_answer", lambda _: None)
    with pytest.raises(Over):
        interrupt._attend(0, threading.Event())
    assert limits == ended_after


def test_what_ends_a_run_is_not_cut_short_by_another_request() -> None:
    with interrupt.unheeded():
        signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_second_request_while_the_first_is_written_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls: list[bool] = []

    def stop(folder: Path) -> None:
        calls.append((folder / "control.json").exists())
        if len(calls) == 1:
            raise KeyboardInterrupt
        write_json(folder / "control.json", {"want": "stop"})

    monkeypatch.setattr(launch, "stop", stop)
    watch_run.stop(tmp_path)
    assert calls == [False, False, True]  # cut short, asked, ended
    assert capsys.readouterr().err.splitlines() == [
        "Stopping with a checkpoint... A second stop ends it within 10 seconds.",
        "Stopping now...",
    ]


def test_the_system_ends_nothing_that_attends_to_requests_itself() -> None:
    """However fast the second one comes: nothing would stop what the command follows."""
    script = (
        "from app.cli import interrupt\ninterrupt.listen().wait()\n"
        "with interrupt.attended(), interrupt.attended():\n"
        "    print(1, flush=True)\n"
        "    sum(range(10**12))\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdout=-1, text=True) as child:
        assert child.stdout
        assert child.stdout.read(1) == "1"
        for _ in range(3):
            child.send_signal(signal.SIGINT)
        still_catches = catches_interrupts(child.pid)
        child.kill()
    assert still_catches
