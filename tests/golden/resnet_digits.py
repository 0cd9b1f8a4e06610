"""Small ResNet on digits: (N, 1, 8, 8) -> (N, 10). Written by Layerloom."""

import torch
from torch import Tensor, nn


class Residual(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, kernel_size=3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(channels, channels, kernel_size=3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)
        self.relu2 = nn.ReLU()

    def forward(self, input: Tensor) -> Tensor:
        x = self.conv1(input)
        x = self.bn1(x)
        x = self.relu1(x)
        x = self.conv2(x)
        x = self.bn2(x)
        x = x + input
        x = self.relu2(x)
        return x


class SmallResNetOnDigits(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(1, 16, kernel_size=3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(16)
        self.relu1 = nn.ReLU()
        self.stage1 = nn.Sequential(*[Residual(16) for _ in range(2)])
        self.down = nn.Conv2d(16, 32, kernel_size=3, stride=2, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(32)
        self.relu2 = nn.ReLU()
        self.stage2 = nn.Sequential(*[Residual(32) for _ in range(2)])
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(32, 10)

    def forward(self, image: Tensor) -> Tensor:
        x = self.stem(image)  # (N, 16, 8, 8)
        x = self.bn1(x)
        x = self.relu1(x)
        x = self.stage1(x)
        x = self.down(x)  # (N, 32, 4, 4)
        x = self.bn2(x)
        x = self.relu2(x)
        x = self.stage2(x)
        x = self.pool(x)  # (N, 32, 1, 1)
        x = torch.flatten(x, start_dim=1)  # (N, 32)
        x = self.fc(x)  # (N, 10)
        return x
