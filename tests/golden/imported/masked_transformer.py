"""Network: ((N, 12, 16), (N, 12)) -> (N, 12, 5). Written by Layerloom."""

import torch
from torch import Tensor, nn


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True)
        self.drop = nn.Dropout(p=0.1)
        self.norm1 = nn.LayerNorm(16)
        self.feed = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16))
        self.norm2 = nn.LayerNorm(16)

    def forward(self, input: Tensor, padding: Tensor) -> Tensor:
        x, _ = self.attention(input, input, input, key_padding_mask=padding)
        x = self.drop(x)
        x = input + x
        norm1 = self.norm1(x)
        x = self.feed(norm1)
        x = self.drop(x)
        x = norm1 + x
        x = self.norm2(x)
        return x


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([Layer() for _ in range(3)])
        self.head = nn.Linear(16, 5)

    def forward(self, features: Tensor, length: Tensor) -> Tensor:
        padding = torch.eq(length, 0)  # (N, 12) bool
        x = features
        for layer in self.layers:
            x = layer(x, padding)
        x = self.head(x)  # (N, 12, 5)
        return x
