"""`layerloom new`: a project of your own from a template."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli import files, output
from core.files.safe_path import discard

if TYPE_CHECKING:
    from core.project.templates import Template

ENDING = ".loom.json"


def declare(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser("new", help="create a project from a template")
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
        raise output.UsageError("Which template?", "`layerloom new --list` shows them.")
    out = args.out or Path(args.template + ENDING)
    copy(find(args.template), out)
    if args.json:
        output.answer({"ok": True, "file": str(out)})
    output.say(f"{out} is ready. `layerloom {output.shell_word(out)}` opens it.")
    return 0


def listing(as_json: bool) -> int:
    """Print name and title of each template, in JSON also what it shows."""
    from core.project.templates import list_templates

    templates = list_templates()
    if as_json:
        output.answer([{"template": t.name, "name": t.title, "about": t.about} for t in templates])
    else:
        width = max(len(template.name) for template in templates)
        output.put(
            "\n".join(f"{template.name:<{width}}  {template.title}" for template in templates)
        )
    return 0


def find(name: str) -> "Template":
    """Find a template by its name. Raises UsageError if there is none."""
    import difflib

    from core.project.templates import list_templates

    templates = {template.name: template for template in list_templates()}
    if name not in templates:
        near = difflib.get_close_matches(name, templates, n=1)
        hint = f"Did you mean {near[0]}?" if near else "`layerloom new --list` shows them."
        raise output.UsageError(f"There is no template called {name}.", hint)
    return templates[name]


def copy(template: "Template", out: Path) -> None:
    """Copy a template to a new file. Raises UsageError if `out` exists or cannot be written."""
    made = False
    try:
        with out.open("xb") as file:
            made = True
            file.write(template.path.read_bytes())
    except FileExistsError:
        raise output.UsageError(
            f"{out} exists already.", "Choose another file with -o, or delete this one."
        ) from None
    except OSError as error:
        if made:
            discard(out)  # half a project would stand in the way of the next try
        raise files.unwritable(out, error) from None
