"""`layerloom plan`: memory and speed of a training on several GPUs and machines."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli import files, output
from app.cli.summary import positive

if TYPE_CHECKING:
    from core.wings.plan.plan import Machines, Plan, PlanOption

AFTER = "summary"
GB = 1_000_000_000
MOST = 1024
TITLES = {"ddp": "DDP", "fsdp": "FSDP"}
PARTS = ("weights", "gradients", "optimizer", "communication", "whole", "kept", "temporary")
HEADER = ("", *PARTS, "total", "largest batch", "ms/step", "steps/s", "speed-up", "fits")


def declare(commands: Any) -> None:
    """Add the command."""
    from core.wings.plan.links import BETWEEN, LINKS, WITHIN

    command = commands.add_parser(
        "plan", help="memory and steps per second on several GPUs, before renting them"
    )
    command.add_argument("file", type=Path, help="a project, NAME.loom.json")
    command.add_argument("--gpus", type=count, default=1, metavar="N", help="GPUs of each machine")
    command.add_argument("--machines", type=count, default=1, metavar="M", help="machines")
    command.add_argument(
        "--memory", type=amount, default=80.0, metavar="GB", help="memory of each GPU (default: 80)"
    )
    command.add_argument(
        "--batch", type=positive, metavar="N", help="batch size in place of the project's"
    )
    links = "; ".join(f"{link.name}: {link.title}" for link in LINKS.values())
    command.add_argument(
        "--link", choices=LINKS, default=WITHIN, help=f"between GPUs: {links}".replace("%", "%%")
    )
    command.add_argument(
        "--between", choices=LINKS, default=BETWEEN, help="the same, between machines"
    )
    command.add_argument(
        "--bandwidth",
        type=amount,
        metavar="GB/S",
        help="bandwidth of the slowest link one way, in place of that of --link and --between",
    )
    command.add_argument(
        "--step-ms",
        type=amount,
        metavar="MS",
        help="time of a step of the batch size on one such GPU, in place of measuring it here",
    )
    command.add_argument("--json", action="store_true", help="one JSON document")
    command.set_defaults(run=run)


def count(text: str) -> int:
    """Read a number of GPUs or machines. Raises ArgumentTypeError, which argparse prints."""
    number = int(text) if text.isdecimal() and len(text) < 6 else 0
    if not 1 <= number <= MOST:
        raise argparse.ArgumentTypeError(f"needs a whole number from 1 to {MOST:,}: {text}")
    return number


def amount(text: str) -> float:
    """Read a positive number. Raises ArgumentTypeError, which argparse prints."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1e9:
        raise argparse.ArgumentTypeError(f"needs a positive number: {text}")
    return number


def run(args: argparse.Namespace) -> int:
    """Print the plan of a project."""
    project, report = files.analysed(args.file)
    files.read_data(project, args.file)
    from dataclasses import replace

    from core.data import describe_project, ends
    from core.settings.step_settings import StepSettings
    from core.settings.validate import resolve
    from core.wings.plan.plan import plan
    from core.wings.plan.sizes import sizes_of

    info = describe_project(project, *ends(report.inputs, report.outputs))
    training = resolve(project.training, info.task, info.losses, info.rare)
    step = StepSettings.of(training)
    step = replace(step, batch_size=args.batch or step.batch_size)
    machines = machines_of(args)
    times = times_of(args, project, step.batch_size, machines.world)
    sizes = sizes_of(report, training)
    found = plan(sizes, times, machines, step, training["precision"])
    if args.json:
        output.answer({"ok": True, **found.json()})
    else:
        output.put_lines(lines(found))
    return 0


def machines_of(args: argparse.Namespace) -> "Machines":
    """The machines that the options describe."""
    from dataclasses import replace

    from core.wings.plan.links import LINKS
    from core.wings.plan.plan import Machines

    within, between = LINKS[args.link], LINKS[args.between]
    if args.bandwidth:
        title = f"a link of {args.bandwidth:g} GB/s"
        within, between = (
            replace(link, bandwidth=args.bandwidth * GB, title=title) for link in (within, between)
        )
    return Machines(args.gpus, args.machines, int(args.memory * GB), within, between)


def times_of(args: argparse.Namespace, project: Any, batch: int, world: int) -> Any:
    """Times of a step: as given, or measured here for the whole batch and a process's part."""
    from core.project import write_text
    from core.wings.plan.step_time import StepTime, measure_steps

    if args.step_ms:
        return StepTime("a GPU, as given", ((batch, args.step_ms),))
    part = max(2, batch // world)
    beside = str(args.file.absolute().parent)
    return measure_steps(write_text(project), (part, max(batch, part)), beside)


def lines(plan: "Plan") -> list[str]:
    """The plan as text."""
    machines = plan.machines
    link = f", {machines.link.title}" if machines.world > 1 else ""
    text = [
        f"{plural(machines.machines, 'machine')} with {plural(machines.gpus, 'GPU')} each of "
        f"{machines.memory / GB:g} GB ({machines.usable / GB:.3g} GB usable){link}",
        f"A step has {plan.samples:,} samples: {plan.parts}, timed on {plan.device}",
        "",
        *output.table(HEADER, [row(way, title(plan, way)) for way in plan.ways]).splitlines(),
        "",
    ]
    if plan.device == "this CPU":
        text.append(
            "Times are those of this CPU. For a GPU, give its time per step with --step-ms."
        )
    for way in plan.ways:
        text += [f"{title(plan, way)}: {sentence}" for sentence in way.helps]
    return text


def title(plan: "Plan", way: "PlanOption") -> str:
    """What a way to train is called."""
    return TITLES[way.sharding] if plan.machines.world > 1 else "One GPU"


def row(way: "PlanOption", name: str) -> list[str]:
    """One way as cells: memory, times in milliseconds."""
    memory = way.memory
    parts = [getattr(memory, part) for part in PARTS]
    return [
        name,
        *(in_units(part) for part in (*parts, memory.total)),
        f"{way.largest_batch:,}",
        f"{way.step_ms:.2f}",
        f"{way.steps_per_s:.1f}",
        f"{way.speed_up:.2f}",
        "yes" if way.fits else "no",
    ]


def in_units(size: int) -> str:
    """Bytes as kB, MB or GB."""
    if size < 1_000_000:
        return f"{size / 1_000:.1f} kB"
    return f"{size / GB:.2f} GB" if size >= GB else f"{size / 1_000_000:.1f} MB"


def plural(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number} {noun}{'s' if number > 1 else ''}"
