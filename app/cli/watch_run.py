"""Following a run until it ends; Ctrl-C stops it with a checkpoint."""

import contextlib
import time
from pathlib import Path
from typing import Any

from app import wing
from app.cli import interrupt, output
from app.cli.progress import Progress
from core.runs.duration import duration

ENDED = ("finished", "stopped", "failed", "crashed", "hung", "lost")
POLL_S = 0.2


def follow(folder: Path) -> Any:
    """Show a run until it has ended, and return its last view.

    The first Ctrl-C asks for a stop with a checkpoint; a second one ends the run.
    """
    with interrupt.attended():
        return _follow(folder, Progress())


def _follow(folder: Path, progress: Progress) -> Any:
    offset, attempt = 0, newest(folder)
    while True:
        try:
            view, offset = show_progress(folder, offset, progress, attempt)
            if view.state in ENDED or (view.state == "paused" and not view.disk_full):
                progress.clear()
                return view
            time.sleep(POLL_S)
        except KeyboardInterrupt:
            progress.clear()
            stop(folder)


def newest(folder: Path) -> int:
    """The number of the attempt that was requested last."""
    from core.runs.files import read_json

    return int(read_json(folder / "control.json").get("attempt", 0))


def show_progress(folder: Path, offset: int, progress: Progress, attempt: int) -> tuple[Any, int]:
    """Draw what is new in an attempt since `offset`, and give the view with the new offset."""
    from core.runs.listing import read_metrics, view_run

    view = view_run(folder)  # before the metrics: what an ended run wrote is all there
    begun = view.attempt >= attempt and view.state != "queued"
    if not begun:  # an attempt begins by cutting off what the one before wrote too much
        progress.phase(view)
        progress.state(view)
        return view, 0
    records, offset = read_metrics(folder, offset)
    for record in records:
        if record.get("kind") == "epoch" and record.get("attempt", 0) >= attempt:
            progress.epoch(record)
    progress.warnings(view)
    progress.state(view)
    return view, offset


def stop(folder: Path) -> None:
    """Ask a run to stop; where that was asked before, or is while it is being asked, end it."""
    from core.worker import force, launch, supervisor

    if not supervisor.unwanted(folder):
        with contextlib.suppress(KeyboardInterrupt):
            output.say(f"Stopping with a checkpoint... {force.AGAIN}")
            launch.stop(folder)
            return
    with interrupt.unheeded():
        _end(folder)


def _end(folder: Path) -> None:
    """End a run, also where the first request was not written yet."""
    from core.worker import force, launch, supervisor

    output.say(force.ENDING)
    if not supervisor.unwanted(folder):
        launch.stop(folder)
    launch.stop(folder)


def report_end(view: Any, verdict: Any = None) -> int:
    """Say how a run ended and the verdict on it, and give the exit status that means."""
    took = f" after {duration(view.elapsed_s)}" if view.elapsed_s else ""
    output.say(f"{view.name} {view.state}{took}, at epoch {view.epoch} of {view.epochs}.")
    if view.message:
        output.say(view.message)
    if view.hint:
        output.say(f"  hint: {view.hint}")
    if view.test:
        output.say(words_of_test(view))
    if verdict is not None and verdict.kind != "none":
        remedy = f" Try: {set_words(verdict.remedies[0])}" if verdict.remedies else ""
        output.say(f"Verdict: {verdict.title}. {verdict.reason}{remedy}")
        for doubt in doubts(view.dir, verdict):
            mend = f" Mend: {doubt['mend']['title']}." if doubt["mend"] else ""
            output.say(f"  {doubt['sentence']}{mend}")
    if view.state == "stopped":
        from core.runs.checkpoint_records import recorded

        what = "continues from here" if recorded(view.dir, "last") else "starts it again"
        output.say(f"`layerloom resume {output.shell_word(view.dir)}` {what}.")
    return 0 if view.state in ("finished", "stopped", "paused") else 1


def doubts(folder: Path, verdict: Any) -> list[dict[str, Any]]:
    """What puts a verdict in doubt, by the wings that are here."""
    return [doubt for _, part in wing.parts("doubt") for doubt in part.words(folder, verdict)]


def words_of_test(view: Any) -> str:
    """What the test part shows for a run, and how often it was used."""
    from core.tasks.metric_labels import metric_words, shown

    metrics = view.test["metrics"].items()
    metrics_text = ", ".join(
        f"{metric_words(k, view.aims)} {shown(k, v, decimals=2)}" for k, v in metrics
    )
    often = "" if view.test["times"] == 1 else f", evaluated {view.test['times']} times"
    return (
        f"Test set: {metrics_text} ({view.test['samples']:,} samples, weights of epoch "
        f"{view.test['epoch']}{often})."
    )


def set_words(remedy: Any) -> str:
    """A remedy as it is typed: `--set lr=0.003`."""
    values = {
        name: "null" if v is None else str(v).lower() if isinstance(v, bool) else v
        for name, v in remedy.changes.items()
    }
    return " ".join(f"--set {output.shell_word(f'{name}={v}')}" for name, v in values.items())
