"""`layerloom new`: a project of your own from a template."""

import argparse
import json
from pathlib import Path
from typing import Any

from app.cli import speak

TEMPLATES = Path(__file__).resolve().parents[2] / "projects"
ENDING = ".loom.json"


def declare(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser("new", help="a project from a template")
    command.add_argument("template", nargs="?", help="name of a template")
    command.add_argument("-o", "--out", type=Path, metavar="FILE", help="file to write")
    command.add_argument("--list", action="store_true", help="list the templates")
    command.add_argument("--json", action="store_true", help="one JSON document")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """List the templates, or copy one to a new file."""
    if args.list:
        return listing(args.json)
    if args.template is None:
        raise speak.UsageError("Which template?", "`layerloom new --list` shows them.")
    out = args.out or Path(args.template + ENDING)
    write(args.template, out)
    if args.json:
        speak.answer({"ok": True, "file": str(out)})
    speak.say(f"{out} is ready. `layerloom {out}` opens it.")
    return 0


def listing(as_json: bool) -> int:
    """Print name, title and what each template shows."""
    found = [(name, json.loads(path.read_text("utf-8"))) for name, path in templates().items()]
    if as_json:
        speak.answer([{"template": n, "name": p["name"], "about": p["about"]} for n, p in found])
        return 0
    width = max(len(name) for name, _ in found)
    for name, project in found:
        print(f"{name:<{width}}  {project['name']}")
    return 0


def templates() -> dict[str, Path]:
    """Find the templates by name."""
    return {path.name.removesuffix(ENDING): path for path in sorted(TEMPLATES.glob(f"*{ENDING}"))}


def write(name: str, out: Path) -> None:
    """Copy a template. Raises UsageError if there is none of that name or `out` exists."""
    known = templates()
    if name not in known:
        raise speak.UsageError(
            f"There is no template called {name}.", "`layerloom new --list` shows them."
        )
    try:
        with out.open("xb") as file:
            file.write(known[name].read_bytes())
    except FileExistsError:
        raise speak.UsageError(
            f"{out} exists already.", "Name another file with -o, or remove this one."
        ) from None
    except OSError as error:
        raise speak.UsageError(
            f"{out} cannot be written ({error.strerror}).", "Name a file in a folder that exists."
        ) from None
