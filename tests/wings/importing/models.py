"""Small models with the habits that real ones have."""

from collections import namedtuple
from typing import Any

import torch
from torch import Tensor, nn


class Shared(nn.Module):
    """One layer called twice."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(6, 6)
        self.act = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        return self.act(self.fc(self.act(self.fc(x))))


class Token(nn.Module):
    """A learned tensor, a buffer, and layers in a list that is never called."""

    def __init__(self) -> None:
        super().__init__()
        self.token = nn.Parameter(torch.full((1, 1, 6), 0.5))
        self.register_buffer("shift", torch.ones(6))
        self.layers = nn.ModuleList([nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 4)])

    def forward(self, x: Tensor) -> Tensor:
        n = x.shape[0]
        x = torch.cat([self.token.expand(n, -1, -1), x], dim=1) + self.shift
        for layer in self.layers:
            x = layer(x)
        return x[:, 0]


class Decides(nn.Module):
    """Compares sizes while it runs."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[2] > 16:
            x = nn.functional.avg_pool2d(x, 2)
        return self.conv(x).flatten(1)


class Sizes(nn.Module):
    """Arranges by sizes that follow the image."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = self.conv(x)
        n, c, h, w = x.shape
        return x.view(n, 2, c // 2, h, w).transpose(1, 2).reshape(n, c, h * w)


class Unknown(nn.Module):
    """Calls a function for which there is no block."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(6, 6)

    def forward(self, x: Tensor) -> Tensor:
        return torch.linalg.pinv(self.fc(x))


class Constants(nn.Module):
    """Uses fixed numbers: a tensor that is no buffer, a range, a grid, a mask, a kind of number."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(6, 6)
        self.means = torch.tensor([0.485, 0.456, 0.406, 0.1, 1.0, -2.5])

    def forward(self, x: Tensor) -> Tensor:
        x = self.fc(x) - self.means
        x[:, :2] += torch.tensor([0.5, 0.25])
        rows = torch.arange(x.shape[1], device=x.device) / (x.shape[1] - 1)
        x = x * rows.float() + torch.zeros(6)
        rest = x[x > 0]
        return x + rest[:1].detach() * len(x)


class Outside(nn.Module):
    """Uses a tensor that belongs to nobody, and is too large to write out."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(6, 6)
        self.secret = torch.ones(5000, 6)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(x) + self.secret[: x.shape[1]]


class Reads(nn.Module):
    """Goes on with a number read out of a tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(6, 6)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(x) if float(x.sum()) > 0 else x


class Fails(nn.Module):
    """Cannot run on what it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(7, 6)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(x)


class LaidOut(nn.Module):
    """Lays values out anew for a layer, and for a view, which does so itself."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(6, 6, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = self.conv(x.contiguous().permute(0, 3, 1, 2).contiguous())
        return x.permute(0, 2, 3, 1).contiguous().view(x.shape[0], -1)


class Learner(nn.Module):
    """Gives more in training: a head of its own, under the name it has."""

    Found = namedtuple("Found", ("logits", "aux_logits"))

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.drop = nn.Dropout(0.5)
        self.fc = nn.Linear(4, 5)
        self.aux = nn.Linear(4, 5)

    def forward(self, x: Tensor) -> Any:
        x = self.norm(self.stem(x)).mean((2, 3))
        logits = self.fc(self.drop(x))
        return self.Found(logits, self.aux(x)) if self.training else logits


class Turns(nn.Module):
    """Does one thing when it is called first and another when it is called again."""

    def __init__(self) -> None:
        super().__init__()
        self.fc, self.norm = nn.Linear(6, 6), nn.LayerNorm(6)

    def forward(self, x: Tensor, again: bool) -> Tensor:
        return self.norm(x) if again else torch.tanh(self.fc(x))


class TwoFaced(nn.Module):
    """Calls one module twice, for different things."""

    def __init__(self) -> None:
        super().__init__()
        self.part = Turns()

    def forward(self, x: Tensor) -> Tensor:
        return self.part(self.part(x, False), True)


class Borrows(nn.Module):
    """Uses a layer of its part once more, from outside."""

    def __init__(self) -> None:
        super().__init__()
        self.part = nn.Sequential(nn.Linear(6, 6), nn.LayerNorm(6), nn.Tanh())
        self.fc = nn.Linear(6, 6)

    def forward(self, x: Tensor) -> Tensor:
        return self.part[1](self.fc(self.part(x)))


class Halved(nn.Module):
    """Decides by values, and is a class that stands on its own."""

    def forward(self, x: Tensor) -> Tensor:
        while x.abs().sum() > 1:
            x = x / 2
        return x
