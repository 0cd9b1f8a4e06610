"""Two heads: ((N, 5, 8), (N, 5)) -> ((N, 8), (2, N, 4)). Written by Layerloom."""

import torch
from torch import Tensor, nn


class TwoHeads(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(20, 8)
        self.lstm = nn.LSTM(16, 4, batch_first=True, bidirectional=True)

    def forward(self, left: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        x = self.embed(tokens)  # (N, 5, 8)
        x = torch.cat([left, x], dim=2)  # (N, 5, 16)
        lstm, (lstm_h_n, _) = self.lstm(x)  # (N, 5, 8), (2, N, 4)
        mean = torch.mean(lstm, dim=(1,))  # (N, 8)
        return mean, lstm_h_n
