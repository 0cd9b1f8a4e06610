"""`layerloom shrink`: compress a trained network, and measure each method."""

import argparse
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli import files, output

if TYPE_CHECKING:
    from core.wings.shrink.rows import Row
    from core.wings.shrink.way import Way

AFTER = "export"
LOOK_S = 0.2
STOPPED = 130


def declare(commands: Any) -> None:
    """Add the command."""
    from core.wings.shrink.catalogue import USUAL, WAYS

    command = commands.add_parser(
        "shrink",
        help="compress a trained network, and measure each result",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="methods, with their default number:\n"
        + "\n".join(f"  {_word(way):24}{_first(way)}" for way in WAYS.values()),
    )
    command.add_argument("source", metavar="RUN", help="a trained run (its best weights)")
    command.add_argument(
        "--try",
        action="append",
        default=[],
        metavar="WHAT",
        dest="tries",
        help="a method, with a number if needed (structured:0.5); can be repeated "
        f"(default: {', '.join(USUAL)})",
    )
    command.add_argument(
        "--ways", default="", metavar="A,B:0.5", help=("several methods in one word")
    )
    command.add_argument(
        "--epochs",
        type=epochs,
        metavar="N",
        help=("fine-tuning epochs, for methods that train (default: as the method)"),
    )
    command.add_argument(
        "-o",
        "--out",
        type=Path,
        metavar="FOLDER",
        help="copy the drawings and files into this folder",
    )
    command.add_argument(
        "--sensitivity",
        action="store_true",
        help=("measure which blocks tolerate 8 bits or half of their weights"),
    )
    command.add_argument("--runs", type=Path, default=files.RUNS, help="folder of the runs")
    command.add_argument("--json", action="store_true", help="end with one JSON document")
    command.set_defaults(run=run)


def _word(way: "Way") -> str:
    return f"{way.name}:{way.amount.default:g}" if way.amount else way.name


def _first(way: "Way") -> str:
    """The first sentence about a way, and what it needs."""
    needs = f" Needs {', '.join(way.packages)}." if way.packages else ""
    return way.about.partition(". ")[0].rstrip(".").replace("%", "%%") + "." + needs


def epochs(text: str) -> int:
    """Read a number of epochs, perhaps 0. Raises ArgumentTypeError, which argparse prints."""
    if not text.isdecimal() or len(text) > 4:
        raise argparse.ArgumentTypeError(f"needs a whole number of 0 or more: {text}")
    return int(text)


def run(args: argparse.Namespace) -> int:
    """Try the ways and print the rows; status 1 where none could be made."""
    from core.wings.shrink.catalogue import USUAL, tries_of
    from core.wings.shrink.run import shrink
    from core.wings.shrink.way import ShrinkError

    try:
        tries = tries_of(_asked(args) or USUAL, args.epochs)
    except ShrinkError as error:
        raise output.UsageError(error.message, error.hint) from None
    folder = files.run_folder(args.source, args.runs)
    if args.sensitivity:
        _listen(folder)
        return _sensitivity(folder, args.json)
    if args.out and args.out.exists() and not args.out.is_dir():
        raise output.UsageError(f"{args.out} is a file.", "Choose a folder.")
    _listen(folder)
    rows = _with_original(folder, [_report_row(row) for row in shrink(folder, tries)])
    if args.out:
        copy(folder, rows, args.out)
    made = [row for row in rows if row.state == "made" and row.name != "original"]
    if args.json:
        output.answer({"ok": bool(made), "run": folder.name, "rows": [row.json() for row in rows]})
    else:
        output.put(table(rows))
    return 0 if made else 1


def _asked(args: argparse.Namespace) -> list[str]:
    """The ways that are named, in order."""
    words = [word for text in (*args.tries, args.ways) for word in text.split(",")]
    return [word.strip() for word in words if word.strip()]


def _sensitivity(folder: Path, as_json: bool) -> int:
    """Measure and print the sensitivity of each block."""
    from core.wings.shrink.sensitivity import sensitivity
    from core.wings.shrink.words import SENSITIVITY_HEADER, sensitivity_cells

    found = sensitivity(folder)
    if as_json:
        output.answer({"ok": True, "run": folder.name, **found.json()})
    else:
        output.put(
            output.table(
                SENSITIVITY_HEADER, [sensitivity_cells(found, block) for block in found.blocks]
            )
        )
    return 0


def _listen(folder: Path) -> None:
    """Let this process be stopped from elsewhere. Raises ShrinkError, RunError."""
    from core.wings.shrink import stopping

    stopping.write_process(folder)
    threading.Thread(target=_end_when_asked, args=(folder,), daemon=True).start()


def _end_when_asked(folder: Path) -> None:
    """End this process once another asks for it; what is half made never shows."""
    from core.wings.shrink import files as places

    while not places.stop_requested(folder):
        threading.Event().wait(LOOK_S)
    places.delete_unfinished(folder)
    output.say("Stopped.")
    os._exit(STOPPED)


def _with_original(folder: Path, rows: "list[Row]") -> "list[Row]":
    """The rows with the network's own before them, where it was measured before."""
    from core.wings.shrink import files as places

    names = {row.name for row in rows}
    first = [row for row in places.rows(folder) if row.name == places.ORIGINAL]
    return [*(row for row in first if row.name not in names), *rows]


def copy(folder: Path, rows: "list[Row]", out: Path) -> None:
    """Copy what was made into a folder. Raises UsageError."""
    from core.files.safe_path import read_file
    from core.wings.shrink import files as places

    made = [(row.name, name) for row in rows for name in (row.drawing, row.file) if name]
    try:
        out.mkdir(parents=True, exist_ok=True)
        for row, name in made:
            files.write_bytes_out(read_file(places.folder_of(folder) / row / name), out / name)
    except OSError as error:
        raise files.unwritable(out, error) from error
    output.say(f"{out} contains the drawings and files.")


def _report_row(row: "Row") -> "Row":
    """Say a row in a sentence, as it is made."""
    from core.wings.shrink.words import sentence

    output.say(sentence(row))
    return row


def table(rows: "list[Row]") -> str:
    """All rows that were made, side by side, and below why others were not."""
    from core.wings.shrink.words import HEADER, cells

    made = [row for row in rows if row.state == "made"]
    lines = [output.table(HEADER, [cells(row) for row in made])] if made else []
    lines += [f"{row.name}: {row.reason} {row.hint}".strip() for row in rows if row.reason]
    return "\n".join(lines)
