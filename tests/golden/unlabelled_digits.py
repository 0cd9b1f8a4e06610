"""Digits without labels: (N, 1, 8, 8) -> (N, 1, 8, 8). Written by Layerloom."""

import torch
from torch import Tensor, nn


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(64, 192)
        self.relu1 = nn.ReLU()
        self.fc2 = nn.Linear(192, 64)
        self.relu2 = nn.ReLU()

    def forward(self, input: Tensor) -> Tensor:
        x = torch.flatten(input, start_dim=1)  # (N, 64)
        x = self.fc1(x)  # (N, 192)
        x = self.relu1(x)
        x = self.fc2(x)  # (N, 64)
        x = self.relu2(x)
        return x


class Decoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(64, 192)
        self.relu1 = nn.ReLU()
        self.fc2 = nn.Linear(192, 64)

    def forward(self, input: Tensor) -> Tensor:
        x = self.fc1(input)  # (N, 192)
        x = self.relu1(x)
        x = self.fc2(x)  # (N, 64)
        x = torch.unflatten(x, 1, (1, 8, 8))  # (N, 1, 8, 8)
        return x


class DigitsWithoutLabels(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = Encoder()
        self.decoder = Decoder()

    def forward(self, noisy: Tensor) -> Tensor:
        x = self.encoder(noisy)  # (N, 64)
        x = self.decoder(x)  # (N, 1, 8, 8)
        return x
