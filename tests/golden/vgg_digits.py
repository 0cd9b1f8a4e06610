"""VGG-style network on digits: (N, 1, 16, 16) -> (N, 10). Written by Layerloom."""

import torch
from torch import Tensor, nn


class VGGStyleNetworkOnDigits(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, kernel_size=3, padding=1)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(16, 16, kernel_size=3, padding=1)
        self.relu2 = nn.ReLU()
        self.pool1 = nn.MaxPool2d(2)
        self.conv3 = nn.Conv2d(16, 32, kernel_size=3, padding=1)
        self.relu3 = nn.ReLU()
        self.conv4 = nn.Conv2d(32, 32, kernel_size=3, padding=1)
        self.relu4 = nn.ReLU()
        self.pool2 = nn.MaxPool2d(2)
        self.fc1 = nn.Linear(512, 64)
        self.relu5 = nn.ReLU()
        self.drop = nn.Dropout(p=0.3)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, image: Tensor) -> Tensor:
        x = self.conv1(image)  # (N, 16, 16, 16)
        x = self.relu1(x)
        x = self.conv2(x)
        x = self.relu2(x)
        x = self.pool1(x)  # (N, 16, 8, 8)
        x = self.conv3(x)  # (N, 32, 8, 8)
        x = self.relu3(x)
        x = self.conv4(x)
        x = self.relu4(x)
        x = self.pool2(x)  # (N, 32, 4, 4)
        x = torch.flatten(x, start_dim=1)  # (N, 512)
        x = self.fc1(x)  # (N, 64)
        x = self.relu5(x)
        x = self.drop(x)
        x = self.fc2(x)  # (N, 10)
        return x
