"""Quantiles on diabetes: (N, 10) -> (N, 3). Written by Layerloom."""

from torch import Tensor, nn


class QuantilesOnDiabetes(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(10, 64)
        self.relu1 = nn.ReLU()
        self.drop1 = nn.Dropout(p=0.4)
        self.fc2 = nn.Linear(64, 32)
        self.relu2 = nn.ReLU()
        self.drop2 = nn.Dropout(p=0.4)
        self.fc3 = nn.Linear(32, 3)

    def forward(self, features: Tensor) -> Tensor:
        x = self.fc1(features)  # (N, 64)
        x = self.relu1(x)
        x = self.drop1(x)
        x = self.fc2(x)  # (N, 32)
        x = self.relu2(x)
        x = self.drop2(x)
        x = self.fc3(x)  # (N, 3)
        return x
