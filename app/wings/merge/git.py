"""`layerloom git-setup`, `layerloom git-diff`: git works on blocks, wires and settings."""

import argparse
import difflib
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli import files, output
from app.wings.merge.command import opened
from core.worker import child_process

if TYPE_CHECKING:
    from core.project import Project

ATTRIBUTES = "*.loom.json diff=layerloom merge=layerloom"
NOTHING = "/dev/null"


def declare(commands: Any) -> None:
    """Add the two commands."""
    command = commands.add_parser(
        "git-setup", help=("set up git to compare and merge projects by blocks")
    )
    command.add_argument("--undo", action="store_true", help="undo the setup")
    command.add_argument("--json", action="store_true", help="one JSON document")
    command.set_defaults(run=setup)
    command = commands.add_parser(
        "git-diff", help=("compare two versions; called by git after git-setup")
    )
    command.add_argument("path", metavar="PATH", help="name of the file in the repository")
    command.add_argument(
        "rest", metavar="FILE HEX MODE", nargs="*", help=("old, then new version, from git")
    )
    command.set_defaults(run=diff)


def setup(args: argparse.Namespace) -> int:
    """Register both drivers in this repository, or take them back; say what was done."""
    top = Path(_git("rev-parse", "--show-toplevel"))
    done = [
        *_attributes(top / ".gitattributes", args.undo),
        *(line for key, value in drivers().items() for line in _config(key, value, args.undo)),
    ]
    if args.undo and done:
        _forget()
    if args.json:
        output.answer({"ok": True, "repository": str(top), "done": done})
    for line in done:
        output.say(line)
    output.say_lines(_result(top, args.undo, bool(done)).splitlines())
    return 0


def drivers() -> dict[str, str]:
    """Settings of git: what it calls. Python is told not to look for programs where git stands."""
    python, *rest = child_process.module("app.cli")
    program = shlex.join([python, "-E", *rest])  # -E: git hands on where it was called from
    return {
        "diff.layerloom.command": f"{program} git-diff --",
        "merge.layerloom.name": "Layerloom projects by blocks, wires and settings",
        "merge.layerloom.driver": f"{program} merge %O %A %B -o %A --name=%P",
    }


def _result(top: Path, undo: bool, done: bool) -> str:
    if undo:
        return f"git now treats projects in {top} as text{'' if done else ', as before'}."
    if not done:
        return f"git is already set up for projects in {top}."
    return (
        f"`git diff` and `git merge` in {top} now work on blocks, wires and settings.\n"
        "  hint: Commit .gitattributes; every other user runs `layerloom git-setup` once. "
        "`git diff --no-ext-diff` compares lines."
    )


def _git(*words: str, may_fail: bool = False) -> str:
    """Run git and return its output. Raises UsageError with git's message."""
    try:
        result = child_process.run(["git", *words], cwd=None, text=True)
    except FileNotFoundError:
        raise output.UsageError(
            "git is not installed.", "Install it, then run this command again."
        ) from None
    if result.returncode and not may_fail:
        reason = result.stderr.strip().partition("\n")[0].removeprefix("fatal: ")
        raise output.UsageError(
            f"git: {reason or 'failed'}.", "Run this command in a git repository."
        )
    return result.stdout.rstrip("\n")


def _config(key: str, value: str, undo: bool) -> list[str]:
    """Set or take away one setting of this repository; say so if it was not so before."""
    old = _git("config", "--local", "--get", key, may_fail=True)
    if undo:
        if not old:
            return []
        _git("config", "--local", "--unset-all", key)
        return [f"git config: removed {key}"]
    if old == value:
        return []
    _git("config", "--local", "--replace-all", key, value)
    return [f"git config: {key} = {value}"]


def _forget() -> None:
    """Take away the headings that are left of our settings."""
    for section in ("diff.layerloom", "merge.layerloom"):
        _git("config", "--local", "--remove-section", section, may_fail=True)


def _attributes(file: Path, undo: bool) -> list[str]:
    """Write or take away our line of .gitattributes; say so if it was not so before."""
    from core.files.folder import write_bytes

    line = ATTRIBUTES.encode()
    try:
        old = file.read_bytes() if file.exists() else b""
        lines = old.splitlines(keepends=True)
        ours = [each for each in lines if each.strip() == line]
        if bool(ours) is not undo:
            return []
        if undo:
            new = b"".join(each for each in lines if each.strip() != line)
        else:
            new = old + (b"\n" if old and not old.endswith(b"\n") else b"") + line + b"\n"
        if new:
            write_bytes(file, new)
        else:
            file.unlink()
    except OSError as error:
        raise files.unwritable(file, error) from None
    return [f".gitattributes: {'removed' if undo else 'added'} {ATTRIBUTES}"]


def diff(args: argparse.Namespace) -> int:
    """Print what changed in a project that git compares; always status 0, or git would give up."""
    if len(args.rest) < 6:
        output.put_lines([f"{args.path} has unresolved conflicts."])
        return 0
    from core.project import ProjectError
    from core.project.changes import changed_lines

    old, new = Path(args.rest[0]), Path(args.rest[3])
    try:
        versions = _opened(old, "before", args.path), _opened(new, "after", args.path)
        lines = changed_lines(*versions) + _beside(*versions) or [
            "same contents, different formatting"
        ]
    except ProjectError as error:
        lines = [f"compared as text: {error}", *_as_text(old, new)]
    output.put_lines([" -> ".join((args.path, *args.rest[6:7])), *(f"  {line}" for line in lines)])
    return 0


def _opened(file: Path, when: str, name: str) -> "Project":
    from core.project import Project

    return Project() if str(file) == NOTHING else opened(file, when, name)


def _beside(old: "Project", new: "Project") -> list[str]:
    """What changed beside the drawing and its settings, in a word each."""
    from core.project.changes import beside

    return [f"~ {part}" for part in beside(old, new)]


def _as_text(old: Path, new: Path) -> list[str]:
    before, after = (
        [] if str(file) == NOTHING else file.read_text("utf-8", "replace").splitlines()
        for file in (old, new)
    )
    return list(difflib.unified_diff(before, after, "before", "after", lineterm=""))
