"""Seq2seq with attention: ((N, 20), (N, 10)) -> (N, 10, 41). Written by Layerloom."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Seq2seqWithAttention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.read = nn.Embedding(42, 24)
        self.encoder = nn.GRU(24, 48, batch_first=True)
        self.write = nn.Embedding(42, 24)
        self.decoder = nn.GRU(24, 48, batch_first=True)
        self.fc1 = nn.Linear(96, 64)
        self.tanh = nn.Tanh()
        self.fc2 = nn.Linear(64, 41)

    def forward(self, told: Tensor, before: Tensor) -> Tensor:
        x = self.read(told)  # (N, 20, 24)
        encoder, encoder_h_n = self.encoder(x)  # (N, 20, 48), (1, N, 48)
        x = self.write(before)  # (N, 10, 24)
        decoder, _ = self.decoder(x, hx=encoder_h_n)  # (N, 10, 48)
        x = F.scaled_dot_product_attention(decoder, encoder, encoder)
        x = torch.cat([decoder, x], dim=2)  # (N, 10, 96)
        x = self.fc1(x)  # (N, 10, 64)
        x = self.tanh(x)
        x = self.fc2(x)  # (N, 10, 41)
        return x
