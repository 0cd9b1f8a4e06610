"""What one loss reads after a validation, from which arrays to draw are made."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor, nn

from core.tasks.samples import SampleInfo

Arrays = dict[str, np.ndarray]
Gather = Callable[[], Tensor]


@dataclass(frozen=True)
class Validated:
    """A network and the validation split that it was just run on.

    inputs, targets: columns of the split. outputs: what the network put out, every output for as
    many samples as are kept.
    """

    module: nn.Module
    inputs: Sequence[Tensor]
    targets: Sequence[Tensor]
    outputs: Sequence[Tensor]
    batch_size: int


@dataclass(frozen=True)
class PredictionBatch:
    """Predictions and targets of one loss.

    place: of the first output that it reads. predictions: the outputs that it reads. targets: their
    target, of as many samples, None without one. inputs: gathers what the first samples look like.
    kinds: of pairs and triplets, the classes of the samples that the first of them begin with.
    """

    validated: Validated
    info: SampleInfo
    place: int
    predictions: tuple[Tensor, ...]
    targets: Tensor | None
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
