"""`layerloom trust`: show the Python in a project, and trust it or withdraw trust."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli import output

if TYPE_CHECKING:
    from core.project import Project

MEANS = "It will run with all your permissions on this computer."


def declare(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser("trust", help="read the Python in a project, and allow it to run")
    command.add_argument("file", type=Path, help="a project, NAME.loom.json")
    which = command.add_mutually_exclusive_group()
    which.add_argument("--yes", action="store_true", help="trust all of it without asking")
    which.add_argument("--list", action="store_true", help="only list what is trusted")
    which.add_argument("--forget", action="store_true", help="withdraw trust from all of it")
    command.add_argument("--json", action="store_true", help="one JSON document, without questions")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Show and ask for every block; status 1 while there is one that may not run."""
    from app.cli.files import look_beside
    from core import open_project
    from core.data.custom import dataset_file
    from core.files import trust

    project = open_project(args.file)
    look_beside(args.file)
    texts = {name: part.python for name, part in project.graph.composites.items() if part.python}
    texts |= dataset_file.python_of(project.data)
    if problem := trust.problem():
        output.say(f"warning: {problem}")
    if args.forget:
        for text in texts.values():
            trust.forget(text)
    elif not args.list:
        for name, text in texts.items():
            if not trust.trusted(text):
                decide(name, text, args)
    return report_trust(project, texts, args.json)


def decide(name: str, text: str, args: argparse.Namespace) -> None:
    """Trust one text, if it can be a block and the user has seen it and agrees."""
    from core.files import trust

    if faults_of(name, text) or (args.json and not args.yes):
        return
    if not args.json:
        output.put(f"\n{output.one_line(f'{name}, {args.file}')}\n\n{numbered(text)}\n", flush=True)
    if args.yes or confirmed(f"{MEANS}\nTrust {output.one_line(name)}? [y/N] "):
        trust.trust(text, name)


def faults_of(name: str, text: str) -> tuple[Any, ...]:
    """What keeps a text from being what it is brought as: a block, or the file of a data set."""
    from core.data.custom import dataset_file
    from core.graph.python import faults

    return dataset_file.faults(text) if name.endswith(dataset_file.ENDING) else faults(name, text)


def numbered(text: str) -> str:
    """The text with the number of each line in front."""
    lines = text.split("\n")
    width = len(str(len(lines)))
    return "\n".join(f"{n:>{width}}  {line}".rstrip() for n, line in enumerate(lines, 1))


def confirmed(question: str) -> bool:
    """Whether the user agrees; no answer is a no."""
    try:
        return output.ask(question).strip().lower() in ("y", "yes")
    except EOFError:
        output.put(flush=True)
        return False


def report_trust(project: "Project", texts: dict[str, str], as_json: bool) -> int:
    """Say of each block whether it may run; status 1 where one may not."""
    from core.files import trust

    blocks = [
        {
            "name": name,
            "sha256": trust.digest(text),
            "lines": text.count("\n") + 1,
            "trusted": trust.trusted(text),
            "errors": [str(fault) for fault in faults_of(name, text)],
        }
        for name, text in texts.items()
    ]
    ok = all(block["trusted"] and not block["errors"] for block in blocks)
    if as_json:
        output.answer({"ok": ok, "blocks": blocks})
        return 0 if ok else 1
    for block in blocks:
        state = "trusted" if block["trusted"] else "not trusted"
        output.put_lines([f"{block['name']}: {state} ({block['lines']} lines)"])
        for error in block["errors"]:
            output.say(f"error: {block['name']}: {error}")
    if not blocks:
        output.put_lines([f"{project.name} contains no Python."])
    return 0 if ok else 1
