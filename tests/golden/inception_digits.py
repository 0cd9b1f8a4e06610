"""GoogLeNet on digits: (N, 1, 8, 8) -> (N, 10). Written by Layerloom."""

import torch
from torch import Tensor, nn


class ConvBNReLU(nn.Sequential):
    def __init__(self, in_channels: int, channels: int, kernel_size: int = 1) -> None:
        super().__init__()
        self.conv = nn.Conv2d(
            in_channels,
            channels,
            kernel_size=kernel_size,
            padding=kernel_size // 2,
            bias=False,
        )
        self.bn = nn.BatchNorm2d(channels)
        self.relu = nn.ReLU()


class Inception(nn.Module):
    def __init__(self, in_channels: int, c1: int, c3: int, c5: int) -> None:
        super().__init__()
        self.branch1 = ConvBNReLU(in_channels, c1)
        self.reduce3 = ConvBNReLU(in_channels, 8)
        self.branch3 = ConvBNReLU(8, c3, kernel_size=3)
        self.reduce5 = ConvBNReLU(in_channels, 4)
        self.branch5 = ConvBNReLU(4, c5, kernel_size=5)
        self.pool = nn.MaxPool2d(3, stride=1, padding=1)
        self.project = ConvBNReLU(in_channels, c5)

    def forward(self, input: Tensor) -> Tensor:
        branch1 = self.branch1(input)
        x = self.reduce3(input)
        branch3 = self.branch3(x)
        x = self.reduce5(input)
        branch5 = self.branch5(x)
        x = self.pool(input)
        x = self.project(x)
        x = torch.cat([branch1, branch3, branch5, x], dim=1)
        return x


class GoogLeNetOnDigits(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = ConvBNReLU(1, 16, kernel_size=3)
        self.inception3a = Inception(16, c1=8, c3=16, c5=8)
        self.inception3b = Inception(40, c1=16, c3=24, c5=12)
        self.pool = nn.MaxPool2d(2)
        self.inception4a = Inception(64, c1=24, c3=32, c5=12)
        self.average = nn.AdaptiveAvgPool2d(1)
        self.drop = nn.Dropout(p=0.2)
        self.fc = nn.Linear(80, 10)

    def forward(self, image: Tensor) -> Tensor:
        x = self.stem(image)  # (N, 16, 8, 8)
        x = self.inception3a(x)  # (N, 40, 8, 8)
        x = self.inception3b(x)  # (N, 64, 8, 8)
        x = self.pool(x)  # (N, 64, 4, 4)
        x = self.inception4a(x)  # (N, 80, 4, 4)
        x = self.average(x)  # (N, 80, 1, 1)
        x = torch.flatten(x, start_dim=1)  # (N, 80)
        x = self.drop(x)
        x = self.fc(x)  # (N, 10)
        return x
