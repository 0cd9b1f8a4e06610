"""DenseNet-style network on digits: (N, 1, 8, 8) -> (N, 10). Written by Layerloom."""

import torch
from torch import Tensor, nn


class DenseNetStyleNetworkOnDigits(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(1, 16, kernel_size=3, padding=1)
        self.bn1 = nn.BatchNorm2d(16)
        self.relu1 = nn.ReLU()
        self.conv1 = nn.Conv2d(16, 12, kernel_size=3, padding=1)
        self.bn2 = nn.BatchNorm2d(28)
        self.relu2 = nn.ReLU()
        self.conv2 = nn.Conv2d(28, 12, kernel_size=3, padding=1)
        self.bn3 = nn.BatchNorm2d(40)
        self.relu3 = nn.ReLU()
        self.conv3 = nn.Conv2d(40, 12, kernel_size=3, padding=1)
        self.bn4 = nn.BatchNorm2d(52)
        self.relu4 = nn.ReLU()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(52, 10)

    def forward(self, image: Tensor) -> Tensor:
        stem = self.stem(image)  # (N, 16, 8, 8)
        x = self.bn1(stem)
        x = self.relu1(x)
        x = self.conv1(x)  # (N, 12, 8, 8)
        cat1 = torch.cat([stem, x], dim=1)  # (N, 28, 8, 8)
        x = self.bn2(cat1)
        x = self.relu2(x)
        x = self.conv2(x)  # (N, 12, 8, 8)
        cat2 = torch.cat([cat1, x], dim=1)  # (N, 40, 8, 8)
        x = self.bn3(cat2)
        x = self.relu3(x)
        x = self.conv3(x)  # (N, 12, 8, 8)
        x = torch.cat([cat2, x], dim=1)  # (N, 52, 8, 8)
        x = self.bn4(x)
        x = self.relu4(x)
        x = self.pool(x)  # (N, 52, 1, 1)
        x = torch.flatten(x, start_dim=1)  # (N, 52)
        x = self.fc(x)  # (N, 10)
        return x
