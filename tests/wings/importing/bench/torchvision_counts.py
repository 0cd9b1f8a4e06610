"""Why a published count is another than that of the module as torchvision builds it untrained.

Every reason is an addition that is carried out here, and stands in the table only where it comes
out to the last parameter, or to half a percent of the operations.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode
from torchvision import models
from torchvision.ops import FrozenBatchNorm2d

from core.wings.importing.published_size import Shape, family

Row = dict[str, Any]
HEADS = ("AuxLogits", "aux1", "aux2")
"""Heads of Inception and GoogLeNet that run in training only."""


def size(module: nn.Module | None) -> int:
    """How many parameters a module has."""
    return sum(p.numel() for p in module.parameters()) if module is not None else 0


def reasons(name: str, module: nn.Module) -> Iterator[tuple[int, str]]:
    """What may stand between our count and the published one, with its parameters."""
    heads = [h for h in HEADS if isinstance(getattr(module, h, None), nn.Module)]
    counted = sum(size(getattr(module, h)) for h in heads)
    if heads:
        yield counted, f"of {', '.join(heads)}, which run in training only and are not drawn"
    if family(name) == "segmentation" and "lraspp" not in name:
        trained = with_head(name)
        yield size(trained.get_submodule("aux_classifier")), "of the auxiliary classifier"
    if family(name) == "detection":
        frozen, norms = -size_of_norms(module), "of its backbone's normalisation, which is frozen"
        yield frozen, f"{norms} when it starts from trained weights"


def size_of_norms(detector: nn.Module) -> int:
    """Parameters of a backbone's normalisation, which become buffers where it is frozen."""
    norms = [m for m in detector.get_submodule("backbone").modules()]
    assert not any(isinstance(m, FrozenBatchNorm2d) for m in norms)
    return sum(size(m) for m in norms if isinstance(m, nn.BatchNorm2d))


def with_head(name: str) -> nn.Module:
    """A segmentation model with the head that its published form trains with, without memory."""
    with torch.device("meta"):
        return models.get_model(name, weights=None, weights_backbone=None, aux_loss=True).eval()


def why_params(name: str, module: nn.Module, ours: int, published: int) -> str:
    """The difference as a sum, if one of the reasons is exactly it."""
    for number, text in reasons(name, module):
        if number and ours + number == published:
            return f"{ours:,} {'+' if number > 0 else '-'} {abs(number):,} {text} = {published:,}"
    return ""


def why_operations(name: str, shape: Shape, published: float) -> str:
    """Whether the published operations are those of the model with its auxiliary classifier."""
    if family(name) != "segmentation" or "lraspp" in name:
        return ""
    counter = FlopCounterMode(display=False)
    with torch.no_grad(), counter:
        with_head(name)(torch.empty(1, *shape, device="meta"))
    found = counter.get_total_flops() / 2e9
    off = 100 * (found / published - 1)
    if abs(off) > 0.5:
        return ""
    return f"with the auxiliary classifier {found:.2f} billion, {off:+.2f} % of the published"
