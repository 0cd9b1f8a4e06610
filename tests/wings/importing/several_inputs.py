"""Models whose forward takes any number of inputs, or whose weights are no float32."""

import torch
from torch import Tensor, nn


class Towers(nn.Module):
    """One layer for each of several inputs."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(4, 3), nn.Linear(4, 3)


class Unpacks(Towers):
    def forward(self, *xs: Tensor) -> Tensor:
        x, y = xs
        return self.first(x) + self.second(y)


class FirstAndMore(Towers):
    def forward(self, x: Tensor, *xs: Tensor) -> Tensor:
        return self.first(x) + self.second(xs[0])


class Keywords(Towers):
    def forward(self, **parts: Tensor) -> Tensor:
        return self.first(parts["left"]) + self.second(parts["right"])


class Counts(Towers):
    def forward(self, *xs: Tensor) -> Tensor:
        if len(xs) != 5:
            raise ValueError("five are needed")
        return torch.stack([self.first(x) for x in xs]).sum(0)


class Casts(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 3).double()

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x.double()).float()
