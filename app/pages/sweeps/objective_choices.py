"""The objectives that the Sweep page offers for a project."""

from collections.abc import Mapping, Sequence

from core.data import DataInfo
from core.sweep.objectives import COSTS, metrics_of, read_objectives
from core.tasks.metric_labels import metric_words


def offered(info: DataInfo | None) -> dict[str, str]:
    """Name of each objective: its title. info: of the data, None where it cannot be described."""
    metrics = metrics_of(info) if info else ["val_loss"]
    titles = {name: metric_words(name) for name in metrics}
    titles |= {cost.name: cost.words for cost in COSTS.values()}
    return {name: words[:1].upper() + words[1:] for name, words in titles.items()}


def check(chosen: Sequence[str], known: Mapping[str, str]) -> None:
    """Raises SweepError for objectives that do not go together. known: as `offered` gives them."""
    read_objectives(chosen, [name for name in known if name not in COSTS])
