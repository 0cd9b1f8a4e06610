"""Small BERT: (N, 48) -> (N, 48, 96). Written by Layerloom."""

import torch
from torch import Tensor, nn


class SmallBERT(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(97, 48)
        self.positions = nn.Parameter(torch.randn(1, 48, 48) * 0.5)
        self.encoder = nn.Sequential(
            *[
                nn.TransformerEncoderLayer(
                    48,
                    4,
                    dim_feedforward=96,
                    dropout=0.0,
                    activation="gelu",
                    batch_first=True,
                )
                for _ in range(2)
            ]
        )
        self.norm = nn.LayerNorm(48)
        self.head = nn.Linear(48, 96)

    def forward(self, text: Tensor) -> Tensor:
        x = self.embed(text)  # (N, 48, 48)
        x = x + self.positions
        x = self.encoder(x)
        x = self.norm(x)
        x = self.head(x)  # (N, 48, 96)
        return x
