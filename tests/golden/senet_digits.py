"""SENet on digits: (N, 1, 8, 8) -> (N, 10). Written by Layerloom."""

import torch
from torch import Tensor, nn


class SqueezeExcite(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.squeeze = nn.AdaptiveAvgPool2d(1)
        self.fc1 = nn.Conv2d(channels, channels // 4, kernel_size=1)
        self.relu = nn.ReLU()
        self.fc2 = nn.Conv2d(channels // 4, channels, kernel_size=1)
        self.gate = nn.Sigmoid()

    def forward(self, input: Tensor) -> Tensor:
        x = self.squeeze(input)
        x = self.fc1(x)
        x = self.relu(x)
        x = self.fc2(x)
        x = self.gate(x)
        x = input * x
        return x


class SEBlock(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, kernel_size=3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(channels, channels, kernel_size=3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)
        self.se = SqueezeExcite(channels)
        self.relu2 = nn.ReLU()

    def forward(self, input: Tensor) -> Tensor:
        x = self.conv1(input)
        x = self.bn1(x)
        x = self.relu1(x)
        x = self.conv2(x)
        x = self.bn2(x)
        x = self.se(x)
        x = input + x
        x = self.relu2(x)
        return x


class SENetOnDigits(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(1, 24, kernel_size=3, padding=1)
        self.stage1 = nn.Sequential(*[SEBlock(24) for _ in range(2)])
        self.down = nn.Conv2d(24, 32, kernel_size=3, stride=2, padding=1)
        self.stage2 = SEBlock(32)
        self.average = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(32, 10)

    def forward(self, image: Tensor) -> Tensor:
        x = self.stem(image)  # (N, 24, 8, 8)
        x = self.stage1(x)
        x = self.down(x)  # (N, 32, 4, 4)
        x = self.stage2(x)
        x = self.average(x)  # (N, 32, 1, 1)
        x = torch.flatten(x, start_dim=1)  # (N, 32)
        x = self.fc(x)  # (N, 10)
        return x
