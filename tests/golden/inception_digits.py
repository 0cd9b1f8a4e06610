"""GoogLeNet-style network on digits: (N, 1, 8, 8) -> (N, 10). Written by Layerloom."""

import torch
from torch import Tensor, nn


class GoogLeNetStyleNetworkOnDigits(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(1, 16, kernel_size=3, padding=1)
        self.relu1 = nn.ReLU()
        self.one = nn.Conv2d(16, 8, kernel_size=1)
        self.reduce3 = nn.Conv2d(16, 8, kernel_size=1)
        self.relu2 = nn.ReLU()
        self.three = nn.Conv2d(8, 16, kernel_size=3, padding=1)
        self.reduce5 = nn.Conv2d(16, 4, kernel_size=1)
        self.relu3 = nn.ReLU()
        self.five = nn.Conv2d(4, 8, kernel_size=5, padding=2)
        self.around = nn.MaxPool2d(3, stride=1, padding=1)
        self.project = nn.Conv2d(16, 8, kernel_size=1)
        self.relu4 = nn.ReLU()
        self.pool = nn.MaxPool2d(2)
        self.conv = nn.Conv2d(40, 48, kernel_size=3, padding=1)
        self.relu5 = nn.ReLU()
        self.average = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(48, 10)

    def forward(self, image: Tensor) -> Tensor:
        x = self.stem(image)  # (N, 16, 8, 8)
        relu1 = self.relu1(x)
        one = self.one(relu1)  # (N, 8, 8, 8)
        x = self.reduce3(relu1)  # (N, 8, 8, 8)
        x = self.relu2(x)
        three = self.three(x)  # (N, 16, 8, 8)
        x = self.reduce5(relu1)  # (N, 4, 8, 8)
        x = self.relu3(x)
        five = self.five(x)  # (N, 8, 8, 8)
        x = self.around(relu1)
        x = self.project(x)  # (N, 8, 8, 8)
        x = torch.cat([one, three, five, x], dim=1)  # (N, 40, 8, 8)
        x = self.relu4(x)
        x = self.pool(x)  # (N, 40, 4, 4)
        x = self.conv(x)  # (N, 48, 4, 4)
        x = self.relu5(x)
        x = self.average(x)  # (N, 48, 1, 1)
        x = torch.flatten(x, start_dim=1)  # (N, 48)
        x = self.fc(x)  # (N, 10)
        return x
