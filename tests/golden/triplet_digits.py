"""Triplet network: ((N, 1, 8, 8), (N, 1, 8, 8), (N, 1, 8, 8)) -> ((N, 16), (N, 16), (N,
16)). Written by Layerloom.
"""

import torch
from torch import Tensor, nn


class Embed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, kernel_size=3, padding=1)
        self.relu1 = nn.ReLU()
        self.pool1 = nn.MaxPool2d(2)
        self.conv2 = nn.Conv2d(16, 32, kernel_size=3, padding=1)
        self.relu2 = nn.ReLU()
        self.pool2 = nn.MaxPool2d(2)
        self.fc = nn.Linear(128, 16)

    def forward(self, input: Tensor) -> Tensor:
        x = self.conv1(input)  # (N, 16, 8, 8)
        x = self.relu1(x)
        x = self.pool1(x)  # (N, 16, 4, 4)
        x = self.conv2(x)  # (N, 32, 4, 4)
        x = self.relu2(x)
        x = self.pool2(x)  # (N, 32, 2, 2)
        x = torch.flatten(x, start_dim=1)  # (N, 128)
        x = self.fc(x)  # (N, 16)
        return x


class TripletNetwork(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = Embed()

    def forward(
        self, anchor: Tensor, positive: Tensor, negative: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        embed = self.embed(anchor)  # (N, 16)
        embed_positive = self.embed(positive)  # (N, 16)
        embed_negative = self.embed(negative)  # (N, 16)
        return embed, embed_positive, embed_negative
