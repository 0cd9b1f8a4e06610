"""AlexNet on digits: (N, 1, 32, 32) -> (N, 10). Written by Layerloom."""

import torch
from torch import Tensor, nn


class AlexNetOnDigits(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, kernel_size=5, stride=2, padding=2)
        self.relu1 = nn.ReLU()
        self.lrn1 = nn.LocalResponseNorm(5)
        self.pool1 = nn.MaxPool2d(3, stride=2)
        self.conv2 = nn.Conv2d(16, 32, kernel_size=5, padding=2)
        self.relu2 = nn.ReLU()
        self.pool2 = nn.MaxPool2d(3, stride=2)
        self.conv3 = nn.Conv2d(32, 48, kernel_size=3, padding=1)
        self.relu3 = nn.ReLU()
        self.conv4 = nn.Conv2d(48, 48, kernel_size=3, padding=1)
        self.relu4 = nn.ReLU()
        self.conv5 = nn.Conv2d(48, 32, kernel_size=3, padding=1)
        self.relu5 = nn.ReLU()
        self.drop1 = nn.Dropout()
        self.fc6 = nn.Linear(288, 64)
        self.relu6 = nn.ReLU()
        self.drop2 = nn.Dropout()
        self.fc8 = nn.Linear(64, 10)

    def forward(self, image: Tensor) -> Tensor:
        x = self.conv1(image)  # (N, 16, 16, 16)
        x = self.relu1(x)
        x = self.lrn1(x)
        x = self.pool1(x)  # (N, 16, 7, 7)
        x = self.conv2(x)  # (N, 32, 7, 7)
        x = self.relu2(x)
        x = self.pool2(x)  # (N, 32, 3, 3)
        x = self.conv3(x)  # (N, 48, 3, 3)
        x = self.relu3(x)
        x = self.conv4(x)
        x = self.relu4(x)
        x = self.conv5(x)  # (N, 32, 3, 3)
        x = self.relu5(x)
        x = torch.flatten(x, start_dim=1)  # (N, 288)
        x = self.drop1(x)
        x = self.fc6(x)  # (N, 64)
        x = self.relu6(x)
        x = self.drop2(x)
        x = self.fc8(x)  # (N, 10)
        return x
