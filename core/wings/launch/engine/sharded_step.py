"""This rank's part of a step with sharded weights, whose gradients `SumGradients` adds up."""

from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor

from core.engine.loader import Rows
from core.wings.launch.engine.micro_batches import RankBatches
from core.wings.launch.engine.rank_step import RankStep
from core.wings.launch.engine.shards import local


class ShardedStep(RankStep):
    """Exchanges what is not in shards: statistics of batch norm, other buffers and the signal.

    own: this rank's part of each weight, which the optimisers step.
    """

    def __init__(self, *made_of: Any) -> None:
        super().__init__(*made_of)
        self.carried = 0
        self.own: Sequence[Tensor] = ()

    def loader(
        self, rows: Callable[[Tensor], Rows], group: Sequence[Tensor], seed: int, step: int
    ) -> RankBatches:
        """The micro-batches of a step that this rank calculates; no weight has a gradient yet."""
        for weight in self.weights:
            weight.grad = None
        return super().loader(rows, group, seed, step)

    def exchange(self) -> None:
        """What the text of the step calls after the backward pass of a micro-batch.

        The sum of the rounds so far is kept aside, as the next round begins with it. Raises
        RankLost.
        """
        self.stream.end()
        shares, uses = self.statistics.end()
        received = self._gathered([self._header((), uses), *shares])
        headers = [message[0].tolist() for message in received]
        for message, numbers in zip(received, headers, strict=True):
            if numbers[0]:
                self._add(message, numbers)
        for index, weight in enumerate(self.weights):
            if weight.grad is not None:
                self._total[index], weight.grad = weight.grad, None
        if self.turn.last(self.ranks.world):
            self._finish(headers[0])
            for own, weight in zip(self.own, self.weights, strict=True):
                own.grad = None if weight.grad is None else local(weight.grad)
