"""Modules that do otherwise in training, each in a way that no drawing of one run has."""

import random
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import Function


class Round(Function):
    """Rounds; the gradient goes through as if it had not."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return torch.round(x)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads[0]


class Rounds(nn.Module):
    """A quantised hidden layer, trained straight through."""

    def __init__(self) -> None:
        super().__init__()
        self.fc, self.head = nn.Linear(6, 6), nn.Linear(6, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(Round.apply(8 * self.fc(x)))


class Centres(nn.Module):
    """Keeps the mean of what it saw, in training only."""

    centre: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(6, 6)
        self.register_buffer("centre", torch.zeros(6))

    def forward(self, x: Tensor) -> Tensor:
        x = self.fc(x)
        if self.training:
            self.centre.mul_(0.9).add_(x.detach().mean(0), alpha=0.1)
        return x - self.centre


class Frozen(nn.Module):
    """A backbone whose batch norm keeps its statistics also in training."""

    def __init__(self) -> None:
        super().__init__()
        self.fc, self.norm = nn.Linear(6, 6), nn.BatchNorm1d(6)

    def train(self, mode: bool = True) -> "Frozen":
        super().train(mode)
        self.norm.eval()
        return self

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(self.fc(x))


class Gambles(nn.Module):
    """Draws a number with Python's random."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(6, 6)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(x) * random.random()


class Refused(nn.Module):
    """Changes a tensor under two names, in training only."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(6, 6)

    def forward(self, x: Tensor) -> Tensor:
        x = self.fc(x)
        if self.training:
            x.view(-1).add_(1)
        return x * 2
