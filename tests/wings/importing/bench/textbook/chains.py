"""Multilayer perceptrons and plain convolutional networks, mostly one nn.Sequential."""

from collections import OrderedDict
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tests.wings.importing.bench.textbook.pages import page


@page("homework", (8,))
def plain_sequential() -> nn.Module:
    """nn.Sequential is the model."""
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 3))


@page("Dive into Deep Learning", (1, 28, 28))
def lazy_mlp() -> nn.Module:
    """Lazy layers in a Sequential, the picture is flattened first."""
    return nn.Sequential(
        nn.Flatten(), nn.LazyLinear(32), nn.ReLU(), nn.Dropout(0.5), nn.LazyLinear(10)
    )


@page("PyTorch tutorials", (5,))
def linear_regression() -> nn.Module:
    """One layer is the whole model."""
    return nn.Linear(5, 1)


@page("PyTorch tutorials", (1, 28, 28))
def ordered_sequential() -> nn.Module:
    """An OrderedDict with names, a softmax at the end."""
    parts = [
        ("flatten", nn.Flatten()), ("hidden-1", nn.Linear(784, 24)), ("act", nn.GELU()),
        ("2nd", nn.Linear(24, 10)), ("softmax", nn.Softmax(dim=1)),
    ]  # fmt: skip
    return nn.Sequential(OrderedDict(parts))


@page("PyTorch tutorials", (1, 28, 28))
class NeuralNetwork(nn.Module):
    """The quickstart: flatten, then a stack that is called logits."""

    def __init__(self) -> None:
        super().__init__()
        self.flatten = nn.Flatten()
        self.linear_relu_stack = nn.Sequential(
            nn.Linear(28 * 28, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 10)
        )

    def forward(self, x: Tensor) -> Tensor:
        x = self.flatten(x)
        return self.linear_relu_stack(x)


@page("Dive into Deep Learning", (6,))
class MySequential(nn.Module):
    """An own Sequential by add_module(str(i)) and children()."""

    def __init__(self) -> None:
        super().__init__()
        for i, module in enumerate([nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2)]):
            self.add_module(str(i), module)

    def forward(self, X: Tensor) -> Tensor:
        for module in self.children():
            X = module(X)
        return X


@page("Dive into Deep Learning", (20,), refused="Python reads the bool of a tensor")
class FixedHiddenMLP(nn.Module):
    """A plain tensor as attribute, a shared layer, a while loop over values."""

    def __init__(self) -> None:
        super().__init__()
        self.rand_weight = torch.rand((20, 20))
        self.linear = nn.LazyLinear(20)

    def forward(self, X: Tensor) -> Tensor:
        X = self.linear(X)
        X = F.relu(X @ self.rand_weight + 1)
        X = self.linear(X)
        while X.abs().sum() > 1:
            X /= 2
        return X.sum(dim=1)


@page("Dive into Deep Learning", (20,))
class FixedWeight(nn.Module):
    """A plain tensor as attribute, and a layer that is called twice."""

    def __init__(self) -> None:
        super().__init__()
        self.rand_weight = torch.rand((20, 20))
        self.linear = nn.LazyLinear(20)

    def forward(self, X: Tensor) -> Tensor:
        X = self.linear(X)
        X = F.relu(X @ self.rand_weight + 1)
        X = self.linear(X)
        return X.sum(dim=1)


@page("Dive into Deep Learning", (20,))
class NestMLP(nn.Module):
    """A Sequential inside a module inside a Sequential."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.LazyLinear(64), nn.ReLU(), nn.LazyLinear(32), nn.ReLU())
        self.linear = nn.LazyLinear(16)

    def forward(self, X: Tensor) -> Tensor:
        return self.linear(self.net(X))


@page("Dive into Deep Learning", (20,))
def chimera() -> nn.Module:
    """Modules of one's own among layers in one Sequential."""
    return nn.Sequential(NestMLP(), nn.LazyLinear(20), FixedWeight())


