"""The loop over the trials of a sweep. Each trial is an ordinary run, started like all others.

The journal is the only memory: a trial is RUNNING there until its run has ended, so whoever
continues a sweep finds its runs, and adopts those that live or can go on. What fails because of
its settings is PRUNED there, marked as failed: the sampler passes over what is FAIL, and would
draw the like of it again and again.
"""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeGuard

import optuna
from optuna.trial import FrozenTrial, Trial, TrialState

from core.analyse import analyse_project
from core.errors import RunError, SweepError, TrainingError
from core.prepare import create
from core.project import Project
from core.runs import checkpoint, listing
from core.runs.files import read_json, write_json
from core.runs.listing import RunView
from core.runs.run_notes import NOTE_LENGTH, RunNotes, write_notes
from core.settings.override import put
from core.sweep import study
from core.sweep.check import Goal
from core.sweep.files import SweepRequest
from core.sweep.search_space import Searched, settings_text
from core.sweep.together import grouped, width
from core.worker import launch, warm_worker

POLL_S = 0.2
STOP_S = 60.0


@dataclass
class Sweep:
    """A sweep under way. project: with what is fixed. beside: where the project's file lies."""

    runs_dir: Path
    asked: SweepRequest
    project: Project
    space: list[Searched]
    goal: Goal
    study: optuna.Study
    beside: Path | None = None
    counted: bool = False  # whether all combinations are lined up


@dataclass
class Live:
    """A trial whose run has not ended. offset: how far its metrics were read.

    first: the run whose process it shares, None while it waits for one.
    """

    trial: Trial
    run_dir: Path
    first: Path | None = None
    offset: int = 0
    reported: set[int] = field(default_factory=lambda: set())


@dataclass(frozen=True)
class SweepProgress:
    """Progress of a sweep. live: trials and their runs; ended: trials that ended since the last."""

    live: tuple[tuple[int, RunView], ...]
    ended: tuple[int, ...]


def drive(sweep: Sweep, jobs: int = 1) -> Iterator[SweepProgress]:
    """Go through the trials, so many processes at once, and tell how it stands.

    Several times a second. Trials that may train together share a process.
    """
    live: list[Live] = []
    for frozen in _running(sweep):
        yield from _add_live(live, frozen.number, _resume_trial(sweep, frozen))
    while True:
        yield from _launched(sweep, live, jobs)
        views = {one.run_dir: listing.view_run(one.run_dir) for one in live}
        ended = [one for one in live if one.first and _has_ended(sweep, one, views[one.run_dir])]
        live = [one for one in live if one not in ended]
        still = tuple((one.trial.number, views[one.run_dir]) for one in live)
        yield SweepProgress(still, tuple(one.trial.number for one in ended))
        if len({one.first for one in live}) < jobs and _left(sweep) and _all_begun(live):
            for _ in range(width(sweep, _left(sweep))):
                trial = study.ask_trial(sweep.study, sweep.asked, sweep.space)
                yield from _add_live(live, trial.number, _make_trial(sweep, trial))
            if _left(sweep) and sweep.asked.together == "off":
                warm_worker.warm()  # the next trial then begins without importing torch
        elif not live:
            return
        elif not ended:
            time.sleep(POLL_S)


def _add_live(live: list[Live], number: int, one: Live | None) -> Iterator[SweepProgress]:
    """Note a trial that trains; tell of one that has ended without."""
    if one is None:
        yield SweepProgress((), (number,))
    else:
        live.append(one)


def _all_begun(live: Sequence[Live]) -> bool:
    return all(one.first for one in live)


def _launched(sweep: Sweep, live: list[Live], jobs: int) -> Iterator[SweepProgress]:
    """Start the runs that have no process yet, group by group; tell of those that cannot."""
    free = jobs - len({one.first for one in live if one.first})
    waiting = {one.run_dir: one for one in live if one.first is None}
    for run_dirs in grouped(list(waiting), sweep.asked.together)[: max(0, free)]:
        try:
            _launch(run_dirs, sweep.asked.together)
        except RunError as error:
            for run_dir in run_dirs:
                one = waiting[run_dir]
                live.remove(one)
                _fail(sweep, one.trial, error.message)
                yield SweepProgress((), (one.trial.number,))
        for run_dir in run_dirs:
            waiting[run_dir].first = run_dirs[0]


