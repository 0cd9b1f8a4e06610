"""`layerloom data`: what in a data set leads to a wrong model."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli import files, output

if TYPE_CHECKING:
    from core.wings.findings.card import DataCard
    from core.wings.findings.finding import DataFinding

AFTER = "check"
PROJECT, ARRAYS = ".json", ".npz"


def declare(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser("data", help="what in a data set leads to a wrong model")
    command.add_argument(
        "file", type=Path, help="a CSV or NPZ file, a folder of pictures or texts, or a project"
    )
    command.add_argument("--target", metavar="COLUMN", help="the column that is predicted")
    command.add_argument("--json", action="store_true", help="one JSON document")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the findings on a data set."""
    data, seed = settings_of(args)
    from core.wings.findings.card import data_card

    card = data_card(data, seed)
    if args.json:
        output.answer({**card.json(), "data": dict(data)})
    else:
        output.put_lines(lines(card))
    return 0


def settings_of(args: argparse.Namespace) -> tuple[Mapping[str, Any], int]:
    """The data settings of a project, or those that Layerloom suggests for a file, and the seed."""
    file: Path = args.file
    if file.suffix.lower() == PROJECT:
        return _of_project(args)
    if not file.exists():
        raise output.UsageError(f"There is no file called {file}.", "Check its path.")
    from app.services.data_guess import guess_and_read, with_target
    from app.services.file_choices import kind_of_folder
    from core.common.errors import DataError

    files.look_beside(file)
    if file.is_dir():
        kind, key = kind_of_folder(file) or "ImageFolder", "root"
    else:
        kind, key = "NPZ" if file.suffix.lower() == ARRAYS else "CSV", "file"
    data, _, error = guess_and_read({"source": kind, key: file.absolute().name})
    if args.target and kind == "CSV":
        data, error = with_target(data, args.target), ""
        _read(data)
    if error:
        raise DataError(error)
    return data, 0


def _of_project(args: argparse.Namespace) -> tuple[Mapping[str, Any], int]:
    from core import open_project
    from core.data.custom.dataset_file import KIND

    if args.target:
        raise output.UsageError("A project has its own target.", "Leave out --target.")
    project = open_project(args.file)
    files.look_beside(args.file)
    if project.data.get("source") != KIND:  # its Python is not run
        _read(project.data)
    seed = project.training.get("seed", 0)
    return project.data, seed if isinstance(seed, int) else 0


def _read(data: Mapping[str, Any]) -> None:
    from core.data.facts.metadata import read_own
    from core.data.facts.settings import check_keys

    check_keys(data)
    read_own(data)


def lines(card: "DataCard") -> list[str]:
    """The card as text."""
    count = len(card.findings)
    head = f"{card.source}: {card.samples:,} {card.things}, {things(count)}"
    found = [line for finding in card.findings for line in of_finding(finding)]
    return [head, *([card.looked] if card.looked else []), *found]


def things(count: int) -> str:
    """How many findings there are."""
    return "nothing to look at" if not count else f"{count} thing{'s'[: count > 1]} to look at"


def of_finding(finding: "DataFinding") -> list[str]:
    """A finding with its rows or files and its mend."""
    found = ["", f"- {finding.sentence}"]
    if finding.rows:
        more = f" and {finding.count - len(finding.rows):,} more"
        listed = ", ".join(map(str, finding.rows))
        found.append(f"  rows: {listed}{more if finding.count > len(finding.rows) else ''}")
    if finding.files:
        found.append(f"  files: {', '.join(finding.files)}")
    if finding.mend:
        found.append(f"  mend: {finding.mend.title}")
    return found
