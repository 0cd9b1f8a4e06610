"""`layerloom task` and `layerloom grade`: tasks of a teacher's own, and the hand-ins to them."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app import wing
from app.cli import files, output, workbench
from app.cli import limits as time_limit
from app.cli.summary import positive

if TYPE_CHECKING:
    from core.claims import Check
    from core.wings.classroom import ClassTask, GradedLine, TaskKey
    from core.wings.classroom.grade import GradedHandIn, Grades

AFTER = "trust"
MODULE = "app.wings.classroom.check_process"
LEARNS = "learns"


def declare(commands: Any) -> None:
    """Add the commands."""
    _declare_task(commands)
    command = commands.add_parser("grade", help="grade hand-ins by a task, each in a sandbox")
    command.add_argument("hand_ins", type=Path, nargs="+", metavar="FOLDER", help="or files")
    command.add_argument("--task", type=Path, required=True, metavar="FILE", help="NAME.task.json")
    command.add_argument("--key", type=Path, metavar="FILE", help="default: NAME.key.json beside")
    command.add_argument("--csv", type=Path, metavar="FILE", help="write a table for a spreadsheet")
    command.add_argument(
        "--gradescope", type=Path, metavar="FILE", help="write results.json, of one hand-in"
    )
    command.add_argument("--trust", action="store_true", help="run own Python of hand-ins, unread")
    command.add_argument("--seconds", type=positive, default=120, metavar="S", help="each may take")
    command.add_argument("--memory", type=positive, default=4, metavar="GB", help="each may take")
    command.add_argument("--jobs", type=positive, metavar="N", help="at a time; default: the cores")
    command.add_argument("--json", action="store_true", help="one JSON document")
    command.set_defaults(run=run_grade)


def _declare_task(commands: Any) -> None:
    command = commands.add_parser("task", help="make a task of a drawing, check a drawing by one")
    verbs = command.add_subparsers(dest="verb", metavar="VERB", required=True)
    new = verbs.add_parser("new", help="make a task, and its key where something is hidden")
    new.add_argument("file", type=Path, help="the drawing that students begin with")
    new.add_argument("-o", "--out", type=Path, required=True, metavar="FILE", help="NAME.task.json")
    new.add_argument("--solution", type=Path, metavar="FILE", help="a drawing that solves it")
    new.add_argument(
        "--learns", metavar="METRIC=VALUE", help="what it must reach on hidden data: accuracy=0.9"
    )
    new.add_argument("--epochs", type=positive, default=20, metavar="N", help="to reach it within")
    new.set_defaults(run=run_new)
    check = verbs.add_parser("check", help="say what holds of a drawing; the student's side")
    check.add_argument("task", type=Path, help="NAME.task.json")
    check.add_argument("file", type=Path, help="a project or a hand-in")
    check.add_argument("--json", action="store_true", help="one JSON document")
    check.set_defaults(run=run_check)


def run_new(args: argparse.Namespace) -> int:
    """Write the student's file and, where there is something to hide, the teacher's."""
    from core.project import open_project
    from core.wings.classroom import write_key, write_task
    from core.wings.classroom.make import make_task
    from core.wings.classroom.model import ENDING

    if not args.out.name.endswith(ENDING):
        raise output.UsageError(f"{args.out} is not the name of a task.", f"End it in {ENDING}.")
    solution = open_project(args.solution) if args.solution else None
    learns = _learns(args) if args.learns else None
    task, key = make_task(open_project(args.file), solution, learns)
    files.write_out(write_task(task), args.out)
    output.put_lines([f"{args.out}: {task.points} points", *_requirements(task)])
    if key:
        files.write_out(write_key(key), key_file(args.out))
        output.say(f"{key_file(args.out)} is yours alone: it has the hidden data and the solution.")
    return 0


def _learns(args: argparse.Namespace) -> "Check":
    """The check on hidden data that an option asks for. Raises UsageError."""
    from core.claims import Check
    from core.tasks.metric_labels import METRICS, higher_is_better

    metric, _, text = args.learns.partition("=")
    try:
        value = float(text)
    except ValueError:
        value = None
    if value is None or metric not in METRICS:
        known = ", ".join(METRICS)
        raise output.UsageError(
            f"--learns {args.learns} is not METRIC=VALUE.", f"Metrics are {known}."
        )
    least = higher_is_better(metric)
    bound = {"at_least" if least else "at_most": value}
    kind = LEARNS if least else f"{LEARNS}_below"
    return Check(kind, {"metric": metric, **bound, "epochs": args.epochs})


def _requirements(task: "ClassTask") -> list[str]:
    from core.wings.classroom.judge import not_judged

    return [f"  {line.of}  {line.text}" for line in not_judged(task, 0, "")]


def key_file(task: Path) -> Path:
    """The teacher's file beside the student's."""
    from core.wings.classroom.model import ENDING, KEY_ENDING

    return task.with_name(task.name.removesuffix(ENDING) + KEY_ENDING)


def run_check(args: argparse.Namespace) -> int:
    """Say which requirements hold of a drawing; status 1 where one of them does not."""
    from core.wings.classroom import open_task
    from core.wings.classroom.evidence import evidence_of
    from core.wings.classroom.hand_in import open_hand_in
    from core.wings.classroom.judge import judge_each
    from core.wings.classroom.tables import line_json

    task, hand_in = open_task(args.task), open_hand_in(args.file)
    with time_limit.limited(hand_in.project, args.json):
        lines = list(judge_each(task, evidence_of(hand_in.project, hand_in.run)))
    holds = all(line.holds for line in lines if line.judged)
    if args.json:
        output.answer({"ok": holds, "task": task.title, "lines": [*map(line_json, lines)]})
    else:
        output.put_lines([f"{task.title}: {_sum(lines)}", *map(_shown, lines)])
    return 0 if holds else 1


def _sum(lines: "list[GradedLine]") -> str:
    judged = [line for line in lines if line.judged]
    points, of = sum(line.points for line in judged), sum(line.of for line in judged)
    later = sum(line.of for line in lines) - of
    more = f", {later} more when it is graded" if later else ""
    return f"{points} of {of} points{more}"


def _shown(line: "GradedLine") -> str:
    points = f"{line.points}/{line.of}" if line.judged else f"?/{line.of}"
    return f"  {points:>5}  {line.text}" + (f" {line.reason}" if line.reason else "")


def run_grade(args: argparse.Namespace) -> int:
    """Grade hand-ins: a row each, then what is alike. A bad hand-in is a row, not an error."""
    workbench.end_calmly()  # else sandboxes outlive a command that the system ends
    from core.wings.classroom import open_task
    from core.wings.classroom.grade import Grading, endings, files_of, grade
    from core.wings.classroom.sandbox import SandboxLimits, in_force
    from core.wings.classroom.tables import grades_csv, grades_json, gradescope

    task, limits = open_task(args.task), SandboxLimits(args.seconds, args.memory * 1_000_000_000)
    key, path = _key(args, task)
    written = [file for file in (args.csv, args.gradescope) if file]
    found = files_of(args.hand_ins, written)
    if not found or (args.gradescope and len(found) != 1):
        raise _wrong_number(args, len(found))
    kinds = endings([kind.ENDING for _, kind in wing.parts("file")])
    words = in_force(limits, args.trust)
    output.say(words)
    beside, jobs = str(path.absolute()) if key else "", args.jobs or 0
    grading = Grading(task, key, MODULE, kinds, beside, args.trust, limits, jobs)
    grades = grade(grading, found, lambda row: None if args.json else _tell(task, row))
    if args.csv:
        files.write_out(grades_csv(task, grades), args.csv)
    if args.gradescope:
        text = json.dumps(gradescope(grades.rows[0]), indent=2, ensure_ascii=False)
        files.write_out(f"{text}\n", args.gradescope)
    if args.json:
        output.answer(grades_json(task, grades, words))
    else:
        _tell_alike(grades)
    return 0


def _wrong_number(args: argparse.Namespace, count: int) -> output.UsageError:
    if count:
        message = f"--gradescope is for one hand-in, and there are {count}."
        return output.UsageError(message, "Name one file.")
    return output.UsageError(f"{args.hand_ins[0]} has no hand-ins.", "Name a folder with some.")


def _key(args: argparse.Namespace, task: "ClassTask") -> "tuple[TaskKey | None, Path]":
    """The key of a task, and its file. Raises UsageError where it is missing or of another task."""
    from core.wings.classroom import open_key

    path = args.key or key_file(args.task)
    if not (args.key or task.has_key):
        return None, path
    if not path.exists():
        message = f"The key of this task, {path}, is missing: its hidden data is in it."
        raise output.UsageError(message, "Name it with --key.")
    key = open_key(path)
    if key.task != task.title:
        message = f"{path} is the key of “{key.task}”, not of “{task.title}”."
        raise output.UsageError(message, "Name the right one with --key.")
    return key, path


def _tell(task: "ClassTask", row: "GradedHandIn") -> None:
    """Print a hand-in once it is graded."""
    who = row.file if row.file.split(".")[0] == row.student else f"{row.file} ({row.student})"
    lines = [f"{who}: {row.points} of {task.points} points", *(f"  {n}" for n in row.notes)]
    if row.problem:
        lines.append(f"  {row.problem}")
    output.put_lines([*lines, *(_shown(line) for line in row.lines if line.reason != row.problem)])


def _tell_alike(grades: "Grades") -> None:
    """Print the pairs that are alike, for a person to judge."""
    if not grades.pairs:
        return
    named = [(grades.rows[p.first].file, grades.rows[p.second].file) for p in grades.pairs]
    rows = [(f"{p.similarity:.0%}", *pair) for p, pair in zip(grades.pairs, named, strict=True)]
    output.put()
    output.put_lines(["Alike beyond the start, for you to judge: small tasks have few solutions."])
    output.put(output.table(("alike", "hand-in", "hand-in"), rows))
