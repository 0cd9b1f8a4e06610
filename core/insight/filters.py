"""Filters as images: weights of convolutions, and of linear layers that read images."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import torch
from torch import Tensor, nn

from core.common.article import an
from core.insight.eval_context import named_modules

CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
TRANSPOSED = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)


@dataclass(frozen=True)
class Filters:
    """Filters of one layer, `name` as in `state_dict` without ".weight".

    weight: (K, channels, H, W); the slices of a filter of three dimensions are channels, `depth` of
    them each. bias: (K,), None without one. groups: of the layer, whose filters read the channels
    of their own group.
    """

    name: str
    weight: Tensor
    bias: Tensor | None = None
    groups: int = 1
    depth: int = 1

    def reads(self, number: int) -> list[int]:
        """For each channel of a filter, which channel of the layer's input it reads."""
        channels = self.weight.shape[1] // self.depth
        first = number // (len(self.weight) // self.groups) * channels
        return [first + k // self.depth for k in range(self.weight.shape[1])]


def filters(module: nn.Module, name: str) -> Filters:
    """Filters of the named convolution. Raises ValueError for a layer without any."""
    layer = module.get_submodule(name)
    if not isinstance(layer, CONVOLUTIONS + TRANSPOSED):
        raise ValueError(f"{name} needs to be a convolution but is {an(type(layer).__name__)}")
    weight = _copy(layer.weight)
    if isinstance(layer, TRANSPOSED):  # (in, out / groups, ...): outputs come first, as elsewhere
        weight = torch.cat([part.transpose(0, 1) for part in weight.chunk(layer.groups)])
    weight = weight.unsqueeze(2) if weight.ndim == 3 else weight
    depth = weight.shape[2] if weight.ndim == 5 else 1
    flat = weight.flatten(1, weight.ndim - 3)
    return Filters(name, flat, _optional(layer.bias), layer.groups, depth)


def filter_layers(module: nn.Module) -> list[str]:
    """Names of the layers whose filters can be drawn, first layer first."""
    kinds = (*CONVOLUTIONS, *TRANSPOSED, nn.Linear)
    return [name for name, part in named_modules(module) if isinstance(part, kinds)]


def linear_as_filters(module: nn.Module, name: str, image_shape: Sequence[int]) -> Filters:
    """Rows of a linear layer laid out as the image (C, H, W) that it reads.

    Where its inputs are no such image, or one of a single pixel, as (1, 1, in_features).
    """
    layer = module.get_submodule(name)
    if not isinstance(layer, nn.Linear):
        raise ValueError(f"{name} needs to be a Linear but is {an(type(layer).__name__)}")
    fits = len(image_shape) == 3 and prod(image_shape) == layer.in_features
    fits = fits and prod(image_shape[1:]) > 1
    shape = tuple(image_shape) if fits else (1, 1, layer.in_features)
    return Filters(name, _copy(layer.weight).reshape(-1, *shape), _optional(layer.bias))


def _copy(tensor: Tensor) -> Tensor:
    return tensor.detach().cpu().clone()


def _optional(tensor: Tensor | None) -> Tensor | None:
    return None if tensor is None else _copy(tensor)
