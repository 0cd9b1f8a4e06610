"""`layerloom merge`: merge two versions of a project by blocks, wires and settings."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli import files, output

if TYPE_CHECKING:
    from core.project import Project
    from core.wings.merge import Merged


def declare(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser("merge", help="merge two versions of a project")
    command.add_argument("base", metavar="BASE", type=Path, help="the common ancestor")
    command.add_argument(
        "ours", metavar="OURS", type=Path, help=("one version; used where both conflict")
    )
    command.add_argument("theirs", metavar="THEIRS", type=Path, help="the other version")
    command.add_argument("-o", "--out", type=Path, required=True, help="file to write")
    command.add_argument("--name", default="", help="name of the file in messages (git's %%P)")
    command.add_argument("--json", action="store_true", help="one JSON document")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Merge and write; status 1 for conflicts, which are printed."""
    from core.project import write_text
    from core.wings.merge import merge

    base, ours, theirs = (
        opened(getattr(args, side), side, args.name) for side in ("base", "ours", "theirs")
    )
    merged = merge(base, ours, theirs)
    files.write_out(write_text(merged.project), args.out)
    name = args.name or str(args.out)
    if args.json:
        conflicts = [asdict(conflict) for conflict in merged.conflicts]
        ok = not conflicts
        output.answer({"ok": ok, "file": name, "conflicts": conflicts, "remarks": merged.remarks})
    report_conflicts(merged, name, bool(args.name))
    return 1 if merged.conflicts else 0


def opened(file: Path, side: str, name: str) -> "Project":
    """Open a version of a project; an empty base is that of a file which both sides added.

    Raises ProjectError, which names the side where git names the file.
    """
    from core.files.messages import in_file
    from core.files.read import read_bytes
    from core.files.strict import decode
    from core.project import Project, ProjectError, read_text

    data = read_bytes(file)
    if side == "base" and not data:
        return Project()
    try:
        return read_text(decode(data))
    except ProjectError as error:
        raise in_file(f"{name} ({side})" if name else file.name, error) from None


def report_conflicts(merged: "Merged", name: str, by_git: bool) -> None:
    """Say what both sides changed; nothing where they do not touch."""
    for remark in merged.remarks:
        output.say(f"note: {remark}")
    for conflict in merged.conflicts:
        output.say(f"conflict: {conflict.message}")
    if count := len(merged.conflicts):
        conflicts = "this conflict" if count == 1 else f"these {count} conflicts"
        word = output.shell_word(name)
        then = f", then `git add {word}`" if by_git else ""
        output.say_lines(
            [
                f"{name} has the version of ours in {conflicts}; everything else is merged.",
                f"  hint: `layerloom {word}` opens it; change what you want from theirs{then}.",
            ]
        )
