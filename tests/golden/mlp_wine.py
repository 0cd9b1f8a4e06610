"""MLP on wine: (N, 13) -> (N, 3). Written by Layerloom."""

from torch import Tensor, nn


class MLPOnWine(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(13, 32)
        self.relu1 = nn.ReLU()
        self.fc2 = nn.Linear(32, 3)

    def forward(self, features: Tensor) -> Tensor:
        x = self.fc1(features)  # (N, 32)
        x = self.relu1(x)
        x = self.fc2(x)  # (N, 3)
        return x
