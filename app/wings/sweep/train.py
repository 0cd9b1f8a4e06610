"""`layerloom train --seeds N`: the same network several times, as a sweep over the seed."""

import argparse
from typing import Any

from app.cli import launchers, output
from app.wings.sweep import cli


def declare(command: Any) -> None:
    """Add the option."""
    command.add_argument(
        "--seeds",
        type=int,
        metavar="N",
        help="train N times with consecutive seeds, as a sweep",
    )


def run(args: argparse.Namespace) -> int | None:
    """Train with several seeds; None where none were given."""
    return None if args.seeds is None else ensemble(args)


def ensemble(args: argparse.Namespace) -> int:
    """Train with several seeds, all at once; status 1 if no run finished."""
    from core import open_project

    if args.seeds < 2 or args.detach:
        raise output.UsageError(
            "--seeds needs 2 or more, and cannot run in the background.", "Leave out --detach."
        )
    if launchers.read(args) is not None:
        raise output.UsageError(
            "--seeds trains on this machine only.", "Leave out --launcher and its options."
        )
    first = open_project(args.file).training.get("seed", 0)
    seeds = ",".join(str(first + index) for index in range(args.seeds))
    settings = {
        "file": args.file,
        "search": [f"seed={seeds}"],
        "trials": args.seeds,
        "pairs": args.pairs,
        "no_prune": True,
        "defaults": args.defaults,
        "runs": args.runs,
        "json": args.json,
    }
    return cli.run(cli.arguments(**settings))
