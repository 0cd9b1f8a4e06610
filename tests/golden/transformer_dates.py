"""Transformer on dates: ((N, 20), (N, 10)) -> (N, 10, 41). Written by Layerloom."""

import torch
from torch import Tensor, nn


class TransformerOnDates(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.read = nn.Embedding(42, 32)
        self.read_at = nn.Parameter(torch.randn(1, 20, 32) * 0.5)
        self.encoder = nn.TransformerEncoderLayer(
            32, 4, dim_feedforward=64, dropout=0.0, batch_first=True
        )
        self.write = nn.Embedding(42, 32)
        self.write_at = nn.Parameter(torch.randn(1, 10, 32) * 0.5)
        self.square = nn.Buffer(torch.full((10, 10), -1000000000.0))
        self.decoder = nn.TransformerDecoderLayer(
            32, 4, dim_feedforward=64, dropout=0.0, batch_first=True
        )
        self.fc = nn.Linear(32, 41)

    def forward(self, told: Tensor, before: Tensor) -> Tensor:
        x = self.read(told)  # (N, 20, 32)
        x = x + self.read_at
        encoder = self.encoder(x)
        x = self.write(before)  # (N, 10, 32)
        target = x + self.write_at
        x = torch.triu(self.square, diagonal=1)
        x = self.decoder(target, encoder, tgt_mask=x)
        x = self.fc(x)  # (N, 10, 41)
        return x
