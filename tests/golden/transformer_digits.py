"""Small Transformer on digit rows: (N, 8, 8) -> (N, 10). Written by Layerloom."""

import torch
from torch import Tensor, nn


class SmallTransformerOnDigitRows(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Linear(8, 32)
        self.encoder = nn.Sequential(
            *[
                nn.TransformerEncoderLayer(32, 4, dim_feedforward=64, batch_first=True)
                for _ in range(2)
            ]
        )
        self.norm = nn.LayerNorm(32)
        self.fc = nn.Linear(256, 10)

    def forward(self, lines: Tensor) -> Tensor:
        x = self.embed(lines)  # (N, 8, 32)
        x = self.encoder(x)
        x = self.norm(x)
        x = torch.flatten(x, start_dim=1)  # (N, 256)
        x = self.fc(x)  # (N, 10)
        return x
