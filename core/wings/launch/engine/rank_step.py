"""This rank's part of a step: gradients are added up over all ranks in the order of micro-batches.

So the sum is that of one process which accumulates, to the bit: it adds the same numbers in the
same order. DistributedDataParallel adds them in the order of its ring, from three ranks on another.
Weights above ORDERED_BYTES are added up by an all-reduce, equal to rounding, as to gather N copies
of them would take too much memory.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from core.common.errors import RunError
from core.engine.loader import Rows
from core.engine.ordered_sum import ORDERED_BYTES
from core.engine.random_streams import stream_seed
from core.engine.rank_statistics import NormStatistics
from core.source.fold import Slots
from core.wings.launch.engine.micro_batches import RandomStream, RankBatches, rounds_of
from core.wings.launch.engine.rank_message import Message, MessageLayout, gather_messages
from core.wings.launch.engine.ranked_norms import RankedNorms
from core.wings.launch.engine.ranks import Ranks


@dataclass
class StepRounds:
    """The step under way. number: of the round; k: of this rank's micro-batch."""

    seed: int
    step: int
    count: int
    number: int = 0
    k: int = 0

    def last(self, world: int) -> bool:
        """Whether the round is the last one."""
        return self.number + 1 == rounds_of(self.count, world)

    def counted(self, world: int) -> int:
        """How many ranks have a micro-batch of the round: the first ones."""
        return min(world, self.count - self.number * world)


class RankStep:
    """Makes gradients those of all ranks. signal: the number that rank 0 sends with the last round;
    signalled: the number of the last step."""

    def __init__(
        self,
        ranks: Ranks,
        module: nn.Module,
        weights: Sequence[Tensor],
        everywhere: bool,
        signal: Callable[[], float],
        parts: int = 1,
    ) -> None:
        """everywhere: whether batches draw from numpy and Python too. parts: of a batch, which
        batch norm sees as one."""
        self.ranks, self.module, self.weights, self.signal = ranks, module, list(weights), signal
        self.stream, self.statistics = RandomStream(everywhere), NormStatistics(module)
        self.slots: Slots = {
            "EXCHANGE": ("exchange()",),
            "LAST": f"(number + 1) * {ranks.world} >= share",
        }
        self.synced = RankedNorms(module, ranks, parts) if parts > 1 else None
        own = self.statistics.tensors
        self.others = [b for b in module.buffers() if id(b) not in own]
        self.ordered = sum(w.nbytes for w in self.weights) <= ORDERED_BYTES
        self.carried = len(self.weights)  # of whose gradients a message has one each
        self.signalled = 0.0
        self.turn = StepRounds(0, 0, 1)
        self._total: list[Tensor | None] = []
        self._versions: list[int] = []
        self._layout: MessageLayout | None = None

    def loader(
        self, rows: Callable[[Tensor], Rows], group: Sequence[Tensor], seed: int, step: int
    ) -> RankBatches:
        """The micro-batches of a step that this rank calculates."""
        self.turn = StepRounds(seed, step, len(group))
        self._total = [None] * len(self.weights)
        self._versions = [buffer._version for buffer in self.others]
        return RankBatches(rows, group, self.ranks, self._open)

    @property
    def counts(self) -> bool:
        """Whether the micro-batch under way is one of the step, not a repeated one."""
        return self.turn.k < self.turn.count

    def _open(self, number: int) -> None:
        turn = self.turn
        turn.number, turn.k = number, number * self.ranks.world + self.ranks.rank
        self.stream.begin(stream_seed(turn.seed, turn.step, turn.k))

    def begin(self) -> None:
        """What the text of the step calls before a forward pass."""
        self.statistics.begin()
        if self.synced:
            self.synced.begin(self.turn.counted(self.ranks.world))

    def exchange(self) -> None:
        """What the text of the step calls after the backward pass of a micro-batch.

        Gradients are those of the whole step after its last round, and none before. Raises
        RankLost.
        """
        self.stream.end()
        if self.synced:
            self.synced.end()
        gradients = self._taken()
        shares, uses = self.statistics.end()
        header = self._header(gradients, uses)
        tensors = [header, *shares]
        filled = [
            torch.zeros_like(w) if g is None else g
            for g, w in zip(gradients, self.weights, strict=True)
        ]
        if self.ordered:
            tensors += filled
        received = self._gathered(tensors)
        headers = [message[0].tolist() for message in received]
        if not self.ordered:
            self._reduce(filled, headers)
        for message, numbers in zip(received, headers, strict=True):
            if numbers[0]:
                self._add(message, numbers)
        if self.turn.last(self.ranks.world):
            self._finish(headers[0])

    def _taken(self) -> list[Tensor | None]:
        """The gradients of a micro-batch, which are no longer those of the weights."""
        gradients = [weight.grad for weight in self.weights]
        for weight in self.weights:
            weight.grad = None
        if any(gradient is not None and gradient.is_sparse for gradient in gradients):
            message = "Sparse gradients cannot be added up over several processes."
            hint = "Set sparse of each Embedding to false, or train in one process."
            raise RunError("network", message, hint)
        return gradients

    def _header(self, gradients: Sequence[Tensor | None], uses: Sequence[int]) -> Tensor:
        """Whether the micro-batch counts, the signal, the gradients there are, uses of batch
        norms, and the other buffers that have changed."""
        changed = [b._version != v for b, v in zip(self.others, self._versions, strict=True)]
        signal = self.signal() if self.turn.last(self.ranks.world) else 0.0
        there = [gradient is not None for gradient in gradients]
        numbers = [self.counts, signal, *there, *uses, *changed]
        return torch.tensor(numbers, dtype=torch.float32, device=self.weights[0].device)

    def _gathered(self, tensors: Sequence[Tensor]) -> list[list[Tensor]]:
        layout = self._layout = self._layout or MessageLayout(tensors)
        message: Message = layout.pack(tensors)
        return [layout.unpack(each) for each in gather_messages(self.ranks, message)]

    def _add(self, message: Sequence[Tensor], numbers: Sequence[float]) -> None:
        """Add what a rank calculated to the step."""
        norms, count = len(self.statistics.norms), self.carried
        uses = [int(number) for number in numbers[2 + count : 2 + count + norms]]
        self.statistics.apply(list(message[1 : 1 + norms]), uses)
        for index, gradient in enumerate(message[1 + norms :]):
            if numbers[2 + index]:
                self._add_gradient(index, gradient)

    def _add_gradient(self, index: int, gradient: Tensor) -> None:
        total = self._total[index]
        if total is None:
            self._total[index] = torch.empty_like(self.weights[index]).copy_(gradient)
        else:
            total.add_(gradient)

    def _reduce(self, filled: Sequence[Tensor], headers: Sequence[Sequence[float]]) -> None:
        """Add up gradients by an all-reduce; that of a repeated micro-batch is not among them."""
        for index, gradient in enumerate(filled):
            if not any(numbers[0] and numbers[2 + index] for numbers in headers):
                continue
            own = gradient.contiguous() if self.counts else torch.zeros_like(gradient)
            self.ranks.all_reduce(own)
            self._add_gradient(index, own)

    def _finish(self, first: Sequence[float]) -> None:
        for weight, total in zip(self.weights, self._total, strict=True):
            weight.grad = total
        self.signalled = first[1]
        changed = first[len(first) - len(self.others) :] if self.others else []
        with torch.no_grad():
            for buffer, other in zip(self.others, changed, strict=True):
                if other:
                    self.ranks.broadcast(buffer)
