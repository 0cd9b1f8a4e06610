"""MLP with BatchNorm and dropout: (N, 30) -> (N, 2). Written by Layerloom."""

from torch import Tensor, nn


class MLPWithBatchNormAndDropout(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(30, 32)
        self.bn1 = nn.BatchNorm1d(32)
        self.relu1 = nn.ReLU()
        self.drop1 = nn.Dropout(p=0.2)
        self.fc2 = nn.Linear(32, 16)
        self.bn2 = nn.BatchNorm1d(16)
        self.relu2 = nn.ReLU()
        self.drop2 = nn.Dropout(p=0.2)
        self.fc3 = nn.Linear(16, 2)

    def forward(self, features: Tensor) -> Tensor:
        x = self.fc1(features)  # (N, 32)
        x = self.bn1(x)
        x = self.relu1(x)
        x = self.drop1(x)
        x = self.fc2(x)  # (N, 16)
        x = self.bn2(x)
        x = self.relu2(x)
        x = self.drop2(x)
        x = self.fc3(x)  # (N, 2)
        return x
