"""`layerloom runs`, `resume`, `pause`, `checkpoint`, `stop`: list runs and control them."""

import argparse
from pathlib import Path
from typing import Any

from app import wing
from app.cli import files, launchers, output
from app.cli.progress import number
from app.cli.train import final, followed
from core.runs.duration import duration


def declare(commands: Any) -> None:
    """Add the five commands."""
    listed = add(commands, "runs", "list runs and their progress", listing, named=False)
    listed.add_argument(
        "--trials", action="store_true", help="list each trial of a sweep; else a sweep is one line"
    )
    again = add(commands, "resume", "continue exactly from the last checkpoint", resume)
    files.add_checkpoint(again, "continue from this checkpoint and discard everything after it")
    launchers.declare_again(again)
    again.add_argument("--detach", action="store_true", help="run in the background")
    add(commands, "pause", "pause at the next step; `resume` continues", pause)
    add(commands, "checkpoint", "write a checkpoint now; the run continues", checkpoint)
    add(commands, "stop", f"write a checkpoint and stop{_stoppable()}", stop)


def add(commands: Any, name: str, help_text: str, act: Any, named: bool = True) -> Any:
    """Add one command that takes a run."""
    command = commands.add_parser(name, help=help_text)
    if named:
        command.add_argument("name", metavar="RUN", help="name of a run, or its folder")
    command.add_argument("--runs", type=Path, default=files.RUNS, help="folder of the runs")
    command.add_argument("--json", action="store_true", help="one JSON document")
    command.set_defaults(run=act)
    return command


def listing(args: argparse.Namespace) -> int:
    """Print all runs of a folder; for people the trials of a sweep are one line."""
    from core.runs.damage import damage_of
    from core.runs.listing import list_runs
    from core.runs.rows import rows
    from core.runs.run_notes import read_notes

    views = list_runs(args.runs)
    tags = {view.name: read_notes(view.dir).tags for view in views}
    if args.json:
        records = [(final(Path(view.dir), view), tags[view.name]) for view in views]
        output.answer([{**record, "tags": list(words)} for record, words in records])
    elif views:
        apart = [view.name for view in views] if args.trials else []
        lines = [
            sweep_row(each) if each.sweep else (*row(each.best), ", ".join(tags[each.best.name]))
            for each in rows(views, apart)
        ]
        header = ("run", "state", "epoch", "time", "metrics", "verdict")
        header = (*header, "tags" if any(line[-1] for line in lines) else "")
        output.put(output.table(header, lines))
        for view in views:
            for sentence in damage_of(view.dir):
                output.say(f"{view.name}: {sentence}")
        if len(lines) < len(views):
            output.say("`layerloom runs --trials` lists each trial of a sweep.")
    else:
        output.say(f"There are no runs in {args.runs} yet. `layerloom train FILE` makes one.")
    return 0


def sweep_row(trials: Any) -> tuple[str, ...]:
    """Write the trials of a sweep as the cells of one line: those of its best, the time of all."""
    states = ", ".join(f"{count} {state}" for state, count in trials.states)
    took = duration(sum(view.elapsed_s or 0 for view in trials.views))
    _, _, epoch, _, metrics, title = row(trials.best)
    return f"{trials.sweep}: {trials.count}", states, epoch, took, metrics, title, ""


def row(view: Any) -> tuple[str, ...]:
    """Write one run as cells."""
    from core.runs.verdict import verdict_of
    from core.worker.launchers import where

    metrics = "  ".join(
        f"{name} {number(name, value)}"
        for name, value in view.metrics.items()
        if isinstance(value, float) and name.startswith("val_")
    )
    took = duration(view.elapsed_s or 0)
    if view.compiled:
        took += f" (compiled from step {view.compiled['from_step']}, {view.compiled['times']:g} x)"
    state = f"{view.state}: disk full" if view.disk_full else view.state
    state += f" ({place})" if (place := where(view.launcher)) else ""
    verdict = verdict_of(view.dir, view)
    title = "" if verdict.kind == "none" else verdict.title
    return view.name, state, f"{view.epoch}/{view.epochs}", took, metrics, title


def resume(args: argparse.Namespace) -> int:
    """Continue a run and follow it to the end."""
    from core.worker import launch

    folder = files.run_folder(args.name, args.runs)
    moved = launchers.moved(args, folder)

    def go_on() -> None:
        launch.resume(folder, args.checkpoint or "last", **moved)
        output.say(f"{folder.name} continues{launchers.words(moved.get('launcher'))}")

    return followed(go_on, folder, args)


def pause(args: argparse.Namespace) -> int:
    """Ask a run to wait."""
    from core.worker import launch

    folder = files.run_folder(args.name, args.runs)
    launch.pause(folder)
    return confirm(folder, "will pause at its next step.", args)


def checkpoint(args: argparse.Namespace) -> int:
    """Ask a run for a checkpoint."""
    from core.worker import launch

    folder = files.run_folder(args.name, args.runs)
    launch.request_checkpoint(folder)
    return confirm(folder, "writes a checkpoint and continues.", args)


def _stoppable() -> str:
    """What else can be stopped, in words that end the help."""
    nouns = sorted((part.NOUN for _, part in wing.parts("stop")), reverse=True)
    return f"; for {' and '.join(nouns)}, too" if nouns else ""


def stop(args: argparse.Namespace) -> int:
    """Ask a run to stop, or a sweep, or what a wing does with a run; a second time, end it."""
    from core.runs.listing import view_run
    from core.worker import launch

    of_wings = [part.stop for _, part in wing.parts("stop")]
    if not (args.runs / args.name / "spec.json").is_file():
        for stop_of in of_wings:
            if (status := stop_of(None, args)) is not None:
                return status
    folder = files.run_folder(args.name, args.runs)
    view = view_run(folder)
    if view.state in ("queued", "running", "paused", "hung"):
        answer = launch.stop(folder)
        return confirm(folder, stopping(folder), args, stop=answer)
    for stop_of in of_wings:
        if (status := stop_of(folder, args)) is not None:
            return status
    raise output.Failed(f"{folder.name} is not running (state: {view.state}).")


def stopping(folder: Path) -> str:
    """What became of a run that should stop, or what will happen to it."""
    from core.runs.listing import view_run
    from core.worker import force, launch

    view = view_run(folder)
    if launch.before_first_step(folder):
        return "will stop when setup is done; `layerloom stop` again ends it now."
    if view.state in ("running", "queued", "paused"):
        return force.ASKED
    if view.state == "crashed":  # it no longer answered
        return f"did not respond and was killed. {view.hint}".strip()
    return f"has {view.state}. {view.message}".strip()


def confirm(folder: Path, request: str, args: argparse.Namespace, **more: str) -> int:
    """Print the request that was sent to a run."""
    if args.json:
        output.answer({"ok": True, "run": folder.name, "folder": str(folder), **more})
    output.say(f"{folder.name} {request}")
    return 0
