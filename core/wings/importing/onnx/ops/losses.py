"""Classification losses at the end of a file that was exported for training."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from core.wings.importing.onnx.call import NodeCall


def _class_loss(call: NodeCall) -> Any:
    """Negative log likelihood, weighted by class."""
    x, target = call.tensor(0), call.tensor(1)
    logs = x
    if call.node.op == "SoftmaxCrossEntropyLoss":
        logs = call.layer(lambda: nn.LogSoftmax(1), "log_softmax")(x)
    target = target.unsqueeze(1)
    ignored = call.get("ignore_index")
    kept = None
    if ignored is not None:
        kept = torch.ne(target, ignored)
        target = torch.where(kept, target, 0)
    found = torch.neg(torch.gather(logs, 1, target))  # (N, 1, *)
    weight = _weights(call, target, kept)
    found = found if weight is None else found * weight
    return [_reduced(call, found, weight), logs]


def _weights(call: NodeCall, target: Tensor, kept: Tensor | None) -> Tensor | None:
    """The weight of each target; None if all are equal."""
    mask = None if kept is None else kept.to(torch.float32)
    if not call.has(2):
        return mask
    weight = call.tensor(2)[target]
    return weight if mask is None else weight * mask


def _reduced(call: NodeCall, found: Tensor, weight: Tensor | None) -> Tensor:
    reduction = call.get("reduction", "mean")
    if reduction == "none":
        return found.squeeze(1)
    if reduction == "sum":
        return torch.sum(found)
    return torch.mean(found) if weight is None else torch.sum(found) / torch.sum(weight)


OPERATIONS: dict[str, Callable[[NodeCall], Any]] = dict.fromkeys(
    ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"), _class_loss
)
