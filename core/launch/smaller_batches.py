"""What differs where processes divide a batch: the sentences before a start.

Nothing here imports torch, so that a page can read it.
"""

from collections.abc import Mapping
from typing import Any

from core.errors import TrainingError
from core.json_types import is_object
from core.launch.launcher import Launcher
from core.settings.batch_parts import BY_BATCH, OWN_DRAWS, RANDOM, smaller_batches
from core.settings.schema import defaults


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
    sizes = settings["batch_size"], settings["accumulate"]
    if not all(type(size) is int for size in sizes):
        return ""
    try:
        part, accumulate = launcher.cut(*sizes)
    except TrainingError:  # it is refused by this reason
        return ""
    if part == sizes[0] or not BY_BATCH.search(source):
        return ""
    return smaller_batches(sizes[0], part, accumulate)
