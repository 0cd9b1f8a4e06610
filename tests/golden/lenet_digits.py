"""LeNet on digits: (N, 1, 28, 28) -> (N, 10). Written by Layerloom."""

import torch
from torch import Tensor, nn


class LeNetOnDigits(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, kernel_size=5, padding=2)
        self.tanh1 = nn.Tanh()
        self.pool1 = nn.AvgPool2d(2)
        self.conv2 = nn.Conv2d(6, 16, kernel_size=5)
        self.tanh2 = nn.Tanh()
        self.pool2 = nn.AvgPool2d(2)
        self.fc1 = nn.Linear(400, 120)
        self.tanh3 = nn.Tanh()
        self.fc2 = nn.Linear(120, 84)
        self.tanh4 = nn.Tanh()
        self.fc3 = nn.Linear(84, 10)

    def forward(self, image: Tensor) -> Tensor:
        x = self.conv1(image)  # (N, 6, 28, 28)
        x = self.tanh1(x)
        x = self.pool1(x)  # (N, 6, 14, 14)
        x = self.conv2(x)  # (N, 16, 10, 10)
        x = self.tanh2(x)
        x = self.pool2(x)  # (N, 16, 5, 5)
        x = torch.flatten(x, start_dim=1)  # (N, 400)
        x = self.fc1(x)  # (N, 120)
        x = self.tanh3(x)
        x = self.fc2(x)  # (N, 84)
        x = self.tanh4(x)
        x = self.fc3(x)  # (N, 10)
        return x
