"""What differs where processes divide a batch: the sentences before a start.

Nothing here imports torch, so that a page can read it.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from core.common.errors import TrainingError
from core.common.json_types import is_object
from core.settings.batch_parts import OWN_DRAWS, RANDOM, sees_part, smaller_batches
from core.settings.launcher import Launcher
from core.settings.schema import defaults
from core.settings.step_settings import ACCUMULATE, BATCH_SIZE, StepSettings

SIZES = (BATCH_SIZE, ACCUMULATE, "sync_batchnorm")
"""Settings that decide what batch norm sees of a batch."""


def sentence(
    launcher: Launcher | None,
    training: Mapping[str, Any],
    source: str,
    data: Mapping[str, Any] | None = None,
) -> str:
    """What differs from one process with these settings of a project; "" where nothing does.

    source: the text of the network. data: settings of the data.
    """
    if launcher is None:
        return ""
    by_chance = launcher.world > 1 and _draws(source, data or {})
    return " ".join(filter(None, (_norms(launcher, training, source), OWN_DRAWS * by_chance)))


def _draws(source: str, data: Mapping[str, Any]) -> bool:
    """Whether a step draws random numbers that depend on its batch."""
    inputs = data.get("inputs")
    noise = is_object(inputs) and "noise" in inputs.values()
    return bool(noise or data.get("noise") or data.get("transform") or RANDOM.search(source))


def _norms(launcher: Launcher, training: Mapping[str, Any], source: str) -> str:
    """What batch norm sees of a batch, where it is not the whole."""
    settings = {**defaults(), **training}
    step = StepSettings.of_project(settings)
    if step is None:
        return ""
    try:
        cut = launcher.cut(step)
    except TrainingError:  # it is refused by this reason
        return ""
    if cut == step or not sees_part(source, settings["sync_batchnorm"] is True):
        return ""
    return smaller_batches(step.batch_size, cut.batch_size, cut.batches)


def of_trials(
    launcher: Launcher | None,
    training: Mapping[str, Any],
    searched: Mapping[str, Sequence[Any]],
    source: str,
    data: Mapping[str, Any] | None = None,
) -> list[str]:
    """What differs for the sizes that a sweep tries, each sentence once.

    searched: values by key. data: settings of the data.
    """
    tried = {key: values for key, values in searched.items() if key in SIZES}
    sizes = (dict(zip(tried, values, strict=True)) for values in product(*tried.values()))
    said = (sentence(launcher, {**training, **each}, source, data) for each in sizes)
    return list(dict.fromkeys(text for text in said if text))
