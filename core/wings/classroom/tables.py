"""Grades as other programs read them: JSON, CSV for a spreadsheet or an LMS, Gradescope's JSON."""

import csv
import io
from typing import Any

from core.common.escaping import spreadsheet
from core.wings.classroom.grade import GradedHandIn, Grades
from core.wings.classroom.model import ClassTask, GradedLine


def grades_json(task: ClassTask, grades: Grades, limits: str) -> dict[str, Any]:
    """The grades as one JSON document; the same for the same hand-ins."""
    rows = grades.rows
    return {
        "ok": True,
        "task": task.title,
        "of": task.points,
        "limits": limits,
        "rows": [_row_json(task, row) for row in rows],
        "alike": [
            {"files": [rows[p.first].file, rows[p.second].file], "similarity": p.similarity}
            for p in grades.pairs
        ],
    }


def _row_json(task: ClassTask, row: GradedHandIn) -> dict[str, Any]:
    return {
        "file": row.file,
        "student": row.student,
        "points": row.points,
        "of": task.points,
        "fingerprint": row.fingerprint,
        "problem": row.problem,
        "notes": list(row.notes),
        "own_python": list(row.own_python),
        "lines": [line_json(line) for line in row.lines],
    }


def line_json(line: GradedLine) -> dict[str, Any]:
    """A requirement that was checked, as JSON."""
    return {
        "text": line.text,
        "points": line.points,
        "of": line.of,
        "reason": line.reason,
        "judged": line.judged,
    }


def grades_csv(task: ClassTask, grades: Grades) -> str:
    """A row for each hand-in: points of each requirement, reasons and notes; no cell a formula."""
    text = io.StringIO()
    writer = csv.writer(text)
    names = [line.text for line in grades.rows[0].lines] if grades.rows else []
    heads = [f"{number}. {name}" for number, name in enumerate(names, 1)]
    writer.writerow(
        ["student", "file", "points", "of", *heads, "problem", "reasons", "notes", "fingerprint"]
    )
    for row in grades.rows:
        reasons = " ".join(
            f"{number}. {line.reason}"
            for number, line in enumerate(row.lines, 1)
            if not line.holds and line.reason and line.reason != row.problem
        )
        words = (row.problem, reasons, " ".join(row.notes), row.fingerprint)
        points = [line.points for line in row.lines]
        who = map(spreadsheet, (row.student, row.file))
        writer.writerow([*who, row.points, task.points, *points, *map(spreadsheet, words)])
    return text.getvalue()


def gradescope(row: GradedHandIn) -> dict[str, Any]:
    """The result of one hand-in as Gradescope's autograder reads it (results.json)."""
    return {
        "score": row.points,
        "output": " ".join(filter(None, (row.problem, *row.notes))),
        "tests": [
            {
                "name": line.text,
                "score": line.points,
                "max_score": line.of,
                "status": "passed" if line.holds else "failed",
                "output": line.reason,
            }
            for line in row.lines
        ],
    }
