"""CTC on rows of digits: (N, 1, 8, 48) -> (N, 24, 11). Written by Layerloom."""

import torch
from torch import Tensor, nn


class CTCOnRowsOfDigits(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, kernel_size=3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(16)
        self.relu1 = nn.ReLU()
        self.pool1 = nn.MaxPool2d(2)
        self.conv2 = nn.Conv2d(16, 32, kernel_size=3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(32)
        self.relu2 = nn.ReLU()
        self.pool2 = nn.MaxPool2d((2, 1))
        self.conv3 = nn.Conv2d(32, 64, kernel_size=(2, 5), padding=(0, 2), bias=False)
        self.bn3 = nn.BatchNorm2d(64)
        self.relu3 = nn.ReLU()
        self.fc = nn.Linear(64, 11)
        self.log_softmax = nn.LogSoftmax(dim=2)

    def forward(self, image: Tensor) -> Tensor:
        x = self.conv1(image)  # (N, 16, 8, 48)
        x = self.bn1(x)
        x = self.relu1(x)
        x = self.pool1(x)  # (N, 16, 4, 24)
        x = self.conv2(x)  # (N, 32, 4, 24)
        x = self.bn2(x)
        x = self.relu2(x)
        x = self.pool2(x)  # (N, 32, 2, 24)
        x = self.conv3(x)  # (N, 64, 1, 24)
        x = self.bn3(x)
        x = self.relu3(x)
        x = torch.flatten(x, start_dim=2)  # (N, 64, 24)
        x = torch.transpose(x, 1, 2)  # (N, 24, 64)
        x = self.fc(x)  # (N, 24, 11)
        x = self.log_softmax(x)
        return x
