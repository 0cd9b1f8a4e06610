"""MobileNet on digits: (N, 1, 16, 16) -> (N, 10). Written by Layerloom."""

import torch
from torch import Tensor, nn


class DepthwiseSeparable(nn.Sequential):
    def __init__(self, channels: int, stride: int, out: int) -> None:
        super().__init__()
        self.depthwise = nn.Conv2d(
            channels,
            channels,
            kernel_size=3,
            stride=stride,
            padding=1,
            groups=channels,
            bias=False,
        )
        self.bn1 = nn.BatchNorm2d(channels)
        self.relu1 = nn.ReLU6()
        self.pointwise = nn.Conv2d(channels, out, kernel_size=1, bias=False)
        self.bn2 = nn.BatchNorm2d(out)
        self.relu2 = nn.ReLU6()


class MobileNetOnDigits(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, kernel_size=3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(16)
        self.relu1 = nn.ReLU6()
        self.block1 = DepthwiseSeparable(16, stride=1, out=32)
        self.block2 = DepthwiseSeparable(32, stride=2, out=48)
        self.block3 = DepthwiseSeparable(48, stride=2, out=64)
        self.average = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(64, 10)

    def forward(self, image: Tensor) -> Tensor:
        x = self.conv1(image)  # (N, 16, 16, 16)
        x = self.bn1(x)
        x = self.relu1(x)
        x = self.block1(x)  # (N, 32, 16, 16)
        x = self.block2(x)  # (N, 48, 8, 8)
        x = self.block3(x)  # (N, 64, 4, 4)
        x = self.average(x)  # (N, 64, 1, 1)
        x = torch.flatten(x, start_dim=1)  # (N, 64)
        x = self.fc(x)  # (N, 10)
        return x
