"""`layerloom history`: the versions of a project, who saved them when, and what changed.

`layerloom report` has a file of its own.
"""

import argparse
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli import output
from app.wings.team import report_command

if TYPE_CHECKING:
    from core.wings.team.comments import CommentThread
    from core.wings.team.history import PastVersion

AFTER = "compare"
HEADER = ("version", "when", "who", "what changed", "name")


def declare(commands: Any) -> None:
    """Add the commands of the wing."""
    report_command.declare(commands)
    command = commands.add_parser(
        "history", help="the versions of a project: who saved them when, and what changed"
    )
    command.add_argument("file", type=Path, help="a project, NAME.loom.json")
    command.add_argument(
        "--comments", action="store_true", help="list the comments on it, and what they are about"
    )
    command.add_argument("--json", action="store_true", help="one JSON document")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print a row for each version, newest first."""
    from core.files.read import read_bytes
    from core.wings.team.history import history, what_changed

    read_bytes(args.file)  # says that there is no such file
    if args.comments:
        return _comments(args)
    moments = history(args.file)
    rows = [_row(each, what_changed(moments, each)) for each in moments]
    if args.json:
        output.answer({"ok": True, "versions": rows})
        return 0
    if not rows:
        output.say(f"{args.file} has no versions yet. Each save in the workbench keeps one.")
        return 0
    output.put(output.table(HEADER, [_cells(row) for row in rows]))
    word = output.shell_word(f"{args.file}@{rows[-1]['id']}")
    output.say(
        f"`layerloom diff {word} {output.shell_word(args.file)} --open` shows what changed since."
    )
    return 0


def _comments(args: argparse.Namespace) -> int:
    """Print the threads, those that are open first."""
    from core.wings.team.comments import threads

    every = sorted(threads(args.file), key=lambda thread: thread.resolved)
    if args.json:
        output.answer({"ok": True, "threads": [_thread(each) for each in every]})
        return 0
    if not every:
        output.say(f"{args.file} has no comments yet. The page History has a field for one.")
    for thread in every:
        output.put(f"{thread.about.words} ({'resolved' if thread.resolved else 'open'})")
        for each in thread.comments:
            head = f"  {_when(each.when_s)[:16]}  {each.who or 'somebody'}: "
            output.put_lines([head + (each.text or each.said)])
    return 0


def _thread(thread: "CommentThread") -> dict[str, Any]:
    said = [
        {"when": _when(c.when_s), "who": c.who, "text": c.text, "resolved": c.resolved}
        for c in thread.comments
    ]
    about = {"kind": thread.about.kind, "name": thread.about.name}
    return {"id": thread.id, "about": about, "resolved": thread.resolved, "comments": said}


def _when(when_s: float) -> str:
    return datetime.fromtimestamp(when_s).astimezone().isoformat(timespec="seconds")


def _row(moment: "PastVersion", changed: str) -> dict[str, Any]:
    of = moment.of
    row = {"id": of.id, "kind": moment.kind, "when": _when(of.when_s), "who": of.who}
    return {**row, "changed": changed, "name": of.name}


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    when = row["when"][:16].replace("T", " ")
    name = f"commit: {row['name']}" if row["kind"] == "commit" else row["name"]
    return row["id"], when, row["who"], row["changed"], name
