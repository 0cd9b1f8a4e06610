"""What a training step returns: losses, outputs and targets of its samples."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class StepOutput:
    """What a step computed for its `size` samples.

    loss: (). losses: the terms it is the sum of, () each. outputs of the network, targets: one
    tensor (size, ...) each. rows: what its samples add to the sums of all measures, where another
    process has read its outputs already.
    """

    loss: Tensor
    losses: list[Tensor]
    outputs: tuple[Tensor, ...]
    targets: tuple[Tensor, ...]
    size: int
    rows: Tensor | None = None

    def without_samples(self) -> "StepOutput":
        """The output of a skipped step: its loss stays in the curve, and nothing else counts."""
        zeros = [torch.zeros_like(loss) for loss in self.losses]
        outputs = tuple(output[:0] for output in self.outputs)
        targets = tuple(target[:0] for target in self.targets)
        rows = None if self.rows is None else self.rows[:0]
        return StepOutput(self.loss, zeros, outputs, targets, 0, rows)


def concatenate(batches: Sequence[StepOutput]) -> StepOutput:
    """Join the batches of one step: losses are averaged by batch size."""
    sizes = torch.tensor([batch.size for batch in batches])
    first = batches[0].loss
    shares = (sizes / sizes.sum()).to(first.device, non_blocking=True)

    def mean(losses: Sequence[Tensor]) -> Tensor:
        return (torch.stack(list(losses)) * shares).sum()

    loss = mean([batch.loss for batch in batches])
    losses = [mean(each) for each in zip(*(batch.losses for batch in batches), strict=True)]
    outputs = zip(*(batch.outputs for batch in batches), strict=True)
    rows = [batch.rows for batch in batches if batch.rows is not None]
    targets = zip(*(batch.targets for batch in batches), strict=True)
    return StepOutput(
        loss,
        losses,
        tuple(torch.cat([part.detach() for part in each]) for each in outputs),
        tuple(torch.cat(each) for each in targets),
        sum(batch.size for batch in batches),
        torch.cat(rows) if rows else None,
    )
