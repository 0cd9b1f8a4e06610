"""Network in network on digits: (N, 1, 16, 16) -> (N, 10). Written by Layerloom."""

import torch
from torch import Tensor, nn


class NetworkInNetworkOnDigits(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 24, kernel_size=5, padding=2)
        self.relu1 = nn.ReLU()
        self.mix1 = nn.Conv2d(24, 24, kernel_size=1)
        self.relu2 = nn.ReLU()
        self.pool1 = nn.MaxPool2d(3, stride=2, padding=1)
        self.conv2 = nn.Conv2d(24, 48, kernel_size=3, padding=1)
        self.relu3 = nn.ReLU()
        self.mix2 = nn.Conv2d(48, 48, kernel_size=1)
        self.relu4 = nn.ReLU()
        self.pool2 = nn.MaxPool2d(3, stride=2, padding=1)
        self.drop = nn.Dropout(p=0.1)
        self.classes = nn.Conv2d(48, 10, kernel_size=1)
        self.average = nn.AdaptiveAvgPool2d(1)

    def forward(self, image: Tensor) -> Tensor:
        x = self.conv1(image)  # (N, 24, 16, 16)
        x = self.relu1(x)
        x = self.mix1(x)
        x = self.relu2(x)
        x = self.pool1(x)  # (N, 24, 8, 8)
        x = self.conv2(x)  # (N, 48, 8, 8)
        x = self.relu3(x)
        x = self.mix2(x)
        x = self.relu4(x)
        x = self.pool2(x)  # (N, 48, 4, 4)
        x = self.drop(x)
        x = self.classes(x)  # (N, 10, 4, 4)
        x = self.average(x)  # (N, 10, 1, 1)
        x = torch.flatten(x, start_dim=1)  # (N, 10)
        return x
