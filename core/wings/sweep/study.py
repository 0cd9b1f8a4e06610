"""The Optuna study of a sweep: journal, sampler. Imported only where a sweep runs."""

import json
import random
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.exceptions import OptunaError
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import FrozenTrial, Trial, TrialState

from core.common.errors import SweepError
from core.wings.sweep.files import JOURNAL, SweepRequest
from core.wings.sweep.objectives import Direction
from core.wings.sweep.search_space import Choices, Searched, combinations, holds, settings_text
from core.wings.sweep.workers import SharedLock

FEW, MOST = 4, 10
"""Trials at random before the sampler goes by results: a third of all, within these."""
ENOUGH = 4  # finished trials from which importances can be computed


MALFORMED = (AssertionError, AttributeError, KeyError, TypeError, ValueError, OptunaError)


def load_study(
    folder: Path,
    request: SweepRequest,
    directions: Sequence[Direction],
    lock: SharedLock,
    pruner: optuna.pruners.BasePruner,
) -> optuna.Study:
    """Open the study of a sweep. lock: of its journal. Raises SweepError for a damaged journal."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)  # we report the trials ourselves
    path = folder / JOURNAL
    try:
        with lock.held():
            storage = JournalStorage(JournalFileBackend(str(path), lock_obj=lock))  # pyright: ignore[reportArgumentType]
            return optuna.create_study(
                storage=storage,
                study_name=request.name,
                directions=list(directions),
                load_if_exists=True,
                pruner=pruner,
            )
    except MALFORMED as error:  # Optuna reads what stands there without asking what it is
        message = f"{JOURNAL} of {folder.name} is damaged ({type(error).__name__})."
        hint = "Its runs are intact. Start a new sweep with --name."
        raise SweepError(folder.name, message, hint) from error


def distribution(searched: Searched) -> BaseDistribution:
    """What Optuna draws from. Choices stand as JSON, as they may be lists."""
    if isinstance(searched, Choices):
        return CategoricalDistribution([json.dumps(option) for option in searched.options])
    low, high, step = searched.low, searched.high, searched.step
    if step:
        high = low + step * (searched.count - 1)
    if searched.whole:
        return IntDistribution(round(low), round(high), log=searched.log, step=round(step) or 1)
    return FloatDistribution(low, high, log=searched.log, step=step or None)


def settings_of(space: Sequence[Searched], params: dict[str, Any]) -> dict[str, Any]:
    """The settings of a trial from what was drawn so far."""
    return {
        each.key: json.loads(params[each.key])
        if isinstance(each, Choices)
        else each.tidy(params[each.key])
        for each in space
        if each.key in params
    }


def ask_trial(study: optuna.Study, request: SweepRequest, space: Sequence[Searched]) -> Trial:
    """Draw the next trial.

    A sampler of its own for each, seeded by its number: a sweep that goes on after a stop then
    draws what it would have drawn without it.
    """
    study.sampler = _sampler(request, len(study.get_trials(deepcopy=False)))
    return _draw(study.ask(), space)


def enqueue_again(
    study: optuna.Study, request: SweepRequest, space: Sequence[Searched], frozen: FrozenTrial
) -> Trial:
    """Take up a trial of an earlier process; what that had not drawn yet is drawn now."""
    study.sampler = _sampler(request, frozen.number)
    trial = Trial(study, frozen._trial_id)  # pyright: ignore[reportPrivateUsage]
    return _draw(trial, space)


def _draw(trial: Trial, space: Sequence[Searched]) -> Trial:
    """Draw what a trial has not drawn yet. What exists beside another key comes after that."""
    for each in space:
        if holds(each, settings_of(space, trial.params)):
            trial._suggest(each.key, distribution(each))  # pyright: ignore[reportPrivateUsage]
    return trial


def _sampler(request: SweepRequest, number: int) -> optuna.samplers.TPESampler:
    seed = int(np.random.SeedSequence([request.seed, number]).generate_state(1)[0])
    return optuna.samplers.TPESampler(seed=seed, n_startup_trials=random_ones(request))


def random_ones(request: SweepRequest) -> int:
    """How many trials are drawn at random before results are looked at."""
    return min(MOST, max(FEW, request.trials // 3))


def fill(study: optuna.Study, request: SweepRequest, space: Sequence[Searched]) -> bool:
    """Where no more combinations than trials exist, line up each once; say whether that is so."""
    rows = combinations(space, request.trials)
    known = {
        settings_text(_queued_settings(space, trial)) for trial in study.get_trials(deepcopy=False)
    }
    random.Random(request.seed).shuffle(rows)
    for row in rows:
        if settings_text(row) not in known:
            params = {
                each.key: json.dumps(row[each.key]) if isinstance(each, Choices) else row[each.key]
                for each in space
                if each.key in row
            }
            study.enqueue_trial(params)
    return bool(rows)


def _queued_settings(space: Sequence[Searched], trial: FrozenTrial) -> dict[str, Any]:
    """The settings of a trial, also of one that waits."""
    return settings_of(space, trial.params or trial.system_attrs.get("fixed_params", {}))


def importances(study: optuna.Study) -> dict[str, float] | None:
    """Share of each key in the differences of the first objective; None with too few trials."""
    done = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    if len(done) < ENOUGH or len({trial.values[0] for trial in done}) < 2:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of trials too much alike, which the shares show as well
        shares = optuna.importance.get_param_importances(study, target=_first_value)
    return shares if len(set(shares.values())) > 1 else None


def _first_value(trial: FrozenTrial) -> float:
    return trial.values[0]
