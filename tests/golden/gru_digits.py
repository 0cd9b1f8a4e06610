"""GRU on digit rows: (N, 8, 8) -> (N, 10). Written by Layerloom."""

import torch
from torch import Tensor, nn


class GRUOnDigitRows(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(8, 48, batch_first=True)
        self.drop = nn.Dropout(p=0.1)
        self.fc = nn.Linear(48, 10)

    def forward(self, lines: Tensor) -> Tensor:
        x, _ = self.gru(lines)  # (N, 8, 48)
        x = torch.select(x, 1, -1)  # (N, 48)
        x = self.drop(x)
        x = self.fc(x)  # (N, 10)
        return x
