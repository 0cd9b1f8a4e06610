"""`layerloom export`: a run or project as a file for other programs, checked against torch."""

import argparse
from pathlib import Path
from typing import Any

from app.cli import files, output


def declare(commands: Any) -> None:
    """Add the command."""
    from core.export.figure_style import DIRECTIONS, LAYOUTS
    from core.export.formats import ALIASES, FORMATS

    command = commands.add_parser(
        "export", help=("write TorchScript, ONNX, safetensors, ... and check the file")
    )
    command.add_argument(
        "source", metavar="RUN|FILE", nargs="?", help="a run (its best weights) or a project"
    )
    command.add_argument(
        "--list", action="store_true", help="list the formats, and what is missing to use them"
    )
    names = [*FORMATS, *ALIASES]
    command.add_argument("--format", choices=names, metavar="FORMAT", help=", ".join(names))
    command.add_argument("-o", "--out", type=Path, help="file to write")
    command.add_argument(
        "--weights", type=Path, metavar="SAFETENSORS", help="for a project: its imported weights"
    )
    files.add_checkpoint(command, "for a run: the checkpoint (default: best)")
    command.add_argument("--unfold", action="store_true", help="figures: expand composites")
    command.add_argument(
        "--layout",
        choices=LAYOUTS,
        default="graphviz",
        help="figures: layout by Graphviz or as on the canvas",
    )
    command.add_argument(
        "--direction",
        choices=DIRECTIONS,
        default="down",
        help="figures by Graphviz: direction of the data flow",
    )
    command.add_argument("--dark", action="store_true", help="pictures: a dark background")
    command.add_argument("--runs", type=Path, default=files.RUNS, help="folder of the runs")
    command.add_argument("--json", action="store_true", help="one JSON document")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Export and say how far the file lies from the eager model."""
    if args.list:
        return list_formats(args)
    _complete(args)
    source = open_source(args.source, args.runs, args.format)
    from core.export import export
    from core.export.figure_style import FigureStyle

    look = FigureStyle(args.unfold, args.layout, args.direction, args.dark)
    if args.weights and isinstance(source, Path):
        raise output.UsageError(
            "--weights is for projects; a run has its own weights.", "Leave out --weights."
        )
    where = (args.runs, Path(args.source).absolute().parent)
    which = files.weights_of(source, args.checkpoint)
    result = export(source, args.format, args.out, look, args.weights, where, which)
    if args.json:
        output.answer({"ok": True, **result.json()})
    output.say(result_line(result))
    return 0


def _complete(args: argparse.Namespace) -> None:
    """Check what argparse cannot, since --list needs none of it, and what the format lacks here."""
    from core.export.formats import ALIASES, FORMATS
    from core.export.needs import missing

    given = {"RUN|FILE": args.source, "--format": args.format, "-o/--out": args.out}
    if lacking := [name for name, value in given.items() if value is None]:
        raise output.UsageError(
            f"the following arguments are required: {', '.join(lacking)}.",
            "layerloom export --list shows the formats.",
        )
    name = str(args.format)
    sentence, install = missing(FORMATS[ALIASES.get(name, name)])
    if sentence:
        raise output.Failed(sentence, install)


def list_formats(args: argparse.Namespace) -> int:
    """Print every format under what it is for."""
    from core.export.formats import GROUPS, NOT_OFFERED, grouped
    from core.export.needs import missing

    if args.json:
        groups = [_group_json(key) for key in GROUPS]
        output.answer({"ok": True, "groups": groups, "not_offered": NOT_OFFERED})
        return 0
    for group, kinds in grouped():
        output.put(f"{group.title}. {group.about}")
        for kind in kinds:
            lack = " ".join(missing(kind)).strip()
            output.put(f"  {kind.name:20} {kind.about}{f' [{lack}]' if lack else ''}")
    for name, why in NOT_OFFERED.items():
        output.put(f"Not offered: {name}: {why}.")
    return 0


def _group_json(key: str) -> dict[str, Any]:
    from core.export.formats import FORMATS, GROUPS
    from core.export.needs import missing

    formats = [
        {
            "format": kind.name,
            "title": kind.title,
            "ending": kind.ending,
            "about": kind.about,
            "deprecated": kind.deprecated,
            "missing": " ".join(missing(kind)).strip(),
        }
        for kind in FORMATS.values()
        if kind.group == key
    ]
    return {"title": GROUPS[key].title, "about": GROUPS[key].about, "formats": formats}


def open_source(name: str, runs: Path, form: str) -> Any:
    """Open what is to be exported: the folder of a run, or a project without errors.

    form: of the file; training files are written for the data, so that is read.
    """
    from core.export.formats import TRAINED

    trains = form in TRAINED
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
