"""GoogLeNet-style network on digits: (N, 1, 8, 8) -> (N, 10). Written by Layerloom."""

import torch
from torch import Tensor, nn


class ConvReLU(nn.Module):
    def __init__(
        self, in_channels: int, channels: int, kernel_size: int, padding: int
    ) -> None:
        super().__init__()
        self.conv = nn.Conv2d(
            in_channels, channels, kernel_size=kernel_size, padding=padding
        )
        self.relu = nn.ReLU()

    def forward(self, input: Tensor) -> Tensor:
        x = self.conv(input)
        x = self.relu(x)
        return x


class GoogLeNetStyleNetworkOnDigits(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = ConvReLU(in_channels=1, channels=16, kernel_size=3, padding=1)
        self.one = ConvReLU(in_channels=16, channels=8, kernel_size=1, padding=0)
        self.reduce3 = ConvReLU(in_channels=16, channels=8, kernel_size=1, padding=0)
        self.three = ConvReLU(in_channels=8, channels=16, kernel_size=3, padding=1)
        self.reduce5 = ConvReLU(in_channels=16, channels=4, kernel_size=1, padding=0)
        self.five = ConvReLU(in_channels=4, channels=8, kernel_size=5, padding=2)
        self.around = nn.MaxPool2d(3, stride=1, padding=1)
        self.project = ConvReLU(in_channels=16, channels=8, kernel_size=1, padding=0)
        self.pool = nn.MaxPool2d(2)
        self.conv = ConvReLU(in_channels=40, channels=48, kernel_size=3, padding=1)
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