@page("Dive into Deep Learning", (4,))
def shared_layer() -> nn.Module:
    """One layer stands in a Sequential three times."""
    shared = nn.LazyLinear(8)
    return nn.Sequential(
        nn.LazyLinear(8), nn.ReLU(), shared, nn.ReLU(), shared, nn.ReLU(), nn.LazyLinear(1)
    )


@page("Dive into Deep Learning", (5,))
class MyLinear(nn.Module):
    """Weights as parameters of one's own, read through .data."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(5, 3))
        self.bias = nn.Parameter(torch.randn(3))

    def forward(self, X: Tensor) -> Tensor:
        linear = torch.matmul(X, self.weight) + self.bias
        return F.relu(linear)


@page("Dive into Deep Learning", (8,))
class CenteredLayer(nn.Module):
    """A layer without parameters: it subtracts the mean."""

    def forward(self, X: Tensor) -> Tensor:
        return X - X.mean(dim=1, keepdims=True)  # pyright: ignore


@page("Dive into Deep Learning", (1, 28, 28))
class SoftmaxByHand(nn.Module):
    """Softmax from exp and sum with keepdims, weights as a matrix."""

    def __init__(self) -> None:
        super().__init__()
        self.W = nn.Parameter(torch.normal(0, 0.01, size=(784, 10)))
        self.b = nn.Parameter(torch.zeros(10))

    def forward(self, X: Tensor) -> Tensor:
        X = X.reshape((-1, self.W.shape[0]))
        X_exp = torch.exp(torch.matmul(X, self.W) + self.b)
        partition = X_exp.sum(1, keepdims=True)  # pyright: ignore
        return X_exp / partition


@page("PyTorch tutorials", (1,))
class Polynomial3(nn.Module):
    """Scalars as parameters, powers by **."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Parameter(torch.randn(())), nn.Parameter(torch.randn(()))
        self.c, self.d = nn.Parameter(torch.randn(())), nn.Parameter(torch.randn(()))

    def forward(self, x: Tensor) -> Tensor:
        return self.a + self.b * x + self.c * x**2 + self.d * x**3


@page("PyTorch tutorials", (1,), refused="draws random numbers with Python's random")
class DynamicNet(nn.Module):
    """A loop as long as Python's random says, with shared weights."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.e = nn.Parameter(torch.randn(())), nn.Parameter(torch.randn(()))

    def forward(self, x: Tensor) -> Tensor:
        import random

        y = self.a * x
        for exponent in range(4, random.randint(4, 6)):
            y = y + self.e * x**exponent
        return y


@page("homework", (6,))
class DeepMLP(nn.Module):
    """Layers in a ModuleList, made and called by loops, with an if on the last."""

    def __init__(self) -> None:
        super().__init__()
        sizes = [6, 16, 16, 16, 2]
        self.layers = nn.ModuleList()
        for a, b in pairwise(sizes):
            self.layers.append(nn.Linear(a, b))

    def forward(self, x: Tensor) -> Tensor:
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if i < len(self.layers) - 1:
                x = torch.relu(x)
        return x


@page("homework", (6,))
class NamedByNumber(nn.Module):
    """Layers as attributes named by an f-string, called by getattr."""

    def __init__(self) -> None:
        super().__init__()
        for i in range(3):
            setattr(self, f"fc{i}", nn.Linear(6, 6))
            setattr(self, f"bn{i}", nn.BatchNorm1d(6))

    def forward(self, x: Tensor) -> Tensor:
        for i in range(3):
            x = F.leaky_relu(getattr(self, f"bn{i}")(getattr(self, f"fc{i}")(x)), 0.1)
        return x


@page("PyTorch tutorials", (1, 12, 12))
class ByName(nn.Module):
    """A ModuleDict of choices and one of activations, chosen by settings."""

    def __init__(self) -> None:
        super().__init__()
        self.choices = nn.ModuleDict({"conv": nn.Conv2d(1, 10, 3), "pool": nn.MaxPool2d(3)})
        self.activations = nn.ModuleDict({"lrelu": nn.LeakyReLU(), "prelu": nn.PReLU()})
        self.choice, self.act = "conv", "prelu"

    def forward(self, x: Tensor) -> Tensor:
        x = self.choices[self.choice](x)
        return self.activations[self.act](x)
