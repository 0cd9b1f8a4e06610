"""`layerloom summary`: a row per block with shapes, parameters and costs."""

import argparse
from pathlib import Path
from typing import Any

from app.cli import files, output

MOST = 1_000_000


def declare(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser("summary", help="a table of layers, as of torchinfo")
    command.add_argument("file", type=Path, help="a project, NAME.loom.json")
    command.add_argument("--batch", type=positive, default=1, metavar="N", help="batch size")
    command.add_argument("--json", action="store_true", help="one JSON document")
    command.set_defaults(run=run)


def positive(text: str) -> int:
    """Read a number of samples. Raises ArgumentTypeError, which argparse prints."""
    number = int(text) if text.isdecimal() and len(text) < 10 else 0
    if not 1 <= number <= MOST:
        raise argparse.ArgumentTypeError(f"needs a whole number from 1 to {MOST:,}: {text}")
    return number


def run(args: argparse.Namespace) -> int:
    """Print the summary of a project."""
    project, report = files.analysed(args.file)
    from core.insight.summary import summary
    from core.insight.summary_table import write_table

    summed = summary(report, args.batch, project.training)
    if args.json:
        output.answer(summed.json())
    else:
        output.put(write_table(summed))
    return 0
