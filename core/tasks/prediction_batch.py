"""What one loss reads after a validation: what the network says, and what is right."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from core.data.info import DataInfo
from core.engine.objective import LossTerm
from core.engine.trainer import Trainer
from core.tasks.metrics import Measure

Arrays = dict[str, np.ndarray]
Gather = Callable[[], Tensor]


@dataclass(frozen=True)
class Beside:
    """What views of one loss are made from.

    said: the outputs that it reads. true: their target, of as many samples, None without one.
    inputs: gathers what the first samples look like. kinds: of pairs and triplets, the classes of
    the samples that the first of them begin with.
    """

    engine: Trainer
    info: DataInfo
    aim: LossTerm
    measure: Measure
    said: tuple[Tensor, ...]
    true: Tensor | None
    inputs: Gather
    kinds: Tensor | None = None

    def fed(self, column: str) -> int | None:
        """Which Input receives a column of the data, None where none does."""
        places = (i for i, feed in enumerate(self.info.feeds) if feed.column == column)
        return next(places, None)


def plain(value: Tensor) -> np.ndarray:
    """Numbers as they are kept: floats single, anything else as it is."""
    value = value.detach().cpu()
    return (value.float() if value.is_floating_point() else value).numpy()
