"""Conv1d on rides: (N, 28, 2) -> (N, 7). Written by Layerloom."""

import torch
from torch import Tensor, nn


class Conv1dOnRides(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(2, 16, kernel_size=5, padding=2)
        self.relu1 = nn.ReLU()
        self.pool1 = nn.MaxPool1d(2)
        self.conv2 = nn.Conv1d(16, 32, kernel_size=5, padding=2)
        self.relu2 = nn.ReLU()
        self.pool2 = nn.MaxPool1d(2)
        self.fc = nn.Linear(224, 7)

    def forward(self, window: Tensor) -> Tensor:
        x = torch.transpose(window, 1, 2)  # (N, 2, 28)
        x = self.conv1(x)  # (N, 16, 28)
        x = self.relu1(x)
        x = self.pool1(x)  # (N, 16, 14)
        x = self.conv2(x)  # (N, 32, 14)
        x = self.relu2(x)
        x = self.pool2(x)  # (N, 32, 7)
        x = torch.flatten(x, start_dim=1)  # (N, 224)
        x = self.fc(x)  # (N, 7)
        return x
