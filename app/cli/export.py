"""`layerloom export`: a run or project as a file for other programs, checked against torch."""

import argparse
from pathlib import Path
from typing import Any

from app.cli import files, output


def declare(commands: Any) -> None:
    """Add the command."""
    from core.export.figure_style import DIRECTIONS, LAYOUTS
    from core.export.formats import ALIASES, FORMATS

    command = commands.add_parser("export", help="TorchScript, ONNX, safetensors, …; each checked")
    command.add_argument("source", metavar="RUN|FILE", help="a run (its best weights) or a project")
    names = [*FORMATS, *ALIASES]
    command.add_argument(
        "--format", choices=names, required=True, metavar="FORMAT", help=", ".join(names)
    )
    command.add_argument("-o", "--out", type=Path, required=True, help="file to write")
    command.add_argument("--weights", type=Path, metavar="SAFETENSORS",
                         help="of a project: the weights that were imported with it")  # fmt: skip
    command.add_argument("--unfold", action="store_true", help="figures: open the composites")
    command.add_argument("--layout", choices=LAYOUTS, default="graphviz",
                         help="figures: places by Graphviz, or those of the canvas")  # fmt: skip
    command.add_argument("--direction", choices=DIRECTIONS, default="down",
                         help="figures by Graphviz: which way the data flows")  # fmt: skip
    command.add_argument("--runs", type=Path, default=files.RUNS, help="folder of the runs")
    command.add_argument("--json", action="store_true", help="one JSON document")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Export and say how far the file lies from the eager model."""
    source = open_source(args.source, args.runs, args.format)
    from core.export import export
    from core.export.figure_style import FigureStyle

    look = FigureStyle(args.unfold, args.layout, args.direction)
    if args.weights and isinstance(source, Path):
        raise output.UsageError("A run has weights of its own.", "Leave out --weights.")
    where = (args.runs, Path(args.source).absolute().parent)
    result = export(source, args.format, args.out, look, args.weights, where)
    if args.json:
        output.answer({"ok": True, **result.json()})
    output.say(result_line(result))
    return 0


def open_source(name: str, runs: Path, form: str) -> Any:
    """Open what is to be exported: the folder of a run, or a project without errors.

    form: of the file; training files are written for the data, so that is read.
    """
    trains = form in ("script", "script-plain", "notebook", "lightning")
    if name.endswith(".json") or Path(name).is_file():
        project = files.analysed(Path(name))[0]
        if trains:
            files.read_data(project, Path(name))
        return project
    folder = files.run_folder(name, runs)
    if trains:
        files.find_data(folder)
    return folder


def result_line(result: Any) -> str:
    """Write one result in a line."""
    difference = result.max_difference
    checked = "" if difference is None else f", largest difference from torch {difference:.1e}"
    measured = f"; {result.quality.words()}" if result.quality else ""
    note = f" ({result.note})" if result.note else ""
    return f"{result.path} written{checked}{measured}{note}"
