"""Computed weights: (N, 1, 12, 12) -> (N, 20). Written by Layerloom."""

from torch import Tensor, nn
from torch.nn.utils.parametrizations import orthogonal, spectral_norm, weight_norm
from torch.nn.utils.parametrize import register_parametrization


class SymmetricWeight(nn.Module):
    """A weight that equals its transpose: the upper triangle is learned, the lower mirrors it."""

    def forward(self, weight: Tensor) -> Tensor:
        return weight.triu() + weight.triu(1).transpose(-1, -2)


class Held(nn.Sequential):
    def __init__(self, conv1_kernel_size: int) -> None:
        super().__init__()
        self.conv1 = orthogonal(
            nn.Conv2d(4, 4, kernel_size=conv1_kernel_size, padding="same"),
            orthogonal_map="cayley",
            use_trivialization=False,
        )
        self.relu1 = nn.ReLU()


class ComputedWeights(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = weight_norm(nn.Conv2d(1, 4, kernel_size=3, padding=1))
        self.held1 = Held(conv1_kernel_size=5)
        self.held2 = Held(conv1_kernel_size=3)
        self.conv2 = register_parametrization(
            nn.Conv2d(4, 4, kernel_size=3, padding=1), "weight", SymmetricWeight()
        )
        self.flat = nn.Flatten()
        self.fc1 = spectral_norm(nn.Linear(576, 20))
        self.fc2 = nn.Sequential(*[weight_norm(nn.Linear(20, 20)) for _ in range(2)])

    def forward(self, image: Tensor) -> Tensor:
        x = self.conv1(image)  # (N, 4, 12, 12)
        x = self.held1(x)
        x = self.held2(x)
        x = self.conv2(x)
        x = self.conv2(x)
        x = self.flat(x)  # (N, 576)
        x = self.fc1(x)  # (N, 20)
        x = self.fc2(x)
        return x
