"""`layerloom train`: training in a run folder."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app import wing
from app.cli import files, interrupt, launchers, output, overrides
from app.cli.watch_run import doubts, follow, report_end

if TYPE_CHECKING:
    from core.settings.launcher import Launcher

SPARE_S = 60.0
"""Seconds that a process made for this run is kept where the run cannot take it, as in a queue."""


def declare(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser("train", help="train a project in a new run folder; Ctrl-C stops")
    command.add_argument("file", type=Path, help="a project, NAME.loom.json")
    command.add_argument("--runs", type=Path, default=files.RUNS, help="folder of the runs")
    command.add_argument(
        "--set",
        dest="pairs",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a setting for this run only, such as lr=0.01 or fc1.out_features=64",
    )
    for _, part in wing.parts("train"):
        part.declare(command)
    command.add_argument(
        "--defaults",
        action="store_true",
        help="if the project has no training settings, use the defaults, not the suggestions",
    )
    launchers.declare(command)
    command.add_argument("--detach", action="store_true", help="run in the background")
    command.add_argument(
        "--json", action="store_true", help=("print the final metrics as JSON at the end")
    )
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Train a project and follow it to the end."""
    for _, part in wing.parts("train"):
        if (status := part.run(args)) is not None:
            return status
    from core import open_project
    from core.settings.schema import TRAINING

    project = open_project(args.file)
    values = overrides.read(args.pairs, TRAINING, tuple(project.graph.nodes))
    project, settings = overrides.parted(project, values)
    launcher = launchers.read(args)
    launchers.check(launcher, {**project.training, **settings})
    from core.worker import warm_worker

    # its process imports torch while this one does
    spare = None if launcher else warm_worker.warm(SPARE_S, wanted=True)
    report = files.analysis(project, args.file, args.json)
    files.read_data(project, args.file)
    if not args.defaults:
        project = overrides.as_suggested(project, report, settings)
    folder = prepared(project, report, args, settings, launcher)
    from core.worker.launch import start

    output.say(f"{project.name} trains in {folder}{launchers.words(launcher)}")
    settings_now = {**project.training, **settings}
    launchers.say_parts(launcher, folder, settings_now, project, report.source)
    warn_without_effect(folder, report)
    if spare:
        spare.join()
    return followed(lambda: start(folder), folder, args)


def prepared(
    project: Any,
    report: Any,
    args: argparse.Namespace,
    settings: dict[str, Any],
    launcher: "Launcher | None" = None,
) -> Path:
    """Make the run folder. Raises UsageError where a setting given here is the fault."""
    from app.services.paths import file_id
    from core.common.errors import TrainingError
    from core.prepare.create import prepare

    document = file_id(args.file.resolve())
    try:
        beside = args.file.parent
        return prepare(project, report, args.runs, settings, beside, document, launcher)
    except TrainingError as error:
        if any(
            name in (error.subject, error.subject.removeprefix("training.")) for name in settings
        ):
            raise output.UsageError(error.message, error.hint) from None
        raise


def warn_without_effect(folder: Path, report: Any) -> None:
    """Warn about settings that have no effect."""
    from core import open_project
    from core.data import describe_project, ends
    from core.runs.files import read_json
    from core.settings.checks import without_effect

    project = open_project(folder / "project.loom.json")
    info = describe_project(project, *ends(report.inputs, report.outputs))
    for sentence in without_effect(read_json(folder / "spec.json")["training"], info.train_size):
        output.say(f"warning: {sentence}")


def followed(start: Callable[[], object], folder: Path, args: argparse.Namespace) -> int:
    """Start a run and follow it; Ctrl-C stops it from the moment on in which it is listed."""
    from core.worker.launch import stop

    with interrupt.attended():
        try:
            start()
            return attend(folder, args)
        except KeyboardInterrupt:
            with interrupt.unheeded():
                stop(folder)
            raise


def attend(folder: Path, args: argparse.Namespace) -> int:
    """Follow a started run, or leave it alone."""
    if args.detach:
        if args.json:
            output.answer({"ok": True, "run": folder.name, "folder": str(folder)})
        return 0
    from core.runs.verdict import verdict_of

    view = follow(folder)
    if args.json:
        output.answer(final(folder, view))
    return report_end(view, verdict_of(folder, view))


def final(folder: Path, view: Any) -> dict[str, Any]:
    """What `--json` ends with: state, epoch, the last metrics, the verdict."""
    from core.runs.verdict import verdict_of

    verdict = verdict_of(folder, view)
    return {
        "ok": view.state in ("finished", "stopped", "paused"),
        "run": view.name,
        "folder": str(folder),
        "state": view.state,
        "epoch": view.epoch,
        "epochs": view.epochs,
        "step": view.step,
        "elapsed_s": view.elapsed_s,
        "metrics": dict(view.metrics),
        "test": view.test,
        "launcher": view.launcher,
        "message": view.message,
        "hint": view.hint,
        "warnings": list(view.warnings),
        "verdict": {**verdict_record(verdict), "doubts": doubts(folder, verdict)},
    }


def verdict_record(verdict: Any) -> dict[str, Any]:
    """A verdict for `--json`: kind, title, reason, and remedies with their settings."""
    remedies = [{"title": each.title, "set": dict(each.changes)} for each in verdict.remedies]
    reached = {"kind": verdict.kind, "title": verdict.title, "reason": verdict.reason}
    return {**reached, "remedies": remedies}
