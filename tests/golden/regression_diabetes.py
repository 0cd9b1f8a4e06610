"""Regression on diabetes: (N, 10) -> (N, 1). Written by Layerloom."""

from torch import Tensor, nn


class RegressionOnDiabetes(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(10, 32)
        self.relu1 = nn.ReLU()
        self.fc2 = nn.Linear(32, 16)
        self.relu2 = nn.ReLU()
        self.fc3 = nn.Linear(16, 1)

    def forward(self, features: Tensor) -> Tensor:
        x = self.fc1(features)  # (N, 32)
        x = self.relu1(x)
        x = self.fc2(x)  # (N, 16)
        x = self.relu2(x)
        x = self.fc3(x)  # (N, 1)
        return x
