"""MLP on rides: (N, 28, 2) -> (N, 7). Written by Layerloom."""

import torch
from torch import Tensor, nn


class MLPOnRides(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(56, 64)
        self.relu1 = nn.ReLU()
        self.fc2 = nn.Linear(64, 64)
        self.relu2 = nn.ReLU()
        self.fc3 = nn.Linear(64, 7)

    def forward(self, window: Tensor) -> Tensor:
        x = torch.flatten(window, start_dim=1)  # (N, 56)
        x = self.fc1(x)  # (N, 64)
        x = self.relu1(x)
        x = self.fc2(x)
        x = self.relu2(x)
        x = self.fc3(x)  # (N, 7)
        return x
