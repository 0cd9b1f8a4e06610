"""The process of a hand-in: its limits hold, and what it does to itself costs its own row."""

import errno
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from core.project import write_text
from core.wings.classroom import sandbox
from core.wings.classroom.grade import files_of, grade
from core.wings.classroom.sandbox import SandboxLimits, in_force, without_network
from core.worker import child_process
from tests.wings.classroom.hand_ins import GRADING, IRIS, hand_in, with_python

CONNECTS = "import socket; socket.create_connection(('127.0.0.1', {port}), 2)"
BODY = """class Gate(nn.Module):
    def forward(self, x):
        {}
        return x
"""
LOOP = "while True: pass"


def test_a_process_without_network_reaches_no_server_of_this_machine() -> None:
    import socket

    if not without_network():
        pytest.skip("this system lets nobody start a process without a network")
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = CONNECTS.format(port=server.getsockname()[1])
        free = child_process.run([sys.executable, "-c", code])
        held = child_process.run([*without_network(), sys.executable, "-c", code])
    assert free.returncode == 0
    assert held.returncode == 1
    assert b"OSError" in held.stderr or b"unreachable" in held.stderr or b"refused" in held.stderr


def test_what_is_in_force_is_said(monkeypatch) -> None:
    monkeypatch.setattr(sandbox, "without_network", lambda: ())
    assert in_force(SandboxLimits(30, 2_000_000_000), trust=False) == (
        "Each hand-in is checked in a process of its own: at most 30 s of computing and 2 GB of "
        "memory, the network is not blocked on this system, own Python does not run."
    )


LINE = {"text": "t", "points": 1, "of": 1, "reason": "", "judged": True}
ANSWER = {"lines": [LINE], "problem": "", "done": True}
UNREADABLE = "Its answer cannot be read."
WRITTEN = {
    "cut": (json.dumps(ANSWER)[:-5], UNREADABLE),
    "a list": ("[]", UNREADABLE),
    "no lines": ('{"problem": "", "done": true}', UNREADABLE),
    "points in words": (json.dumps({**ANSWER, "lines": [{**LINE, "points": "9"}]}), UNREADABLE),
    "half a line": (json.dumps({**ANSWER, "lines": [{"text": "t"}]}), UNREADABLE),
    "a key more": (json.dumps({**ANSWER, "grade": 1}), UNREADABLE),
    "labels in words": (json.dumps({**ANSWER, "labels": {"a": "b"}}), UNREADABLE),
    "too large": (
        json.dumps({**ANSWER, "problem": "x" * (4 << 20)}),
        "What was checked of it takes more than 4 MB: it is too large.",
    ),
    "whole": (json.dumps(ANSWER), ""),
    "nothing": ("", UNREADABLE),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_an_answer_that_is_none_costs_its_own_row(name: str, tmp_path: Path) -> None:
    text, problem = WRITTEN[name]
    (tmp_path / "answer.json").write_text(text)
    found = sandbox._answer(tmp_path / "answer.json", 0, SandboxLimits())
    assert (found["problem"], len(found["lines"])) == (problem, 0 if problem else 1)


def test_an_answer_that_is_a_pipe_is_none(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "answer.json")
    found = sandbox._answer(tmp_path / "answer.json", 0, SandboxLimits())
    assert found["problem"] == "Its process ended before it had an answer (status 0)."


def test_a_full_disk_costs_the_rows_that_it_stops(tmp_path: Path, monkeypatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "ada.handin.json").write_text(hand_in())
    monkeypatch.setattr(sandbox, "check", full)
    row = grade(GRADING, files_of([tmp_path])).rows[0]
    assert row.problem == "It could not be checked: No space left on device."


@pytest.mark.gate
def test_a_hand_in_in_a_process_of_its_own_has_all_its_points(tmp_path: Path) -> None:
    (tmp_path / "ada.handin.json").write_text(hand_in())
    row = grade(GRADING, files_of([tmp_path])).rows[0]
    assert (row.student, row.points, row.problem) == ("Ada", 7, "")


@pytest.mark.slow
def test_hand_ins_that_loop_fill_memory_or_leave_cost_their_own_row(tmp_path: Path) -> None:
    texts = {
        "ada": write_text(IRIS),
        "greedy": with_python(BODY.format("torch.ones(1 << 40)")),
        "loops": with_python(BODY.format(LOOP)),
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.loom.json").write_text(text)
    grading = replace(GRADING, trust=True, limits=SandboxLimits(12, 1_000_000_000))
    ada, greedy, loops = grade(grading, files_of([tmp_path])).rows
    assert (ada.points, ada.problem) == (7, "")
    assert (loops.points, loops.problem) == (0, "It took more than 12 s of computing.")
    assert greedy.points == 0
