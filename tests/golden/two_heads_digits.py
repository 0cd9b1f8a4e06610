"""Two heads on digits: (N, 1, 8, 8) -> ((N, 10), (N, 1, 8, 8)). Written by Layerloom."""

import torch
from torch import Tensor, nn


class TwoHeadsOnDigits(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 24, kernel_size=3, padding=1)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(24, 24, kernel_size=3, padding=1)
        self.relu2 = nn.ReLU()
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(384, 10)
        self.paint = nn.Conv2d(24, 1, kernel_size=3, padding=1)

    def forward(self, noisy: Tensor) -> tuple[Tensor, Tensor]:
        x = self.conv1(noisy)  # (N, 24, 8, 8)
        x = self.relu1(x)
        x = self.conv2(x)
        relu2 = self.relu2(x)
        x = self.pool(relu2)  # (N, 24, 4, 4)
        x = torch.flatten(x, start_dim=1)  # (N, 384)
        fc = self.fc(x)  # (N, 10)
        paint = self.paint(relu2)  # (N, 1, 8, 8)
        return fc, paint
