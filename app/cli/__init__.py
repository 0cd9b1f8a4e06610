"""The `layerloom` command. Each group of commands is one file and imports what it needs when run.

Exit status: 0 fine; 1 the project or run has errors (reported); 2 wrong use or unreadable input.
"""

import argparse
import difflib
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from types import ModuleType

from app import wing
from app.cli import interrupt, output
from core.common.version import layerloom_version
from core.common.wing import placed
from core.worker import child_process

GROUPS = (
    "workbench",
    "demo",
    "catalogue",
    "templates",
    "check",
    "trust",
    "source",
    "summary",
    "train",
    "runs",
    "look",
    "compare",
    "export",
    "slice",
    "doctor",
)


def groups() -> list[ModuleType]:
    """The groups of commands in the order of the help: a wing's behind the one that it names, or
    at the end where that is not here."""
    own = {name: import_module(f"app.cli.{name}") for name in GROUPS}
    return placed(own, ((name, group.AFTER, group) for name, group in wing.parts("cli")))


def parser() -> argparse.ArgumentParser:
    """Build the parser of all commands."""
    top = argparse.ArgumentParser(
        "layerloom",
        description="Draw neural networks, train them, look inside, and export the source code.",
        epilog="Without a command, `layerloom [FILE]` opens the workbench in the browser.",
    )
    top.add_argument("--version", action="version", version=f"layerloom {layerloom_version()}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for group in groups():
        group.declare(commands)
    for listed in commands._choices_actions:  # pyright: ignore[reportPrivateUsage]
        help_text = str(listed.help)  # the list's own words, where only the command is asked for
        commands.choices[listed.dest].description = help_text[0].upper() + help_text[1:] + "."
    return top


def with_command(words: Sequence[str], commands: Sequence[str]) -> list[str]:
    """Put the unspoken command in front: `layerloom FILE` opens the workbench on FILE."""
    if any(word in commands for word in words[:1]) or words[:1] in (["-h"], ["--help"]):
        return list(words)
    if words[:1] == ["--version"]:
        return list(words)
    name = next((word for word in words if not word.startswith("-")), "")
    if words[:1] == [name] and not Path(name).exists() and not name.endswith(".json"):
        near = difflib.get_close_matches(name, commands, n=1)
        hint = f"Did you mean `layerloom {near[0]}`?" if near else "See `layerloom --help`."
        raise output.UsageError(f"There is no command and no file called {name}.", hint)
    return ["open", *words]


def entry() -> int:
    """Run the command of this process, which imports no module of the folder it was typed in.

    A file there may be called torch.py, and may be a stranger's.
    """
    child_process.tidy_process()
    interrupt.listen()
    return main()


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    as_json = "--json" in words
    top = parser()
    actions = next(a for a in top._actions if isinstance(a, argparse._SubParsersAction))  # pyright: ignore[reportPrivateUsage]
    try:
        args = top.parse_args(with_command(words, list(actions.choices)))
        with output.documents_alone() if as_json else nullcontext():
            status = args.run(args)
        output.flush()  # a closed pipe shows here, where it can still be answered
        return int(status)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        output.say("Stopped.")
        return 130
    except Exception as error:
        return output.report(error, as_json)
