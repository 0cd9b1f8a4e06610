"""The objectives that the Sweep page offers for a project."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

from core.common.errors import TrainingError
from core.data import DataInfo
from core.project import Project
from core.tasks.metric_labels import metric_words
from core.wings.sweep.objectives import COSTS, counts_classes, metrics_of, read_objectives


def offered(project: Project, info: DataInfo | None) -> dict[str, str]:
    """Name of each objective: its title. info: of the data, None where it cannot be described."""
    metrics = ["val_loss"]
    if info:
        metrics = metrics_of(info)
        with suppress(TrainingError):  # which the form of settings names
            metrics = metrics_of(info, counts_classes(project, info))
    titles = {name: metric_words(name) for name in metrics}
    titles |= {cost.name: cost.words for cost in COSTS.values()}
    return {name: words[:1].upper() + words[1:] for name, words in titles.items()}


def check(chosen: Sequence[str], known: Mapping[str, str]) -> None:
    """Raises SweepError for objectives that do not go together. known: as `offered` gives them."""
    read_objectives(chosen, [name for name in known if name not in COSTS])
