"""LSTM on rides: (N, 28, 2) -> (N, 7). Written by Layerloom."""

import torch
from torch import Tensor, nn


class LSTMOnRides(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(2, 48, batch_first=True)
        self.fc = nn.Linear(48, 7)

    def forward(self, window: Tensor) -> Tensor:
        x, _ = self.lstm(window)  # (N, 28, 48)
        x = torch.select(x, 1, -1)  # (N, 48)
        x = self.fc(x)  # (N, 7)
        return x
