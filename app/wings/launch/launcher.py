"""Options of the command line for where a run trains: `--launcher` and what belongs to it."""

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli import launchers, output
from core.common.errors import RunError
from core.runs.files import read_json
from core.settings.launcher import HERE, SEVERAL, SHARDINGS, Launcher, divided
from core.settings.step_settings import ACCUMULATE, StepSettings
from core.worker.launchers import kind_of, kinds

if TYPE_CHECKING:
    from core.project import Project


def declare(command: Any) -> None:
    """Add the options."""
    _declare_place(command)
    command.add_argument(
        "--nproc",
        type=int,
        metavar="N",
        help="processes on each machine, which share each step; its samples stay the same",
    )
    command.add_argument("--nnodes", type=int, default=1, metavar="M", help="machines (slurm, ray)")
    command.add_argument(
        "--sharding",
        choices=SHARDINGS,
        default="ddp",
        help="what each process keeps of the weights: all (ddp), or its share (fsdp)",
    )


def declare_again(command: Any) -> None:
    """Add the options for where a run goes on."""
    command.add_argument(
        "--nproc",
        type=int,
        metavar="N",
        help=f"on N processes from here on; N divides the run's {ACCUMULATE}",
    )
    _declare_place(command)
    command.add_argument(
        "--sharding",
        choices=SHARDINGS,
        help="keep all weights on each process (ddp) or its share of them (fsdp) from here on",
    )


def _declare_place(command: Any) -> None:
    """Add the options for where to train, without numbers of processes and machines."""
    summaries = "; ".join(f"{kind.name}: {kind.summary.rstrip('.').lower()}" for kind in kinds())
    names = [kind.name for kind in kinds()]
    addresses = "; ".join(f"{kind.name}: {kind.address}" for kind in kinds() if kind.address)
    command.add_argument("--launcher", choices=names, help=f"where to train ({summaries})")
    command.add_argument("--address", default="", help=addresses)


def read(args: argparse.Namespace) -> Launcher | None:
    """The launcher that the options name, None where they name none.

    Several processes without --launcher are those of this machine. Raises UsageError for values
    that a launcher cannot have.
    """
    kind = args.launcher or HERE
    if kind == HERE and args.nproc is not None and args.nproc > 1:
        kind = SEVERAL
    try:
        processes = 1 if args.nproc is None else args.nproc
        launcher = Launcher(kind, processes, args.nnodes, args.address, args.sharding)
    except RunError as error:
        raise output.UsageError(error.message, error.hint) from None
    return None if launcher.plain and args.nproc is None else launcher


def new_launcher(args: argparse.Namespace, before: Launcher) -> Launcher | None:
    """The launcher of a run that goes on where the options say; None where they name none.

    before: where it trained; its numbers are kept where the new launcher has a use for them.
    """
    if args.launcher is None:
        if args.address:
            raise output.UsageError("--address belongs to --launcher.", "Add --launcher.")
        return None
    kind = kind_of(args.launcher)
    processes = before.world if before.machines > 1 and not kind.machines else before.processes
    machines = before.machines if kind.machines else 1
    processes = args.nproc or processes
    sharding = getattr(args, "sharding", None) or before.sharding
    try:
        return Launcher(args.launcher, processes, machines, args.address, sharding)
    except RunError as error:
        raise output.UsageError(error.message, error.hint) from None


def moved(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """What the options say of where a run goes on, as `core.worker.launch.resume` takes it.

    Says what differs from one process. Raises UsageError.
    """
    if args.nproc is not None and args.nproc < 1:
        raise output.UsageError("--nproc needs 1 or more.")
    spec = read_json(folder / "spec.json")
    before = Launcher.read(spec)
    launcher = new_launcher(args, before)
    launchers.check(launcher, spec.get("training", {}))
    if launcher or args.nproc:
        _say_shares(launcher or replace(before, processes=args.nproc), spec, folder)
    return {"processes": args.nproc, "sharding": args.sharding, "launcher": launcher}


def say_parts(
    launcher: Launcher | None,
    folder: Path,
    training: Mapping[str, Any],
    project: "Project",
    source: str | None,
) -> None:
    """Say before a run starts how processes share its steps, and what differs from one.

    training: settings of the run. source: the text of the project's network.
    """
    from core.wings.launch.smaller_batches import sentence

    if launcher is None or launcher.world < 2:
        return
    output.say(shared(folder, launcher))
    if said := sentence(launcher, training, source or "", project.data):
        output.say(said)


def shared(folder: Path, launcher: Launcher) -> str:
    """How the processes of a run share a step, as a sentence."""
    training = divided(read_json(folder / "spec.json")["training"], launcher.world)
    step = StepSettings.of(training)
    return (
        f"{launcher.world} processes share each step of {step.samples} samples: {step.batches} "
        f"micro-batches of {step.batch_size} ({step.words()}). Sums are rounded in other places "
        "than by one process without them."
    )


def _say_shares(launcher: Launcher, spec: Mapping[str, Any], folder: Path) -> None:
    """Say before a run goes on what differs from one process. spec: of the run."""
    from core.wings.launch.smaller_batches import sentence
    from core.worker.launch import source_of

    training, data = spec.get("training", {}), spec.get("data", {})
    if launcher.world > 1 and (said := sentence(launcher, training, source_of(folder), data)):
        output.say(said)
