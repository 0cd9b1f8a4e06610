"""The beginning and end of a trial: its run is made, and the journal gets what came of it.

A trial that fails because of its settings is PRUNED in the journal, marked as failed: the sampler
passes over what is FAIL, and would draw the like of it again and again.
"""

from pathlib import Path
from typing import Any, TypeGuard

from optuna.trial import FrozenTrial, Trial, TrialState

from core.analyse import analyse_project
from core.common.errors import LayerloomError, SweepError, TrainingError
from core.prepare import create
from core.runs.files import read_json, write_json
from core.runs.listing import RunView
from core.runs.run_notes import NOTE_LENGTH, RunNotes, write_notes
from core.settings.override import put
from core.wings.sweep import claims, objectives, study, trial_jobs
from core.wings.sweep.search_space import settings_text
from core.wings.sweep.sweep import Sweep

Values = list[float]
ENDED = ("finished", "stopped", "paused")
OWN = ("worker", "begun", "retries", claims.AGAIN)
"""Attributes of a trial that its twin does not take over."""


def is_run(name: Any, sweep: Sweep) -> TypeGuard[str]:
    """Whether a journal, which may be from anyone, names a run of this folder."""
    plain = isinstance(name, str) and name not in ("", ".", "..") and Path(name).name == name
    return plain and not (sweep.runs_dir / name).is_symlink()


def make(sweep: Sweep, trial: Trial) -> Path | None:
    """Make the run of a trial; None where that fails, with the reason in the trial."""
    settings = study.settings_of(sweep.space, trial.params)
    if twin := _duplicate_of(sweep, settings):
        return _end_as(sweep, trial, twin)
    try:
        project = put(sweep.project, settings)
        report = analyse_project(project)
        if not report.ok:
            return prune_failed(sweep, trial, report.errors[0].message)
        given = {"beside": sweep.beside, "document": sweep.request.document}
        if costs := objectives.costs_of(sweep.objectives, report):
            trial.set_user_attr("costs", costs)
        run_dir = create.prepare(project, report, sweep.runs_dir, launcher=sweep.launcher, **given)
    except (TrainingError, SweepError) as error:
        return prune_failed(sweep, trial, error.message)
    _mark(run_dir, sweep.request.name, trial.number + 1, settings)
    trial.set_user_attr("run", run_dir.name)
    return run_dir


def _mark(run_dir: Path, name: str, number: int, settings: dict[str, Any]) -> None:
    """Say in a run whose trial it is."""
    entry = {"name": name, "trial": number, "settings": settings}
    write_json(run_dir / "spec.json", {**read_json(run_dir / "spec.json"), "sweep": entry}, True)
    note = f"trial {number}: {settings_text(settings)}"[:NOTE_LENGTH]
    write_notes(run_dir, RunNotes(tags=(name,), note=note))


def _duplicate_of(sweep: Sweep, settings: dict[str, Any]) -> FrozenTrial | None:
    """A trial with the same settings that has ended by what they do."""
    every = sweep.study.get_trials(deepcopy=False)
    retried = claims.retried(every)
    for other in every:
        if other.number in retried:
            continue
        ended = other.state in (TrialState.COMPLETE, TrialState.PRUNED)
        if ended and study.settings_of(sweep.space, other.params) == settings:
            return other
    return None


def _end_as(sweep: Sweep, trial: Trial, twin: FrozenTrial) -> None:
    """End a trial as its twin did, without training the same once more."""
    values = twin.values if twin.state == TrialState.COMPLETE else None
    with sweep.lock.held():  # so that nobody takes over what has a run and does not begin
        for name, value in twin.user_attrs.items():
            if name not in OWN:
                trial.set_user_attr(name, value)
        trial.set_user_attr("as", twin.user_attrs.get("as", twin.number))
        for step, value in twin.intermediate_values.items():
            trial.report(value, step)
        sweep.study.tell(trial, values, twin.state)


def fail(sweep: Sweep, trial: Trial, why: str) -> None:
    """End a trial that its settings are not to blame for."""
    trial.set_user_attr("reason", why)
    sweep.study.tell(trial, state=TrialState.FAIL)


def prune_failed(sweep: Sweep, trial: Trial, why: str) -> None:
    """End a trial whose settings do not work."""
    trial.set_user_attr("reason", why)
    trial.set_user_attr("failed", True)
    sweep.study.tell(trial, state=TrialState.PRUNED)


def measured(sweep: Sweep, trial: Trial, view: RunView) -> tuple[Values, str]:
    """The value of each objective of a run that has ended; [] and why where one has none."""
    if view.state not in ENDED or (view.state == "stopped" and "pruned" in trial.user_attrs):
        return [], ""
    best, costs = view.best or {}, trial.user_attrs.get("costs", {})
    values: Values = []
    for each in sweep.objectives:
        try:
            value = objectives.value_of(each, costs, best, view.dir)
        except LayerloomError as error:
            return [], error.message
        if value is None:
            return [], f"It {view.state} before its {each.name} was a number."
        values.append(value)
    return values, ""


def tell(sweep: Sweep, trial: Trial, view: RunView, values: Values, why: str) -> None:
    """Say in the journal how a run has ended. values, why: as `measured` gives them."""
    trial.set_user_attr("epoch", view.epoch)
    trial.set_user_attr("seconds", view.elapsed_s)
    trial.set_user_attr("loss", (view.best or {}).get("metrics", {}).get("val_loss"))
    if view.state == "stopped" and "pruned" in trial.user_attrs:
        sweep.study.tell(trial, state=TrialState.PRUNED)
    elif values:
        if view.state != "finished":
            trial.set_user_attr("reason", view.message or f"stopped at epoch {view.epoch}")
        elif "pruned" in trial.user_attrs:  # it had ended before it could be stopped
            trial.set_user_attr("reason", "")
        sweep.study.tell(trial, values)
    elif view.state == "failed" and trial_jobs.job_failed(view.dir):
        fail(sweep, trial, view.message)
    elif view.state in ("failed", "finished", "stopped", "paused"):
        message = why or f"It {view.state} before its {sweep.goal.metric} was a number."
        prune_failed(sweep, trial, view.message or message)
    else:
        fail(sweep, trial, view.message)