def _launch(run_dirs: Sequence[Path], how: str) -> None:
    """Start runs, or go on with them. Raises RunError."""
    begun = [run_dir for run_dir in run_dirs if (run_dir / "status.json").exists()]
    if len(run_dirs) == 1:
        (launch.resume if begun else launch.start)(run_dirs[0])
        return
    for run_dir in begun:
        if (run_dir / "ckpt/last.pt").exists():
            checkpoint.verify(run_dir, "last")
    launch.start_all(run_dirs, how=how)


def _running(sweep: Sweep) -> list[FrozenTrial]:
    return sweep.study.get_trials(states=(TrialState.RUNNING,))


def _left(sweep: Sweep) -> int:
    """How many trials are still to be drawn."""
    trials = sweep.study.get_trials(deepcopy=False)
    waiting = sum(trial.state == TrialState.WAITING for trial in trials)
    return waiting if sweep.counted else max(0, sweep.asked.trials - len(trials))


def _resume_trial(sweep: Sweep, frozen: FrozenTrial) -> Live | None:
    """Go on with a trial of an earlier process, from its run's checkpoint where that has ended."""
    trial = study.enqueue_again(sweep.study, sweep.asked, sweep.space, frozen)
    name = frozen.user_attrs.get("run")
    if name is None:  # it ended before the run was made
        return _make_trial(sweep, trial)
    if not _is_run(name, sweep):
        return _fail(sweep, trial, f"The journal names {name!r:.60}, which is not a run.")
    one = Live(trial, sweep.runs_dir / name, reported=set(frozen.intermediate_values))
    view = listing.view_run(one.run_dir)
    unbegun = not (one.run_dir / "status.json").exists()
    resumable = view.state in ("stopped", "crashed", "paused", "queued") or unbegun
    pruned = "pruned" in frozen.user_attrs
    if not (resumable and view.state != "lost" and not pruned and not listing.alive(one.run_dir)):
        one.first = one.run_dir  # nothing is to be started
    return one


def _is_run(name: Any, sweep: Sweep) -> TypeGuard[str]:
    """Whether a journal, which may be from anyone, names a run of this folder."""
    plain = isinstance(name, str) and name not in ("", ".", "..") and Path(name).name == name
    return plain and not (sweep.runs_dir / name).is_symlink()


def _make_trial(sweep: Sweep, trial: Trial) -> Live | None:
    """Make the run of a trial; None where that cannot be, which the trial then says."""
    settings = study.settings_of(sweep.space, trial.params)
    if twin := _duplicate_of(sweep, settings):
        return _end_as(sweep, trial, twin)
    try:
        project = put(sweep.project, settings)
        report = analyse_project(project)
        if not report.ok:
            return _prune_failed(sweep, trial, report.errors[0].message)
        given = {"beside": sweep.beside, "document": sweep.asked.document}
        run_dir = create.prepare(project, report, sweep.runs_dir, **given)
    except (TrainingError, SweepError) as error:
        return _prune_failed(sweep, trial, error.message)
    _mark(run_dir, sweep.asked.name, trial.number + 1, settings)
    trial.set_user_attr("run", run_dir.name)
    return Live(trial, run_dir)


def _mark(run_dir: Path, name: str, number: int, settings: dict[str, Any]) -> None:
    """Say in a run whose trial it is."""
    entry = {"name": name, "trial": number, "settings": settings}
    write_json(run_dir / "spec.json", {**read_json(run_dir / "spec.json"), "sweep": entry}, True)
    note = f"trial {number}: {settings_text(settings)}"[:NOTE_LENGTH]
    write_notes(run_dir, RunNotes(tags=(name,), note=note))


