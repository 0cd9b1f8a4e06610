"""Multi-label network on digits: (N, 1, 8, 16) -> (N, 10). Written by Layerloom."""

import torch
from torch import Tensor, nn


class MultiLabelNetworkOnDigits(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 24, kernel_size=3, padding=1)
        self.bn1 = nn.BatchNorm2d(24)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(24, 48, kernel_size=3, padding=1)
        self.bn2 = nn.BatchNorm2d(48)
        self.relu2 = nn.ReLU()
        self.pool = nn.MaxPool2d(2)
        self.conv3 = nn.Conv2d(48, 96, kernel_size=3, padding=1)
        self.bn3 = nn.BatchNorm2d(96)
        self.relu3 = nn.ReLU()
        self.found = nn.AdaptiveMaxPool2d(1)
        self.fc = nn.Linear(96, 10)

    def forward(self, scene: Tensor) -> Tensor:
        x = self.conv1(scene)  # (N, 24, 8, 16)
        x = self.bn1(x)
        x = self.relu1(x)
        x = self.conv2(x)  # (N, 48, 8, 16)
        x = self.bn2(x)
        x = self.relu2(x)
        x = self.pool(x)  # (N, 48, 4, 8)
        x = self.conv3(x)  # (N, 96, 4, 8)
        x = self.bn3(x)
        x = self.relu3(x)
        x = self.found(x)  # (N, 96, 1, 1)
        x = torch.flatten(x, start_dim=1)  # (N, 96)
        x = self.fc(x)  # (N, 10)
        return x
