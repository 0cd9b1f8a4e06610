"""Grading: each hand-in has its own row, whatever the others are, and the same again."""

import csv
import io
import json
import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.analyse import analyse_project
from core.project import write_text
from core.wings.classroom import sandbox
from core.wings.classroom.grade import LARGEST, GradedHandIn, files_of, grade
from core.wings.classroom.judge import source_sha256
from core.wings.classroom.model import GradedLine
from core.wings.classroom.tables import grades_csv, grades_json, gradescope
from tests.wings.classroom.hand_ins import (
    GRADING,
    IRIS,
    TASK,
    hand_in,
    in_here,
    run_of,
    with_python,
)

GATE = """class Gate(nn.Module):
    def forward(self, x):
        return x
"""
NAMED = "It has own Python: Gate. --trust runs it, once you have read it."


@pytest.fixture(autouse=True)
def without_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "check", in_here)


def rows_of(folder: Path) -> list[GradedHandIn]:
    return list(grade(GRADING, files_of([folder])).rows)


def test_good_broken_and_hostile_hand_ins_have_a_row_each_and_the_same_again(tmp_path) -> None:
    (tmp_path / "ada.handin.json").write_text(hand_in())
    (tmp_path / "bad.loom.json").write_text("{")
    (tmp_path / "deep.loom.json").write_text("[" * 10_000)
    (tmp_path / "link.loom.json").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "pipe.loom.json")
    with (tmp_path / "vast.loom.json").open("wb") as vast:
        vast.truncate(LARGEST + 1)
    (tmp_path / "words.txt").write_text("my network")
    rows = rows_of(tmp_path)
    assert [(row.file, row.points) for row in rows] == [
        ("ada.handin.json", 7),
        ("bad.loom.json", 0),
        ("deep.loom.json", 0),
        ("link.loom.json", 0),
        ("pipe.loom.json", 0),
        ("vast.loom.json", 0),
        ("words.txt", 0),
    ]
    assert [row.problem.partition(".")[0] for row in rows[3:6]] == [
        "It is a link or no file at all, so it is not opened",
        "It is a link or no file at all, so it is not opened",
        "It has 210 MB; a hand-in has at most 210 MB",
    ]
    assert rows[2].problem.startswith("deep.loom.json: line 1, column 65 is nested more than 64")
    assert [len(row.lines) for row in rows] == [3] * 7
    assert rows_of(tmp_path) == rows


def test_partial_credit_has_a_reason_in_its_line(tmp_path) -> None:
    wide = IRIS.graph.nodes["fc1"]
    nodes = {**IRIS.graph.nodes, "fc1": replace(wide, settings={"out_features": 64})}
    project = replace(IRIS, graph=replace(IRIS.graph, nodes=nodes))
    (tmp_path / "ben.loom.json").write_text(write_text(project))
    lines = rows_of(tmp_path)[0].lines
    assert [(line.points, line.of) for line in lines] == [(2, 2), (0, 1), (4, 4)]
    assert lines[1].reason == "Now 1,411."
    assert lines[2].reason.startswith("accuracy: 9")


def test_own_python_is_named_and_not_run(tmp_path) -> None:
    (tmp_path / "own.loom.json").write_text(with_python(GATE))
    row = rows_of(tmp_path)[0]
    assert (row.points, row.own_python) == (0, ("Gate",))
    assert row.notes == (NAMED,)
    assert row.lines[0].reason == "Own Python was not run: Gate."


def test_own_python_earns_its_points_where_the_teacher_trusts_it(tmp_path) -> None:
    (tmp_path / "own.loom.json").write_text(with_python(GATE))
    trusting = replace(GRADING, trust=True)
    row = grade(trusting, files_of([tmp_path])).rows[0]
    assert (row.points, row.notes) == (7, (NAMED,))


