"""Gated digits: (N, 1, 8, 8) -> (N, 10). Written by Layerloom."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Gate(nn.Module):
    """Scale each channel by how much the whole image speaks for it."""

    def __init__(self, channels: int, scale: float = 1.0) -> None:
        super().__init__()
        self.fc = nn.Linear(channels, channels)
        self.scale = scale / math.sqrt(channels)

    def forward(self, x: Tensor) -> Tensor:
        weight = torch.sigmoid(self.fc(x.mean(dim=(2, 3))) * self.scale)
        return x * weight[:, :, None, None]


class Halves(nn.Module):
    """Cut the channels into two halves."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        first, second = x.chunk(2, dim=1)
        return first, F.relu(second)


class GatedDigits(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, kernel_size=3, padding=1)
        self.gate1 = Gate(8, scale=2.0)
        self.halves = Halves()
        self.gate2 = nn.Sequential(*[Gate(4) for _ in range(2)])
        self.fc = nn.Linear(256, 10)

    def forward(self, image: Tensor) -> Tensor:
        x = self.conv1(image)  # (N, 8, 8, 8)
        x = self.gate1(x)
        halves, halves_1 = self.halves(x)  # (N, 4, 8, 8), (N, 4, 8, 8)
        x = halves + halves_1
        x = self.gate2(x)
        x = torch.flatten(x, start_dim=1)  # (N, 256)
        x = self.fc(x)  # (N, 10)
        return x
