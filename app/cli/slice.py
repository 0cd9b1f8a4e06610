"""`layerloom slice`: save a part of a network as a project, checked against the whole."""

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli import files, output
from app.wing import parts
from core.common.network_ref import ImportedRef, NetworkRef

if TYPE_CHECKING:
    from core.insight.load_model import OpenedNetwork
    from core.insight.part.extract import ExtractedPart

ENDING, WEIGHTS = ".loom.json", ".safetensors"


def declare(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser("slice", help="save a part of a network as a project")
    command.add_argument("source", metavar="RUN|FILE", help="a run (its best weights) or a project")
    command.add_argument(
        "--from", dest="start", default="", metavar="ID", help="first block (default: all Inputs)"
    )
    command.add_argument(
        "--to", dest="end", default="", metavar="ID", help="last block (default: all Outputs)"
    )
    command.add_argument(
        "--blocks",
        default="",
        metavar="ID,ID,...",
        help="exactly these blocks, instead of --from and --to",
    )
    command.add_argument(
        "-o",
        "--out",
        type=Path,
        required=True,
        help="NAME.loom.json" + "".join(f", or NAME{e} with its weights" for e in _packed()),
    )
    command.add_argument(
        "--weights",
        type=Path,
        metavar="SAFETENSORS",
        help="file for its weights (default: beside NAME.loom.json)",
    )
    files.add_checkpoint(command, "for a run: the checkpoint (default: best)")
    command.add_argument("--runs", type=Path, default=files.RUNS, help="folder of the runs")
    command.add_argument("--json", action="store_true", help="one JSON document")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Cut, compare, and write what is equal to the bit."""
    from core.insight.load_model import NotReady
    from core.insight.network_cache import opened
    from core.insight.part.api import check, compared_json
    from core.insight.part.extract import take

    _check_names(args)
    try:
        whole = opened(network(args))
        within, blocks = chosen(args, whole)
        taken = take(whole, blocks, within)
        comparisons, samples = check(whole, taken)
    except NotReady as error:
        raise output.Failed(error.message, error.hint) from None
    weights = write(args, taken)
    report = taken.opened.report
    output.say(f"{args.out} written: {', '.join(blocks)}")
    output.say(
        f"{len(comparisons)} Output{'s' * (len(comparisons) != 1)} compared on {samples} with the "
        "whole network: equal to the bit."
    )
    if args.json:
        output.answer(
            {
                "ok": True,
                "project": str(args.out),
                "weights": weights,
                "within": within,
                "blocks": blocks,
                "inputs": [name for name, _ in report.inputs],
                "outputs": [name for name, _ in report.outputs],
                "params": report.total_params,
                "renamed": {own: there for own, there in taken.keys.items() if own != there},
                "samples": samples,
                "compared": compared_json(comparisons),
            }
        )
    return 0


def _packed() -> list[str]:
    """Endings of files that hold a project with its weights."""
    return [kind.ENDING for _, kind in parts("file")]


def _check_names(args: argparse.Namespace) -> None:
    endings = (ENDING, *_packed())
    if not args.out.name.endswith(endings):
        raise output.UsageError(
            f"{args.out} is not a project file name.", f"Use the ending {' or '.join(endings)}."
        )
    if args.blocks and (args.start or args.end):
        raise output.UsageError("--blocks already lists all blocks.", "Leave out --from and --to.")


def network(args: argparse.Namespace) -> NetworkRef:
    """The network that is named; a project with the weights beside it, if there are any."""
    from app.cli import look

    args.epoch = None
    file = Path(args.source)
    beside = file.with_name(file.name.removesuffix(ENDING) + WEIGHTS)
    if not (file.name.endswith(ENDING) and file.is_file() and beside.is_file()):
        return look.network(args, args.source)
    from core.project import write_text

    project, _ = files.analysed(file)
    files.look_beside(file)
    output.say(f"The weights are in {beside.name}.")
    stamp = str(beside.stat().st_mtime_ns)
    return ImportedRef(write_text(project), beside.absolute(), stamp)


def chosen(args: argparse.Namespace, whole: "OpenedNetwork") -> tuple[str, list[str]]:
    """The path of the composite that the blocks are in, with its dot, and their ids in it.

    Raises UsageError for blocks that are not in one graph, or not there.
    """
    from core.graph import GraphError
    from core.graph.part import between
    from core.insight.part.extract import inside

    named = [name for name in (*args.blocks.split(","), args.start, args.end) if name]
    paths = {name.rpartition(".")[0] for name in named} or {""}
    if len(paths) > 1:
        first, second = (
            named[0],
            next(n for n in named if n.rpartition(".")[0] != named[0].rpartition(".")[0]),
        )
        raise output.UsageError(
            f"{first} and {second} are not inside the same composite.",
            "Choose blocks inside one composite, or the whole composite.",
        )
    if unknown := [name for name in named if name not in whole.report.nodes]:
        known = ", ".join(n for n in whole.report.nodes if n.count(".") == unknown[0].count("."))
        raise output.UsageError(f"There is no block {unknown[0]}.", f"There are {known[:600]}.")
    within = f"{path}." if (path := paths.pop()) else ""
    graph = inside(whole.project.graph, whole.report, within)
    start, end = (name.rpartition(".")[2] for name in (args.start, args.end))
    if args.blocks:
        return within, [name.rpartition(".")[2] for name in args.blocks.split(",") if name]
    try:
        return within, list(between(graph, start, end))
    except GraphError as error:
        raise output.UsageError(f"{error.node} {error.message}", error.hint) from None


def write(args: argparse.Namespace, taken: "ExtractedPart") -> str | None:
    """Write project and weights; where the weights are, None for those packed with the project."""
    from core.project import save_project

    project = taken.opened.project
    try:
        if kind := files.packed_kind(args.out):
            _write_packed(kind, args, taken)
            return None
        weights = args.weights or args.out.with_name(args.out.name.removesuffix(ENDING) + WEIGHTS)
        with files.gone_on_failure(*[] if args.out.exists() else [args.out]):
            save_project(project, args.out)
            _keep(taken, weights)
    except OSError as error:
        raise files.unwritable(args.out, error) from None
    return str(weights)


def _keep(taken: "ExtractedPart", weights: Path) -> None:
    from core.insight.part.extract import keep_weights

    keep_weights(taken, weights)


def _write_packed(kind: Any, args: argparse.Namespace, taken: "ExtractedPart") -> None:
    """Project and weights side by side, as an import leaves them, into one file."""
    from core.project import save_project

    stem = args.out.name.removesuffix(kind.ENDING)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{stem}{ENDING}"
        _keep(taken, file.with_name(f"{stem}{WEIGHTS}"))
        save_project(taken.opened.project, file)
        kind.pack(taken.opened.project, file, args.runs, args.out)
        if args.weights:
            _keep(taken, args.weights)
