"""The loop over the trials of a sweep. Each trial is an ordinary run, started like all others.

The journal is the only memory: a trial is RUNNING there until its run has ended, so whoever
continues a sweep finds its runs, and adopts those that live or can go on. What fails because of
its settings is PRUNED there, marked as failed: the sampler passes over what is FAIL, and would
draw the like of it again and again.
"""

import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from optuna.trial import FrozenTrial, Trial

from core.common.errors import RunError
from core.runs import checkpoint, listing
from core.runs.listing import RunView
from core.wings.sweep import claims, pruning, study, trial_jobs, trials
from core.wings.sweep.sweep import Sweep
from core.wings.sweep.together import grouped, width
from core.worker import launch, warm_worker

POLL_S = 0.2
BY_RUNG = ("asha", "hyperband")
"""Rules that compare trials at the epoch of a rung, so each epoch is shown to them by itself."""
STOP_S = 60.0


@dataclass
class Live:
    """A trial whose run has not ended. offset: how far its metrics were read.

    attempt: the one whose metrics those are. first: the run whose process it shares, None while it
    waits for one.
    """

    trial: Trial
    run_dir: Path
    first: Path | None = None
    offset: int = 0
    attempt: int = 0
    reported: set[int] = field(default_factory=lambda: set())


@dataclass(frozen=True)
class SweepProgress:
    """Progress of a sweep, of what this worker does of it.

    live: trials and their runs; ended: trials that ended since the last; adopted: trials taken from
    a worker that is gone.
    """

    live: tuple[tuple[int, RunView], ...]
    ended: tuple[int, ...]
    adopted: tuple[int, ...] = ()


def drive(sweep: Sweep, jobs: int = 1) -> Iterator[SweepProgress]:
    """Go through the trials, so many processes at once, and tell how it stands.

    Several times a second. Trials that may train together share a process. Ends when no trial is
    left, also none of another worker, which might still die and leave it.
    """
    live: list[Live] = []
    yield from _adopted(sweep, live)
    while True:
        live[:] = [one for one in live if claims.is_mine(sweep, one.trial)]
        yield from _launched(sweep, live, jobs)
        views = {one.run_dir: listing.view_run(one.run_dir) for one in live}
        ended = [one for one in live if one.first and _has_ended(sweep, one, views[one.run_dir])]
        live[:] = [one for one in live if one not in ended]
        still = tuple((one.trial.number, views[one.run_dir]) for one in live)
        yield SweepProgress(still, tuple(one.trial.number for one in ended))
        more = yield from _more(sweep, live, jobs)
        if not more and not live and not claims.running(sweep):
            return
        if not more and not ended:
            time.sleep(POLL_S)


def _more(sweep: Sweep, live: list[Live], jobs: int) -> Generator[SweepProgress, None, bool]:
    """Take more trials where this worker has room; tell whether there were any."""
    if (yield from _adopted(sweep, live)):
        return True
    if len({one.first for one in live}) >= jobs or not _all_begun(live):
        return False
    if claims.trials_left(sweep):
        yield from _drawn(sweep, live)
        apart = sweep.request.together == "off" and sweep.launcher is None
        if claims.trials_left(sweep) and apart:
            warm_worker.warm()  # the next trial then begins without importing torch
        return True
    frozen = claims.take_over(sweep) if sweep.worker.others() else None
    if frozen is not None:
        yield from _add_live(live, frozen.number, _resume_trial(sweep, frozen))
    return frozen is not None


def _drawn(sweep: Sweep, live: list[Live]) -> Iterator[SweepProgress]:
    """Draw the next trials: this worker's share of those that may be drawn at once."""
    share = width(sweep, claims.trials_left(sweep)) // (1 + len(sweep.worker.others()))
    for _ in range(max(1, share)):
        trial = claims.draw(sweep)
        if trial is None:
            return
        yield from _add_live(live, trial.number, _live(trials.make(sweep, trial), trial))


def _live(run_dir: Path | None, trial: Trial) -> Live | None:
    return None if run_dir is None else Live(trial, run_dir)


def _adopted(sweep: Sweep, live: list[Live]) -> Generator[SweepProgress, None, bool]:
    """Take the trials of workers that are gone; tell whether there were any."""
    found = [claims.adopt(sweep, frozen) for frozen in claims.orphans(sweep)]
    for frozen in found:
        if frozen is not None:
            if frozen.user_attrs.get(claims.RETRIES):
                yield SweepProgress((), (), (frozen.number,))
            yield from _add_live(live, frozen.number, _resume_trial(sweep, frozen))
    return any(found)


def _add_live(live: list[Live], number: int, one: Live | None) -> Iterator[SweepProgress]:
    """Note a trial that trains; tell of one that has ended without."""
    if one is None:
        yield SweepProgress((), (number,))
    else:
        live.append(one)


def _all_begun(live: Sequence[Live]) -> bool:
    return all(one.first for one in live)


