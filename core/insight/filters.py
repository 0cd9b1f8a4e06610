"""Filters as images: weights of convolutions, and of linear layers that read images."""

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor, nn

from core.article import an


@dataclass(frozen=True)
class Filters:
    """Filters of one layer: (K, channels, H, W), `name` as in `state_dict` without ".weight"."""

    name: str
    weight: Tensor


def filters(module: nn.Module, name: str) -> Filters:
    """Filters of the named convolution. Raises ValueError for a layer without any."""
    layer = module.get_submodule(name)
    if isinstance(layer, nn.Conv2d):
        weight = layer.weight
    elif isinstance(layer, nn.ConvTranspose2d):
        weight = layer.weight.transpose(0, 1)
    elif isinstance(layer, nn.Conv1d):
        weight = layer.weight.unsqueeze(2)
    else:
        raise ValueError(f"{name} needs to be a convolution but is {an(type(layer).__name__)}")
    return Filters(name, weight.detach().cpu().clone())


def filter_layers(module: nn.Module) -> list[str]:
    """Names of the layers whose filters can be drawn, first layer first."""
    kinds = (nn.Conv1d, nn.Conv2d, nn.ConvTranspose2d)
    return [name for name, part in module.named_modules() if isinstance(part, kinds)]


def linear_as_filters(module: nn.Module, image_shape: Sequence[int]) -> Filters | None:
    """Rows of the first linear layer laid out as the image (C, H, W) it reads, if the sizes fit."""
    channels, height, width = image_shape
    for name, part in module.named_modules():
        if isinstance(part, nn.Linear):
            if part.in_features != channels * height * width:
                return None
            rows = part.weight.detach().cpu().clone()
            return Filters(name, rows.reshape(-1, channels, height, width))
    return None
