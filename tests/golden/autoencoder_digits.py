"""Denoising autoencoder on digits: (N, 1, 8, 8) -> (N, 1, 8, 8). Written by Layerloom."""

from torch import Tensor, nn


class DenoisingAutoencoderOnDigits(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, kernel_size=3, stride=2, padding=1)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(16, 8, kernel_size=3, stride=2, padding=1)
        self.code = nn.ReLU()
        self.up1 = nn.ConvTranspose2d(8, 16, kernel_size=2, stride=2)
        self.relu2 = nn.ReLU()
        self.up2 = nn.ConvTranspose2d(16, 16, kernel_size=2, stride=2)
        self.relu3 = nn.ReLU()
        self.paint = nn.Conv2d(16, 1, kernel_size=3, padding=1)

    def forward(self, noisy: Tensor) -> Tensor:
        x = self.conv1(noisy)  # (N, 16, 4, 4)
        x = self.relu1(x)
        x = self.conv2(x)  # (N, 8, 2, 2)
        x = self.code(x)
        x = self.up1(x)  # (N, 16, 4, 4)
        x = self.relu2(x)
        x = self.up2(x)  # (N, 16, 8, 8)
        x = self.relu3(x)
        x = self.paint(x)  # (N, 1, 8, 8)
        return x
