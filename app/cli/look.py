"""`layerloom look`: values, gradients, explanations and cost for one sample of a run."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli import files, output
from app.cli.summary import positive
from core.common.network_ref import CheckpointRef, NetworkRef, ProjectRef, RunRef

if TYPE_CHECKING:
    from core.insight.look.view import LookRequest, LookResult


def declare(commands: Any) -> None:
    """Add the command."""
    from core.insight.look.catalogue import LOOKS

    command = commands.add_parser("look", help="look inside: values, gradients, explanations, cost")
    command.add_argument("source", metavar="RUN|FILE", help="a run (its best weights) or a project")
    command.add_argument(
        "--what",
        choices=list(LOOKS),
        default="values",
        metavar="WHAT",
        help="; ".join(f"{name}: {way.about}" for name, way in LOOKS.items()),
    )
    command.add_argument(
        "--sample",
        type=count,
        default=0,
        metavar="N",
        help="index of the validation sample, from 0",
    )
    command.add_argument("--block", default="", metavar="ID", help="id of the block")
    command.add_argument(
        "--class",
        dest="wanted",
        default="",
        metavar="NAME",
        help=("explain this class or token instead of the predicted one"),
    )
    command.add_argument(
        "--place",
        type=count,
        default=-1,
        metavar="N",
        help="explain the token or step at this position",
    )
    command.add_argument(
        "--check", action="store_true", help="sanity check: compare with random weights"
    )
    command.add_argument(
        "--epoch", type=positive, metavar="N", help=("an epoch of the run whose weights were kept")
    )
    files.add_checkpoint(command, "for a run: the checkpoint (default: best)")
    command.add_argument(
        "--batch", type=positive, default=0, metavar="N", help="batch size for profile and memory"
    )
    command.add_argument(
        "-o",
        "--out",
        type=Path,
        help=("file to write: .json, .npz (arrays) or .png; for a film .webp or .gif"),
    )
    command.add_argument("--tsne", action="store_true", help="embed by t-SNE instead of PCA")
    command.add_argument(
        "--channel", type=count, default=0, metavar="N", help="channel of the block to maximise"
    )
    command.add_argument(
        "--against", default="", metavar="RUN|FILE", help="compare with the blocks of this network"
    )
    command.add_argument("--runs", type=Path, default=files.RUNS, help="folder of the runs")
    command.add_argument("--json", action="store_true", help="one JSON document")
    command.set_defaults(run=run)


def count(text: str) -> int:
    """Read a whole number from 0. Raises ArgumentTypeError, which argparse prints."""
    if not text.isdecimal() or len(text) > 9:
        raise argparse.ArgumentTypeError(f"needs a whole number of 0 or more: {text}")
    return int(text)


def run(args: argparse.Namespace) -> int:
    """Look, and print or write what is seen."""
    from core.insight.look.catalogue import LOOKS, look
    from core.insight.look.view import LookRequest

    view = LOOKS[args.what]
    check_out(args.out, view.endings)
    if view.all_epochs and args.epoch:
        raise output.UsageError("A film shows all kept epochs.", "Leave out --epoch.")
    ref = network(args, args.source)
    if view.sample:
        check_sample(ref, args.sample)
    other = network(args, args.against) if args.against else None
    request = LookRequest(
        args.what,
        args.sample,
        args.block,
        args.wanted,
        args.place,
        args.batch,
        args.check,
        args.tsne,
        other,
        args.channel,
        args.out.suffix[1:] if args.out else "",
    )
    result = look(ref, request)
    document = {
        "ok": True,
        "source": args.source,
        "epoch": args.epoch,
        **about(request),
        **result.document,
    }
    if args.out:
        write(result, document, args.out)
        output.say(f"{args.out} written")
    if args.json:
        output.answer(document)
    else:
        output.put_lines(result.lines)
    return 0


def about(request: "LookRequest") -> dict[str, Any]:
    """The request, for the document."""
    from core.insight.look.catalogue import LOOKS

    return {
        "what": request.what,
        **({"sample": request.sample} if LOOKS[request.what].sample else {}),
    }


def network(args: argparse.Namespace, source: str) -> NetworkRef:
    """The network that is named: best weights of a run, those of an epoch, or random ones."""
    file = Path(source)
    if source.endswith(".json") or file.is_file():
        if args.epoch:
            raise output.UsageError(
                "A project has no epochs.", "Choose a run, or leave out --epoch."
            )
        files.weights_of(None, args.checkpoint)
        project, _ = files.analysed(file)
        files.look_beside(file)
        from core.project import write_text

        output.say("The weights are random, because a project has no trained weights.")
        return ProjectRef(write_text(project))
    folder = files.run_folder(source, args.runs)
    files.find_data(folder)
    if args.epoch and args.checkpoint:
        raise output.UsageError(
            "--epoch and --checkpoint cannot be combined.", "Leave out one of them."
        )
    if args.checkpoint:
        return CheckpointRef(folder, files.weights_of(folder, args.checkpoint))
    if not args.epoch:
        return RunRef(folder)
    return CheckpointRef(folder, kept_epoch(folder, args.epoch))


def kept_epoch(folder: Path, epoch: int) -> str:
    """The checkpoint of an epoch. Raises UsageError where it was not kept."""
    from core.runs import epoch_weights
    from core.runs.checkpoint import epoch_name, epochs

    best = {int(each.removeprefix("epoch-")) for each in epochs(folder)}
    kept = sorted(best | set(epoch_weights.epochs(folder)))
    if epoch not in kept:
        there = ", ".join(map(str, kept)) or "none"
        raise output.UsageError(
            f"{folder.name} has no weights of epoch {epoch}; kept: {there}.",
            "A run keeps up to 256 MB of evenly spaced epochs. Without --epoch the best one is "
            "used.",
        )
    return epoch_name(epoch)


def check_sample(ref: NetworkRef, index: int) -> None:
    """Raise UsageError for a sample that is not there; DataError where the data is not."""
    from core.insight.network_cache import validation

    total = len(validation(ref)[1])
    if index >= total:
        raise output.UsageError(
            f"There is no sample {index}.", f"Validation samples are numbered 0 to {total - 1}."
        )


def check_out(out: Path | None, kinds: tuple[str, ...]) -> None:
    """Raise UsageError for a file of another kind than can be written of this."""
    if out and out.suffix not in kinds:
        listed = f"{', '.join(kinds[:-1])} or {kinds[-1]}"
        raise output.UsageError(f"{out} has an unknown file type.", f"Use {listed}.")


def write(result: "LookResult", document: dict[str, Any], out: Path) -> None:
    """Write a result in the format of the file's ending. Raises UsageError for another."""
    import io
    import json

    import numpy as np

    from app.strict_json import json_safe

    if out.suffix == ".json":
        text = result.text or json.dumps(json_safe(document), indent=2, allow_nan=False)
        files.write_out(text, out)
        return
    if out.suffix == ".png" and not result.picture:
        raise output.UsageError(
            "This result cannot be drawn as an image.", "Write .npz or .json, or choose one block."
        )
    content = result.film or result.picture
    if out.suffix == ".npz":
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **dict(result.arrays))  # pyright: ignore[reportArgumentType]
        content = buffer.getvalue()
    files.write_bytes_out(content, out)
