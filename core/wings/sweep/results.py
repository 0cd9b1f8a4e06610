"""The results of a sweep: trials, best first, the best settings, importances."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from optuna.trial import FrozenTrial, TrialState

from core.runs.files import write_json
from core.wings.sweep import claims, folds, study
from core.wings.sweep.conditional import only
from core.wings.sweep.counts import counts
from core.wings.sweep.files import RESULTS
from core.wings.sweep.sweep import Sweep

STATES = {
    TrialState.COMPLETE: "finished",
    TrialState.PRUNED: "pruned",
    TrialState.FAIL: "failed",
    TrialState.RUNNING: "unfinished",
    TrialState.WAITING: "waiting",
}


def row(sweep: Sweep, trial: FrozenTrial) -> dict[str, Any]:
    """One trial as people and programs read it.

    value: by the first objective, null without one; values: by each.
    """
    attributes = trial.user_attrs
    duplicate_of = attributes.get("as")
    values = trial.values if trial.state == TrialState.COMPLETE else None
    return {
        "trial": trial.number + 1,
        "state": "failed" if claims.has_failed(trial) else STATES[trial.state],
        "value": values[0] if values else None,
        "values": _values(sweep, trial, values),
        "run": attributes.get("run"),
        "settings": study.settings_of(sweep.space, trial.params),
        "epoch": attributes.get("epoch"),
        "seconds": attributes.get("seconds"),
        "again": None if claims.AGAIN not in attributes else attributes[claims.AGAIN] + 1,
        "as": None if duplicate_of is None else duplicate_of + 1,
        "reason": attributes.get("reason", ""),
        "worker": attributes.get("worker", ""),
        "retries": attributes.get("retries", 0),
    }


def _values(
    sweep: Sweep, trial: FrozenTrial, values: Sequence[float] | None
) -> dict[str, float | None]:
    """Values by objective; of a trial that has none, the costs that its drawing has already."""
    names = [each.name for each in sweep.objectives]
    if values:
        return dict(zip(names, values, strict=True))
    costs = trial.user_attrs.get("costs", {})
    return {name: costs.get(name) for name in names}


def front(sweep: Sweep) -> list[int]:
    """Trials that no other beats by every objective, each once, the best by the first one first.

    [] with one objective.
    """
    if not sweep.several:
        return []
    best = [t for t in sweep.study.best_trials if "as" not in t.user_attrs]
    return [t.number + 1 for t in sorted(best, key=lambda trial: _sort_key(sweep, trial))]


def document(sweep: Sweep) -> dict[str, Any]:
    """All of it. trials: best first, then the others in their order."""
    every = sweep.study.get_trials(deepcopy=False)
    gone = claims.retried([t for t in every if t.state != TrialState.WAITING])
    trials = [t for t in every if t.state != TrialState.WAITING and t.number not in gone]
    trials.sort(key=lambda trial: _sort_key(sweep, trial))
    rows = [row(sweep, trial) for trial in trials]
    best = rows[0] if rows and rows[0]["value"] is not None else None
    means = folds.summaries(rows, sweep.objectives[0].maximise)
    if means:
        best = folds.best_of(rows, means)
    return {
        "ok": best is not None,
        "sweep": sweep.request.name,
        "file": sweep.request.file,
        "goal": {"metric": sweep.goal.metric, "direction": sweep.goal.direction},
        "objectives": [each.json() for each in sweep.objectives],
        "front": front(sweep),
        "search": list(sweep.request.search),
        "only": only(sweep.space),
        "fixed": dict(sweep.request.fixed),
        "trials": rows,
        "counts": counts(rows),
        "best": best,
        **({"folds": means} if means else {}),
        "importances": study.importances(sweep.study),
    }


def _sort_key(sweep: Sweep, trial: FrozenTrial) -> tuple[Any, ...]:
    """The lower, the better, by one objective after the other.

    Of equals the surer comes first, as runs choose their best epoch.
    """
    if trial.state != TrialState.COMPLETE or not trial.values:
        return 1, (), 0.0, trial.number
    both = zip(sweep.objectives, trial.values, strict=True)
    values = tuple(-value if each.maximise else value for each, value in both)
    loss = trial.user_attrs.get("loss")
    return 0, values, loss if loss is not None else float("inf"), trial.number


def total(sweep: Sweep) -> int:
    """How many trials there will be."""
    trials = sweep.study.get_trials(deepcopy=False)
    known = len(trials) - len(claims.retried(trials))
    return known if sweep.counted else max(known, sweep.request.trials)


def write(sweep: Sweep, folder: Path) -> dict[str, Any]:
    """Write results.json for whoever looks, with the number of trials to come; give the rest."""
    results = document(sweep)
    with sweep.lock.held():  # processes of other machines may have the same number
        write_json(folder / RESULTS, {**results, "total": total(sweep)})
    return results