def _duplicate_of(sweep: Sweep, settings: dict[str, Any]) -> FrozenTrial | None:
    """A trial with the same settings that has ended by what they do."""
    for other in sweep.study.get_trials(deepcopy=False):
        ended = other.state in (TrialState.COMPLETE, TrialState.PRUNED)
        if ended and study.settings_of(sweep.space, other.params) == settings:
            return other
    return None


def _end_as(sweep: Sweep, trial: Trial, twin: FrozenTrial) -> None:
    """End a trial as its twin did, without training the same once more."""
    for name, value in twin.user_attrs.items():
        trial.set_user_attr(name, value)
    trial.set_user_attr("as", twin.user_attrs.get("as", twin.number))
    for step, value in twin.intermediate_values.items():
        trial.report(value, step)
    value = twin.value if twin.state == TrialState.COMPLETE else None
    sweep.study.tell(trial, value, twin.state)


def _fail(sweep: Sweep, trial: Trial, why: str) -> None:
    """End a trial that its settings are not to blame for."""
    trial.set_user_attr("reason", why)
    sweep.study.tell(trial, state=TrialState.FAIL)


def _prune_failed(sweep: Sweep, trial: Trial, why: str) -> None:
    """End a trial whose settings do not work."""
    trial.set_user_attr("reason", why)
    trial.set_user_attr("failed", True)
    sweep.study.tell(trial, state=TrialState.PRUNED)


def _has_ended(sweep: Sweep, one: Live, view: RunView) -> bool:
    """Report what a run has reached; tell its trial where it has ended."""
    if view.state == "hung":
        launch.stop(one.run_dir)  # it no longer answers: by force
        view = listing.view_run(one.run_dir)
    _report(sweep, one, view)
    if view.state in ("queued", "running", "hung"):
        return False
    if view.state == "paused" and listing.alive(one.run_dir):
        return False
    _tell_study(sweep, one.trial, view)
    return True


def _report(sweep: Sweep, one: Live, view: RunView) -> None:
    """Report the epochs since the last look, and stop a run that is worse than the median."""
    records, one.offset = listing.read_metrics(one.run_dir, one.offset)
    for record in records:
        values = record.get(sweep.goal.metric, ()) if record.get("kind") == "epoch" else ()
        for epoch, value in zip(record.get("epoch", ()), values, strict=False):
            if value is not None and epoch not in one.reported:
                one.trial.report(value, epoch)
                one.reported.add(epoch)
    already_pruned = "pruned" in one.trial.user_attrs
    if (
        sweep.asked.prune
        and view.state == "running"
        and not already_pruned
        and one.trial.should_prune()
    ):
        one.trial.set_user_attr("pruned", max(one.reported))
        launch.stop(one.run_dir)


def _tell_study(sweep: Sweep, trial: Trial, view: RunView) -> None:
    """Say in the journal how a run has ended."""
    best = view.best or {}
    value = best.get("value")
    trial.set_user_attr("epoch", view.epoch)
    trial.set_user_attr("seconds", view.elapsed_s)
    trial.set_user_attr("loss", best.get("metrics", {}).get("val_loss"))
    if view.state == "stopped" and "pruned" in trial.user_attrs:
        sweep.study.tell(trial, state=TrialState.PRUNED)
    elif view.state in ("finished", "stopped", "paused") and _finite(value):
        if view.state != "finished":
            trial.set_user_attr("reason", view.message or f"stopped at epoch {view.epoch}")
        sweep.study.tell(trial, value)
    elif view.state in ("failed", "finished", "stopped", "paused"):
        message = f"It {view.state} before its {sweep.goal.metric} was a number."
        _prune_failed(sweep, trial, view.message or message)
    else:
        _fail(sweep, trial, view.message)


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def stop(sweep: Sweep) -> None:
    """Stop all runs of a sweep with a checkpoint, and wait for it; its trials go on later."""
    names = [trial.user_attrs.get("run") for trial in _running(sweep)]
    folders = [sweep.runs_dir / name for name in names if _is_run(name, sweep)]
    alive = [folder for folder in folders if listing.alive(folder)]
    for folder in folders:
        if folder in alive or listing.view_run(folder).state == "queued":
            launch.stop(folder)
    for folder in alive:
        launch.wait(folder, STOP_S)
