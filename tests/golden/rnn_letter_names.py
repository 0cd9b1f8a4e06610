"""RNN on names of letters: (N, 16) -> (N, 6). Written by Layerloom."""

import torch
from torch import Tensor, nn


class RNNOnNamesOfLetters(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(29, 16)
        self.rnn = nn.RNN(16, 64, batch_first=True)
        self.fc = nn.Linear(64, 6)

    def forward(self, name: Tensor) -> Tensor:
        x = self.embed(name)  # (N, 16, 16)
        x, _ = self.rnn(x)  # (N, 16, 64)
        x = torch.amax(x, dim=(1,))  # (N, 64)
        x = self.fc(x)  # (N, 6)
        return x
