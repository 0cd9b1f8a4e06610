"""Options of the command line for where a run trains: `--launcher` and what belongs to it."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli import output
from core.errors import RunError
from core.launch.catalogue import LAUNCHERS, kind_of, names, where
from core.settings.launcher import HERE, SEVERAL, SHARDINGS, Launcher

if TYPE_CHECKING:
    from core.project import Project


def declare(command: Any) -> None:
    """Add the options."""
    declare_place(command)
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


def declare_place(command: Any) -> None:
    """Add the options for where to train, without numbers of processes and machines."""
    summaries = "; ".join(f"{kind.name}: {kind.summary.rstrip('.').lower()}" for kind in LAUNCHERS)
    addresses = "; ".join(f"{kind.name}: {kind.address}" for kind in LAUNCHERS if kind.address)
    command.add_argument("--launcher", choices=names(), help=f"where to train ({summaries})")
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


def check(launcher: Launcher | None, training: Mapping[str, Any]) -> None:
    """Refuse what cannot train, before anything is written; note the choice of the user.

    Raises UsageError.
    """
    if launcher is None:
        return
    from core.launch.refusals import check_launcher
    from core.worker.launcher_trust import trust

    try:
        check_launcher(launcher, training)
        trust(launcher)
    except RunError as error:
        raise output.UsageError(error.message, error.hint) from None


def say_parts(
    launcher: Launcher | None, training: Mapping[str, Any], project: "Project", source: str | None
) -> None:
    """Say before a run starts what differs from one process.

    training: settings of the run. source: the text of the project's network.
    """
    from core.launch.smaller_batches import sentence

    if said := sentence(launcher, training, source or "", project.data):
        output.say(said)


def say_shares(launcher: Launcher, spec: Mapping[str, Any], folder: Path) -> None:
    """Say before a run goes on what differs from one process. spec: of the run."""
    from core.launch.smaller_batches import sentence
    from core.worker.launch import source_of

    training, data = spec.get("training", {}), spec.get("data", {})
    if launcher.world > 1 and (said := sentence(launcher, training, source_of(folder), data)):
        output.say(said)


def words(launcher: Launcher | None) -> str:
    """What a line on a new run adds: by which launcher it trains; "" for one process here."""
    place = where(launcher.as_spec()) if launcher else ""
    return f" ({place})" if place else ""
