"""MLP on iris: (N, 4) -> (N, 3). Written by Layerloom."""

from torch import Tensor, nn


class MLPOnIris(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(4, 16)
        self.relu1 = nn.ReLU()
        self.fc2 = nn.Linear(16, 16)
        self.relu2 = nn.ReLU()
        self.fc3 = nn.Linear(16, 3)

    def forward(self, features: Tensor) -> Tensor:
        x = self.fc1(features)  # (N, 16)
        x = self.relu1(x)
        x = self.fc2(x)
        x = self.relu2(x)
        x = self.fc3(x)  # (N, 3)
        return x
