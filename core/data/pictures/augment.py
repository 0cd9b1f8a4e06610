"""Random transforms of whole batches that give what torchvision's v2 gives sample by sample.

The numbers of chance are drawn for one sample after the other, in v2's order and from torch's own
generator: so a training script that calls v2 itself sees the same pictures, and a run that goes on
from a checkpoint, which holds that generator's state, draws on. Pixels are moved for the batch as
a whole, but for colours, which torchvision itself changes one picture at a time.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from core.data.pictures.transform import AugmentStep

Draw = Callable[[AugmentStep, tuple[int, int, int]], Any]
Move = Callable[[AugmentStep, Tensor, list[Any]], Tensor]


def augment(batch: Tensor, steps: Sequence[AugmentStep]) -> Tensor:
    """Vary pictures (N, C, H, W) from 0 to 1, each at random; the batch itself stays as it is."""
    if not steps:
        return batch
    shape = (batch.shape[1], batch.shape[2], batch.shape[3])
    drawn = [[_DRAWS[step.name](step, shape) for step in steps] for _ in range(len(batch))]
    for place, step in enumerate(steps):
        batch = _MOVES[step.name](step, batch, [row[place] for row in drawn])
    return batch


def _crop_drawn(step: AugmentStep, shape: tuple[int, int, int]) -> tuple[int, int]:
    most = 2 * step.settings["padding"] + 1
    return int(torch.randint(0, most, size=())), int(torch.randint(0, most, size=()))


def _cropped(step: AugmentStep, batch: Tensor, drawn: list[Any]) -> Tensor:
    padded = F.pad(batch, [step.settings["padding"]] * 4)
    height, width = batch.shape[2:]
    corners = torch.tensor(drawn)
    rows = corners[:, :1] + torch.arange(height)
    columns = corners[:, 1:] + torch.arange(width)
    many = torch.arange(len(batch))
    found = padded.permute(0, 2, 3, 1)[many[:, None, None], rows[:, :, None], columns[:, None]]
    return found.permute(0, 3, 1, 2).contiguous()


def _is_applied(step: AugmentStep, shape: tuple[int, int, int]) -> bool:
    return not bool(torch.rand(1) >= step.settings["p"])


def _flipped(dim: int) -> Move:
    def move(step: AugmentStep, batch: Tensor, drawn: list[Any]) -> Tensor:
        chosen = torch.tensor(drawn)[:, None, None, None]
        return torch.where(chosen, batch.flip(dim), batch)

    return move


def _angle(step: AugmentStep, shape: tuple[int, int, int]) -> float:
    most = step.settings["degrees"]
    return torch.empty(1).uniform_(-most, most).item()


def _rotated(step: AugmentStep, batch: Tensor, drawn: list[Any]) -> Tensor:
    """Turn by the nearest pixel, black outside, as v2.RandomRotation does."""
    height, width = batch.shape[2:]
    places = torch.empty(1, height, width, 3)
    places[..., 0] = torch.linspace((1.0 - width) * 0.5, (width - 1.0) * 0.5, steps=width)
    down = torch.linspace((1.0 - height) * 0.5, (height - 1.0) * 0.5, steps=height)
    places[..., 1] = down[:, None]
    places[..., 2] = 1
    half = torch.tensor([0.5 * width, 0.5 * height])
    grids = [places.view(1, -1, 3).bmm(_turn(a).transpose(1, 2).div_(half)) for a in drawn]
    grid = torch.cat(grids).view(-1, height, width, 2)
    return F.grid_sample(batch, grid, mode="nearest", padding_mode="zeros", align_corners=False)


def _turn(angle: float) -> Tensor:
    """The matrix that finds where a pixel comes from, (1, 2, 3)."""
    turn = math.radians(-(angle % 360))
    cos, sin = math.cos(turn), math.sin(turn)
    return torch.tensor([[[cos, sin, 0.0], [-sin, cos, 0.0]]])


def _jitter_drawn(
    step: AugmentStep, shape: tuple[int, int, int]
) -> tuple[list[int], list[float | None]]:
    order = torch.randperm(4).tolist()
    factors: list[float | None] = []
    for name, middle in (("brightness", 1.0), ("contrast", 1.0), ("saturation", 1.0), ("hue", 0.0)):
        most = step.settings[name]
        low = max(middle - most, 0.0) if middle else -most
        factors.append(torch.empty(1).uniform_(low, middle + most).item() if most else None)
    return order, factors


def _jittered(step: AugmentStep, batch: Tensor, drawn: list[Any]) -> Tensor:
    from torchvision.transforms.v2 import functional as V

    changes = (V.adjust_brightness, V.adjust_contrast, V.adjust_saturation, V.adjust_hue)
    pictures: list[Tensor] = []
    for picture, (order, factors) in zip(batch, drawn, strict=True):
        for which in order:
            factor = factors[which]
            picture = picture if factor is None else changes[which](picture, factor)
        pictures.append(picture)
    return torch.stack(pictures)


def _hole(step: AugmentStep, shape: tuple[int, int, int]) -> tuple[int, int, int, int] | None:
    """Top, left, height and width of what is erased; None where nothing is."""
    if not _is_applied(step, shape):
        return None
    height, width = shape[1:]
    ratios = torch.log(torch.tensor((0.3, 3.3)))
    for _ in range(10):
        area = height * width * torch.empty(1).uniform_(0.02, 0.33).item()
        ratio = torch.exp(torch.empty(1).uniform_(float(ratios[0]), float(ratios[1]))).item()
        tall, wide = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if tall < height and wide < width:
            top = int(torch.randint(0, height - tall + 1, size=(1,)))
            return top, int(torch.randint(0, width - wide + 1, size=(1,))), tall, wide
    return None


def _erased(step: AugmentStep, batch: Tensor, drawn: list[Any]) -> Tensor:
    batch = batch.clone()
    for picture, hole in zip(batch, drawn, strict=True):
        if hole is not None:
            top, left, tall, wide = hole
            picture[:, top : top + tall, left : left + wide] = 0.0
    return batch


def _noise(step: AugmentStep, shape: tuple[int, int, int]) -> Tensor:
    return torch.randn(shape)


def _noised(step: AugmentStep, batch: Tensor, drawn: list[Any]) -> Tensor:
    return torch.clamp(batch + (0.0 + torch.stack(drawn) * step.settings["sigma"]), 0, 1)


_DRAWS: dict[str, Draw] = {
    "RandomCrop": _crop_drawn,
    "RandomHorizontalFlip": _is_applied,
    "RandomVerticalFlip": _is_applied,
    "RandomRotation": _angle,
    "ColorJitter": _jitter_drawn,
    "RandomErasing": _hole,
    "GaussianNoise": _noise,
}
_MOVES: dict[str, Move] = {
    "RandomCrop": _cropped,
    "RandomHorizontalFlip": _flipped(3),
    "RandomVerticalFlip": _flipped(2),
    "RandomRotation": _rotated,
    "ColorJitter": _jittered,
    "RandomErasing": _erased,
    "GaussianNoise": _noised,
}
