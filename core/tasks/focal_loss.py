"""The focal loss, which is not part of torch."""

import torch
from torch import Tensor, nn


class FocalLoss(nn.Module):
    """Cross entropy that counts less where the right class is likely already.

    It is scaled by (1 - p)^gamma, where p is the probability of the right class (Lin et
    al., 2017, arXiv:1708.02002); with gamma 0 it is the cross entropy. As for
    nn.CrossEntropyLoss, logits are (N, C, ...), targets (N, ...), and the mean is over the
    `weight` of the targets that count.
    """

    weight: Tensor | None

    def __init__(
        self,
        gamma: float = 2.0,
        ignore_index: int = -100,
        weight: Tensor | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__()
        self.gamma, self.ignore_index, self.reduction = gamma, ignore_index, reduction
        self.register_buffer("weight", weight)

    def forward(self, logits: Tensor, target: Tensor) -> Tensor:
        surprise = nn.functional.cross_entropy(
            logits, target, reduction="none", ignore_index=self.ignore_index
        )
        unsure = -torch.expm1(-surprise)  # 1 - p
        loss = unsure.clamp_min(1e-12) ** self.gamma * surprise
        counts = (target != self.ignore_index).to(loss.dtype)
        if self.weight is not None:
            counts = counts * self.weight.to(loss.dtype)[target.clamp_min(0)]
        if self.reduction == "none":
            return loss * counts
        whole = (loss * counts).sum()
        return whole if self.reduction == "sum" else whole / counts.sum()
