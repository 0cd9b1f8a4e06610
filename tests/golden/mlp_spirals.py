"""MLP on spirals: (N, 2) -> (N, 2). Written by Layerloom."""

from torch import Tensor, nn


class MLPOnSpirals(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(2, 16)
        self.tanh1 = nn.Tanh()
        self.fc2 = nn.Linear(16, 16)
        self.tanh2 = nn.Tanh()
        self.fc3 = nn.Linear(16, 2)

    def forward(self, features: Tensor) -> Tensor:
        x = self.fc1(features)  # (N, 16)
        x = self.tanh1(x)
        x = self.fc2(x)
        x = self.tanh2(x)
        x = self.fc3(x)  # (N, 2)
        return x
