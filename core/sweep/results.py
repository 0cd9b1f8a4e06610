"""The results of a sweep: trials, best first, the best settings, importances."""

from pathlib import Path
from typing import Any

from optuna.trial import FrozenTrial, TrialState

from core.runs.files import write_json
from core.sweep import folds, study
from core.sweep.conditional import only
from core.sweep.driver import Sweep
from core.sweep.files import RESULTS

STATES = {
    TrialState.COMPLETE: "finished",
    TrialState.PRUNED: "pruned",
    TrialState.FAIL: "failed",
    TrialState.RUNNING: "unfinished",
    TrialState.WAITING: "waiting",
}


def row(sweep: Sweep, trial: FrozenTrial) -> dict[str, Any]:
    """One trial as people and programs read it. value: by the sweep's goal, null without one."""
    attributes = trial.user_attrs
    duplicate_of = attributes.get("as")
    return {
        "trial": trial.number + 1,
        "state": "failed" if attributes.get("failed") else STATES[trial.state],
        "value": trial.value if trial.state == TrialState.COMPLETE else None,
        "run": attributes.get("run"),
        "settings": study.settings_of(sweep.space, trial.params),
        "epoch": attributes.get("epoch"),
        "seconds": attributes.get("seconds"),
        "as": None if duplicate_of is None else duplicate_of + 1,
        "reason": attributes.get("reason", ""),
    }


def document(sweep: Sweep) -> dict[str, Any]:
    """All of it. trials: best first, then the others in their order."""
    trials = [t for t in sweep.study.get_trials(deepcopy=False) if t.state != TrialState.WAITING]
    trials.sort(key=lambda trial: _sort_key(sweep, trial))
    rows = [row(sweep, trial) for trial in trials]
    best = rows[0] if rows and rows[0]["value"] is not None else None
    means = folds.summaries(rows, sweep.goal.maximise)
    if means:
        best = folds.best_of(rows, means)
    return {
        "ok": best is not None,
        "sweep": sweep.asked.name,
        "file": sweep.asked.file,
        "goal": {"metric": sweep.goal.metric, "direction": sweep.goal.direction},
        "search": list(sweep.asked.search),
        "only": only(sweep.space),
        "fixed": dict(sweep.asked.fixed),
        "trials": rows,
        "best": best,
        **({"folds": means} if means else {}),
        "importances": study.importances(sweep.study),
    }


def _sort_key(sweep: Sweep, trial: FrozenTrial) -> tuple[Any, ...]:
    """The lower, the better; of equals the surer, as runs choose their best epoch."""
    if trial.state != TrialState.COMPLETE or trial.value is None:
        return 1, 0.0, 0.0, trial.number
    value = -trial.value if sweep.goal.maximise else trial.value
    loss = trial.user_attrs.get("loss")
    return 0, value, loss if loss is not None else float("inf"), trial.number


def total(sweep: Sweep) -> int:
    """How many trials there will be."""
    known = len(sweep.study.get_trials(deepcopy=False))
    return known if sweep.counted else max(known, sweep.asked.trials)


def write(sweep: Sweep, folder: Path) -> dict[str, Any]:
    """Write results.json for whoever looks, with the number of trials to come; give the rest."""
    results = document(sweep)
    write_json(folder / RESULTS, {**results, "total": total(sweep)})
    return results
