"""LSTM on waves: (N, 64, 1) -> (N, 64, 1). Written by Layerloom."""

from torch import Tensor, nn


class LSTMOnWaves(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(1, 48, batch_first=True)
        self.fc = nn.Linear(48, 1)

    def forward(self, wave: Tensor) -> Tensor:
        x, _ = self.lstm(wave)  # (N, 64, 48)
        x = self.fc(x)  # (N, 64, 1)
        return x
