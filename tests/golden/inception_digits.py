"""GoogLeNet-style network on digits: (N, 1, 8, 8) -> (N, 10). Written by Layerloom."""

import torch
from torch import Tensor, nn


class ConvReLU(nn.Sequential):
    def __init__(self, in_channels: int, channels: int, kernel_size: int = 1) -> None:
        super().__init__()
        self.conv = nn.Conv2d(
            in_channels, channels, kernel_size=kernel_size, padding=kernel_size // 2
        )
        self.relu = nn.ReLU()


class GoogLeNetStyleNetworkOnDigits(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = ConvReLU(1, 16, kernel_size=3)
        self.one = ConvReLU(16, 8)
        self.reduce3 = ConvReLU(16, 8)
        self.three = ConvReLU(8, 16, kernel_size=3)
        self.reduce5 = ConvReLU(16, 4)
        self.five = ConvReLU(4, 8, kernel_size=5)
        self.around = nn.MaxPool2d(3, stride=1, padding=1)
        self.project = ConvReLU(16, 8)
        self.pool = nn.MaxPool2d(2)
        self.conv = ConvReLU(40, 48, kernel_size=3)
        self.average = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(48, 10)

    def forward(self, image: Tensor) -> Tensor:
        stem = self.stem(image)  # (N, 16, 8, 8)
        one = self.one(stem)  # (N, 8, 8, 8)
        x = self.reduce3(stem)  # (N, 8, 8, 8)
        three = self.three(x)  # (N, 16, 8, 8)
        x = self.reduce5(stem)  # (N, 4, 8, 8)
        five = self.five(x)  # (N, 8, 8, 8)
        x = self.around(stem)
        x = self.project(x)  # (N, 8, 8, 8)
        x = torch.cat([one, three, five, x], dim=1)  # (N, 40, 8, 8)
        x = self.pool(x)  # (N, 40, 4, 4)
        x = self.conv(x)  # (N, 48, 4, 4)
        x = self.average(x)  # (N, 48, 1, 1)
        x = torch.flatten(x, start_dim=1)  # (N, 48)
        x = self.fc(x)  # (N, 10)
        return x
