"""Transformer on rides: (N, 28, 2) -> (N, 7). Written by Layerloom."""

import torch
from torch import Tensor, nn


class TransformerOnRides(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Linear(2, 32)
        self.encoder = nn.Sequential(
            *[
                nn.TransformerEncoderLayer(32, 4, dim_feedforward=64, batch_first=True)
                for _ in range(2)
            ]
        )
        self.norm = nn.LayerNorm(32)
        self.fc = nn.Linear(896, 7)

    def forward(self, window: Tensor) -> Tensor:
        x = self.embed(window)  # (N, 28, 32)
        x = self.encoder(x)
        x = self.norm(x)
        x = torch.flatten(x, start_dim=1)  # (N, 896)
        x = self.fc(x)  # (N, 7)
        return x
