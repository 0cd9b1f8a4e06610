"""Residual net: (N, 3, 32, 32) -> (N, 32, 16, 16). Written by Layerloom."""

from torch import Tensor, nn


class ResidualNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 16, kernel_size=3, padding=1)
        self.conv1 = nn.Conv2d(16, 32, kernel_size=3, stride=2, padding=1)
        self.bn1 = nn.BatchNorm2d(32)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(32, 32, kernel_size=3, padding=1)
        self.bn2 = nn.BatchNorm2d(32)
        self.skip = nn.Conv2d(16, 32, kernel_size=1, stride=2)
        self.relu2 = nn.ReLU()

    def forward(self, image: Tensor) -> Tensor:
        stem = self.stem(image)  # (N, 16, 32, 32)
        x = self.conv1(stem)  # (N, 32, 16, 16)
        x = self.bn1(x)
        x = self.relu1(x)
        x = self.conv2(x)
        bn2 = self.bn2(x)
        x = self.skip(stem)  # (N, 32, 16, 16)
        x = bn2 + x
        x = self.relu2(x)
        return x
