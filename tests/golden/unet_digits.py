"""U-Net: find the strokes: (N, 1, 16, 16) -> (N, 1, 16, 16). Written by Layerloom."""

import torch
from torch import Tensor, nn


class DoubleConv(nn.Sequential):
    def __init__(self, in_channels: int, channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, channels, kernel_size=3, padding=1)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(channels, channels, kernel_size=3, padding=1)
        self.relu2 = nn.ReLU()


class UNetFindTheStrokes(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.enc1 = DoubleConv(1, 12)
        self.pool1 = nn.MaxPool2d(2)
        self.enc2 = DoubleConv(12, 24)
        self.pool2 = nn.MaxPool2d(2)
        self.bottom = DoubleConv(24, 48)
        self.up2 = nn.ConvTranspose2d(48, 24, kernel_size=2, stride=2)
        self.dec2 = DoubleConv(48, 24)
        self.up1 = nn.ConvTranspose2d(24, 12, kernel_size=2, stride=2)
        self.dec1 = DoubleConv(24, 12)
        self.head = nn.Conv2d(12, 1, kernel_size=1)

    def forward(self, noisy: Tensor) -> Tensor:
        enc1 = self.enc1(noisy)  # (N, 12, 16, 16)
        x = self.pool1(enc1)  # (N, 12, 8, 8)
        enc2 = self.enc2(x)  # (N, 24, 8, 8)
        x = self.pool2(enc2)  # (N, 24, 4, 4)
        x = self.bottom(x)  # (N, 48, 4, 4)
        x = self.up2(x)  # (N, 24, 8, 8)
        x = torch.cat([enc2, x], dim=1)  # (N, 48, 8, 8)
        x = self.dec2(x)  # (N, 24, 8, 8)
        x = self.up1(x)  # (N, 12, 16, 16)
        x = torch.cat([enc1, x], dim=1)  # (N, 24, 16, 16)
        x = self.dec1(x)  # (N, 12, 16, 16)
        x = self.head(x)  # (N, 1, 16, 16)
        return x