def _launched(sweep: Sweep, live: list[Live], jobs: int) -> Iterator[SweepProgress]:
    """Start the runs that have no process yet, group by group; tell of those that cannot.

    Raises SweepError where none could, as on a cluster that is gone.
    """
    free = jobs - len({one.first for one in live if one.first})
    waiting = {one.run_dir: one for one in live if one.first is None}
    for run_dirs in grouped(list(waiting), sweep.request.together)[: max(0, free)]:
        trial_jobs.check_reachable(sweep)
        owned = claims.begin(sweep, [waiting[run_dir].trial for run_dir in run_dirs])
        mine = [run_dir for run_dir, own in zip(run_dirs, owned, strict=True) if own]
        live[:] = [one for one in live if one.run_dir in mine or one.run_dir not in run_dirs]
        if not mine:
            continue
        try:
            _launch(sweep, mine)
        except RunError as error:
            for run_dir in mine:
                one = waiting[run_dir]
                live.remove(one)
                trials.fail(sweep, one.trial, error.message)
                yield SweepProgress((), (one.trial.number,))
        for run_dir in mine:
            waiting[run_dir].first = mine[0]


def _launch(sweep: Sweep, run_dirs: Sequence[Path]) -> None:
    """Start runs, or go on with them. Raises RunError."""
    for run_dir in run_dirs:
        trial_jobs.move(sweep, run_dir)
    begun = [run_dir for run_dir in run_dirs if (run_dir / "status.json").exists()]
    if len(run_dirs) == 1:
        (launch.resume if begun else launch.start)(run_dirs[0])
        return
    for run_dir in begun:
        if (run_dir / "ckpt/last.pt").exists():
            checkpoint.verify(run_dir, "last")
    launch.start_all(run_dirs, how=sweep.request.together)


def _resume_trial(sweep: Sweep, frozen: FrozenTrial) -> Live | None:
    """Go on with a trial of an earlier process, from its run's checkpoint where that has ended."""
    trial = study.enqueue_again(sweep.study, sweep.request, sweep.space, frozen)
    name = frozen.user_attrs.get("run")
    if name is None:  # it ended before the run was made
        return _live(trials.make(sweep, trial), trial)
    if not trials.is_run(name, sweep):
        return trials.fail(sweep, trial, f"The journal names {name!r:.60}, which is not a run.")
    one = Live(trial, sweep.runs_dir / name, reported=set(frozen.intermediate_values))
    view = listing.view_run(one.run_dir)
    unbegun = not (one.run_dir / "status.json").exists()
    resumable = view.state in ("stopped", "crashed", "paused", "queued") or unbegun
    resumable = resumable or (view.state == "failed" and trial_jobs.job_failed(one.run_dir))
    pruned = "pruned" in frozen.user_attrs
    if not (resumable and view.state != "lost" and not pruned and not listing.alive(one.run_dir)):
        one.first = one.run_dir  # nothing is to be started
        claims.begin(sweep, [trial])
    return one


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
    if view.state in ("failed", "stopped") and trial_jobs.job_failed(one.run_dir):
        trial_jobs.check_reachable(sweep)
    values, why = trials.measured(sweep, one.trial, view)
    with sweep.lock.held():
        if claims.is_mine(sweep, one.trial):
            trials.tell(sweep, one.trial, view, values, why)
    return True


def _report(sweep: Sweep, one: Live, view: RunView) -> None:
    """Report the epochs since the last look, and stop a run that early stopping gives up."""
    if sweep.several:
        return  # what is bad by one objective may be best by another
    if view.attempt != one.attempt:  # its metrics may have been cut back to a checkpoint
        one.attempt, one.offset = view.attempt, 0
    records, one.offset = listing.read_metrics(one.run_dir, one.offset)
    for record in records:
        values = record.get(sweep.goal.metric, ()) if record.get("kind") == "epoch" else ()
        for epoch, value in zip(record.get("epoch", ()), values, strict=False):
            if value is not None and epoch not in one.reported:
                one.trial.report(value, epoch)
                one.reported.add(epoch)
                if sweep.request.rule in BY_RUNG and _pruned(sweep, one, view):
                    return
    if sweep.request.rule not in BY_RUNG:
        _pruned(sweep, one, view)


def _pruned(sweep: Sweep, one: Live, view: RunView) -> bool:
    """Stop a run that early stopping gives up; tell whether it was."""
    rule = sweep.request.rule
    if rule == pruning.OFF or view.state != "running" or "pruned" in one.trial.user_attrs:
        return False
    if not one.trial.should_prune():
        return False
    epoch = max(one.reported)
    one.trial.set_user_attr("pruned", epoch)
    one.trial.set_user_attr("reason", pruning.RULES[rule].format(epoch=epoch))
    launch.stop(one.run_dir)
    return True


def stop(sweep: Sweep) -> None:
    """Stop all runs of this worker with a checkpoint, and wait for it; its trials go on later."""
    mine = _own_trials(sweep)
    pruned = {trial.user_attrs.get("run") for trial in mine if "pruned" in trial.user_attrs}
    folders = own_runs(sweep)
    alive = [folder for folder in folders if listing.alive(folder)]
    for folder in folders:
        waits = folder in alive or listing.view_run(folder).state == "queued"
        if waits and folder.name not in pruned:  # a second request would end it at once
            launch.stop(folder)
    for folder in alive:
        launch.wait(folder, STOP_S)
    claims.give_back(sweep)


def own_runs(sweep: Sweep) -> list[Path]:
    """The runs of this worker whose trials have not ended."""
    names = [trial.user_attrs.get("run") for trial in _own_trials(sweep)]
    return [sweep.runs_dir / name for name in names if trials.is_run(name, sweep)]


def _own_trials(sweep: Sweep) -> list[FrozenTrial]:
    return [t for t in claims.running(sweep) if t.user_attrs.get("worker") == sweep.worker.id]
