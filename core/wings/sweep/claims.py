"""Which worker has which trial: a trial is RUNNING in the journal and names its worker there.

Each function that gives a trial away reads and writes the journal under the sweep's lock, so two
workers never have the same one. What a worker that is gone had is anyone's, and so is a trial
whose run has not begun, as soon as its worker has more than it can start.
"""

from collections.abc import Sequence

from optuna.trial import FrozenTrial, Trial, TrialState

from core.wings.sweep import study
from core.wings.sweep.sweep import Sweep

WORKER, BEGUN, RETRIES, AGAIN = "worker", "begun", "retries", "again"
"""Attributes of a trial in the journal. AGAIN: the trial that failed, in whose place it is."""


def running(sweep: Sweep) -> list[FrozenTrial]:
    """All trials that have not ended, of every worker."""
    return sweep.study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))


def is_mine(sweep: Sweep, trial: Trial) -> bool:
    """Whether a trial has not ended and is still this worker's."""
    frozen = sweep.study.get_trials(deepcopy=False)[trial.number]
    mine = frozen.user_attrs.get(WORKER) == sweep.worker.id
    return mine and frozen.state == TrialState.RUNNING


def trials_left(sweep: Sweep) -> int:
    """How many trials are still to be drawn."""
    trials = sweep.study.get_trials(deepcopy=False)
    waiting = sum(trial.state == TrialState.WAITING for trial in trials)
    drawn = len(trials) - len(retried(trials))
    return waiting if sweep.counted else waiting + max(0, sweep.request.trials - drawn)


def retried(trials: Sequence[FrozenTrial]) -> set[int]:
    """The numbers of trials that failed and have another in their place."""
    numbers = (trial.user_attrs.get(AGAIN) for trial in trials)
    return {number for number in numbers if isinstance(number, int)}


def has_failed(trial: FrozenTrial) -> bool:
    """Whether a trial ended by an error."""
    return trial.state == TrialState.FAIL or bool(trial.user_attrs.get("failed"))


def retry_failed(sweep: Sweep) -> int:
    """Line up each failed trial again, with the same settings; how many there are."""
    with sweep.lock.held():
        trials = sweep.study.get_trials(deepcopy=False)
        before = retried(trials)
        failed = [t for t in trials if has_failed(t) and t.number not in before]
        for trial in failed:
            sweep.study.enqueue_trial(trial.params, user_attrs={AGAIN: trial.number})
    return len(failed)


def draw(sweep: Sweep) -> Trial | None:
    """Draw the next trial for this worker; None where none is left."""
    with sweep.lock.held():
        if not trials_left(sweep):
            return None
        trial = study.ask_trial(sweep.study, sweep.request, sweep.space)
        trial.set_user_attr(WORKER, sweep.worker.id)
        return trial


def orphans(sweep: Sweep) -> list[FrozenTrial]:
    """Trials whose worker is gone."""
    found = [t for t in running(sweep) if t.user_attrs.get(WORKER) != sweep.worker.id]
    owners = {str(trial.user_attrs.get(WORKER, "")) for trial in found}
    alive = {owner for owner in owners if owner and sweep.worker.lives(owner)}
    return [trial for trial in found if trial.user_attrs.get(WORKER) not in alive]


def adopt(sweep: Sweep, frozen: FrozenTrial) -> FrozenTrial | None:
    """Take a trial whose worker is gone; None where another worker was faster.

    A trial that its worker did not give back counts one retry more.
    """
    with sweep.lock.held():
        now = next((t for t in orphans(sweep) if t.number == frozen.number), None)
        if now is None:
            return None
        if now.user_attrs.get(WORKER):
            _note(sweep, now, RETRIES, now.user_attrs.get(RETRIES, 0) + 1)
        return _take(sweep, now)


def take_over(sweep: Sweep) -> FrozenTrial | None:
    """Take a trial that another worker has drawn and not begun; None where there is none."""
    with sweep.lock.held():
        for trial in running(sweep):
            attributes = trial.user_attrs
            idle = attributes.get("run") is not None and not attributes.get(BEGUN)
            if idle and attributes.get(WORKER) != sweep.worker.id:
                return _take(sweep, trial)
    return None


def begin(sweep: Sweep, trials: Sequence[Trial]) -> list[bool]:
    """Note that the runs of these trials begin now; for each, whether it is still this worker's."""
    with sweep.lock.held():
        mine = [is_mine(sweep, trial) for trial in trials]
        for trial, own in zip(trials, mine, strict=True):
            if own:
                _note(sweep, trial, BEGUN, True)
    return mine


def give_back(sweep: Sweep) -> None:
    """Leave the unfinished trials of this worker to whoever continues the sweep."""
    with sweep.lock.held():
        for trial in running(sweep):
            if trial.user_attrs.get(WORKER) == sweep.worker.id:
                _note(sweep, trial, WORKER, "")


def _take(sweep: Sweep, frozen: FrozenTrial) -> FrozenTrial:
    _note(sweep, frozen, WORKER, sweep.worker.id)
    _note(sweep, frozen, BEGUN, False)
    return sweep.study.get_trials(deepcopy=True)[frozen.number]


def _note(sweep: Sweep, trial: FrozenTrial | Trial, name: str, value: object) -> None:
    storage, number = sweep.study._storage, trial._trial_id  # pyright: ignore[reportPrivateUsage]
    storage.set_trial_user_attr(number, name, value)