def test_another_task_a_name_used_twice_and_a_late_file_are_noted(tmp_path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.handin.json").write_text(hand_in(task="Digits"))
    os.utime(tmp_path / "two.handin.json", (0, 2_000_000_000))
    until = datetime(2030, 1, 1, tzinfo=UTC)
    late = replace(GRADING, task=replace(TASK, until=until, times=1))
    one, two = grade(late, files_of([tmp_path])).rows
    assert one.notes == (
        "It was handed in for the task “Digits”.",
        "2 hand-ins have this name, and the task allows 1.",
    )
    late = "Late: the file is of 2033-05-18 03:33, and the task ended 2030-01-01 00:00."
    assert two.notes[0] == late


def test_figures_of_a_run_count_for_the_drawing_that_it_trained_alone(tmp_path) -> None:
    from core.claims import Check
    from core.wings.classroom import Requirement

    asked = Requirement(Check("run_reaches", {"metric": "val_accuracy", "at_least": 0.9}), 1)
    grading = replace(GRADING, task=replace(TASK, requirements=(asked,)), key=None)
    mine = source_sha256(analyse_project(IRIS).source)
    for name, source in (("mine", mine), ("theirs", "0" * 64)):
        run = run_of(source, val_accuracy=0.97)
        (tmp_path / f"{name}.handin.json").write_text(hand_in(run=run))
    found = [row.lines[0] for row in grade(grading, files_of([tmp_path])).rows]
    assert [(line.points, line.reason) for line in found] == [
        (1, "validation accuracy: 97%. As handed in, not trained again."),
        (0, "The run that was handed in trained another drawing."),
    ]


def test_what_took_too_long_keeps_the_lines_before_it(tmp_path, monkeypatch) -> None:
    def killed(module, request, limits, stop):
        answer = in_here(module, request, limits, stop)
        return {**answer, "lines": answer["lines"][:2], "problem": "It took more than 120 s."}

    monkeypatch.setattr(sandbox, "check", killed)
    (tmp_path / "slow.loom.json").write_text(write_text(IRIS))
    lines = rows_of(tmp_path)[0].lines
    assert [(line.points, line.reason) for line in lines] == [
        (2, ""),
        (1, "Now 403."),
        (0, "It took more than 120 s."),
    ]


def test_folders_of_students_are_read_and_what_is_not_theirs_is_left_out(tmp_path) -> None:
    for name in (
        "ada/a.loom.json",
        ".git/b.loom.json",
        "__MACOSX/c.json",
        "x.task.json",
        "out.csv",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}")
    assert [name for _, name in files_of([tmp_path], [tmp_path / "out.csv"])] == ["ada/a.loom.json"]


HOSTILE = GradedHandIn(
    "=cmd|'/C calc'!A1.loom.json",
    "\x1b[2J+Eve",
    (GradedLine("It outputs (N, 3).", 0, 2, "-1"),),
    problem="@SUM(A1)",
)


def test_no_cell_of_the_table_is_a_formula_or_commands_a_terminal() -> None:
    from core.wings.classroom.grade import Grades

    text = grades_csv(TASK, Grades((HOSTILE,), ()))
    cells = list(csv.reader(io.StringIO(text)))[1]
    assert cells[:2] == ["\\x1b[2J+Eve", "'=cmd|'/C calc'!A1.loom.json"]
    assert cells[5] == "'@SUM(A1)"
    assert "\x1b" not in text


def test_gradescope_and_json_have_each_line_with_its_reason() -> None:
    from core.wings.classroom.grade import Grades

    row = replace(HOSTILE, student="Eve", problem="", notes=("Late.",))
    assert gradescope(row) == {
        "score": 0,
        "output": "Late.",
        "tests": [
            {
                "name": "It outputs (N, 3).",
                "score": 0,
                "max_score": 2,
                "status": "failed",
                "output": "-1",
            }
        ],
    }
    document = grades_json(TASK, Grades((row,), ()), "limits")
    assert json.loads(json.dumps(document))["rows"][0]["lines"][0]["reason"] == "-1"
