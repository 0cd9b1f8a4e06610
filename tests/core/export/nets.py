"""Small networks as generated source would hold them, for the export and feature tests."""

HEAD = """
import torch
from torch import Tensor, nn


"""

CONV = (
    HEAD
    + """
class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, kernel_size=3)
        self.bn1 = nn.BatchNorm2d(4)
        self.relu1 = nn.ReLU(inplace=True)
        self.pool1 = nn.MaxPool2d(2)
        self.drop = nn.Dropout()
        self.fc1 = nn.Linear(36, 10)

    def forward(self, image: Tensor) -> Tensor:
        x = self.conv1(image)
        x = self.bn1(x)
        x = self.relu1(x)
        x = self.pool1(x)
        x = torch.flatten(x, start_dim=1)
        x = self.drop(x)
        x = self.fc1(x)
        return x
"""
)

LSTM = (
    HEAD
    + """
class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(8, 6, num_layers=2, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(12, 3)

    def forward(self, image: Tensor) -> Tensor:
        lstm, (h_n, c_n) = self.lstm(image)
        x = torch.mean(lstm, dim=1)
        x = self.fc(x)
        return x
"""
)

GRU = (
    HEAD
    + """
class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(8, 6, batch_first=True)
        self.fc = nn.Linear(6, 3)

    def forward(self, image: Tensor) -> Tensor:
        _, x = self.gru(image)
        x = x.select(0, -1)
        x = self.fc(x)
        return x
"""
)

TRANSFORMER = (
    HEAD
    + """
class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Linear(8, 16)
        self.encoder = nn.TransformerEncoderLayer(16, 4, dim_feedforward=32, batch_first=True)
        self.attention = nn.MultiheadAttention(16, 2, batch_first=True)
        self.fc = nn.Linear(16, 3)

    def forward(self, image: Tensor) -> Tensor:
        x = self.embed(image)
        encoder = self.encoder(x)
        x, _ = self.attention(encoder, encoder, encoder)
        x = encoder + x
        x = torch.mean(x, dim=1)
        x = self.fc(x)
        return x
"""
)

UNET = (
    HEAD
    + """
class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down = nn.Conv2d(1, 4, kernel_size=3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.middle = nn.Conv2d(4, 8, kernel_size=3, padding=1)
        self.relu = nn.ReLU()
        self.up = nn.ConvTranspose2d(8, 4, kernel_size=2, stride=2)
        self.out = nn.Conv2d(8, 1, kernel_size=1)

    def forward(self, image: Tensor) -> Tensor:
        down = self.down(image)
        x = self.pool(down)
        x = self.middle(x)
        x = self.relu(x)
        x = self.up(x)
        x = torch.cat([down, x], dim=1)
        x = self.out(x)
        return x
"""
)

TWO_ENDS = (
    HEAD
    + """
class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(11, 4)
        self.side = nn.Linear(3, 4)
        self.fc = nn.Linear(4, 2)

    def forward(self, tokens: Tensor, facts: Tensor) -> tuple[Tensor, Tensor]:
        x = self.words(tokens)
        words = torch.mean(x, dim=1)
        x = self.side(facts)
        joined = words + x
        x = self.fc(joined)
        return x, joined
"""
)
