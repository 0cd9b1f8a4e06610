"""`layerloom code`: standalone source of a project."""

import argparse
from pathlib import Path
from typing import Any

from app.cli import files, output

FORMS = ("model", "script", "notebook", "lightning", "networkx")


def declare(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser(
        "code", help="write standalone source: model, script, notebook, Lightning, networkx graph"
    )
    command.add_argument("file", type=Path, help="a project, NAME.loom.json")
    command.add_argument("--as", dest="form", choices=FORMS, default="model", help="what to write")
    command.add_argument("-o", "--out", type=Path, metavar="OUT", help="file to write")
    command.add_argument(
        "--ddp", action="store_true", help="script: also for several processes, with torchrun"
    )
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the source, or write it to a file."""
    if args.form == "networkx":
        return _networkx(args.file, args.out)
    if args.ddp:
        refuse_processes(args.form)
    text = source(args.file, args.form, args.ddp)
    if args.out is None:
        output.put(text, end="" if text.endswith("\n") else "\n")
    else:
        files.write_out(text, args.out)
        output.say(f"{args.out} written.")
    return 0


def _networkx(file: Path, out: Path | None) -> int:
    """Print the drawing as GraphML, or write it: node-link JSON into OUT.json, else GraphML."""
    from core.graph import networkx_graph

    project, report = files.analysed(file)
    form = networkx_graph.NODE_LINK if out and out.suffix == ".json" else networkx_graph.GRAPHML
    text = networkx_graph.text_of(networkx_graph.to_networkx(project.graph, report), form)
    if out is None:
        output.put(text, end="")
        return 0
    files.write_out(text, out)
    output.say(
        f"{out} written. It loads with {networkx_graph.LOADING[form].format(file=str(out))}."
    )
    return 0


def refuse_processes(form: str) -> None:
    """Refuse a form that torchrun cannot start. Raises UsageError."""
    hints = {
        "lightning": 'In the Lightning script set devices=N and strategy="ddp" of the Trainer.',
        "notebook": "A notebook runs in one process. Use --as script.",
    }
    if form != "script":
        message = f"--ddp is for --as script, not for --as {form}."
        raise output.UsageError(message, hints.get(form, "Use --as script."))


def source(file: Path, form: str, processes: bool = False) -> str:
    """Write a project's source in one of the forms. processes: a script for several of them."""
    project, report = files.analysed(file)
    if form == "model":
        return str(report.source)
    from core.data import describe_project, ends

    files.read_data(project, file)
    info = describe_project(project, *ends(report.inputs, report.outputs))
    if form == "script":
        from core.script.script import write_script

        return write_script(project, report, info, processes=processes)
    if form == "lightning":
        from core.script.lightning import write_lightning

        return write_lightning(project, report, info)
    from core.script.notebook import write_notebook

    return write_notebook(project, report, info)
