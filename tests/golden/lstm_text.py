"""LSTM language model: (N, 64) -> (N, 64, 96). Written by Layerloom."""

from torch import Tensor, nn


class LSTMLanguageModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(96, 32)
        self.lstm = nn.LSTM(32, 96, batch_first=True)
        self.fc = nn.Linear(96, 96)

    def forward(self, text: Tensor) -> Tensor:
        x = self.embed(text)  # (N, 64, 32)
        x, _ = self.lstm(x)  # (N, 64, 96)
        x = self.fc(x)
        return x
