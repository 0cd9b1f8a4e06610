"""Batch norm over a whole batch that the ranks of a run divide."""

from torch import Tensor, nn

from core.engine.synced_norms import SyncedNorms
from core.wings.launch.engine.ranks import Ranks


class RankedNorms(SyncedNorms):
    """The same for the ranks of a run, which say while they wait for the others."""

    def __init__(self, model: nn.Module, ranks: Ranks, parts: int) -> None:
        super().__init__(model, ranks.rank, ranks.world, parts)
        self.ranks = ranks

    def add_up(self, tensor: Tensor) -> None:
        """Raises RankLost."""
        with self.ranks.waiting():
            super().add_up(tensor)
