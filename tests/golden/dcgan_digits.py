"""DCGAN on digits: ((N, 16), (N, 1, 8, 8)) -> ((N, 1, 8, 8), (N, 1), (N, 1)). Written
by Layerloom.
"""

import torch
from torch import Tensor, nn


class Generator(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up1 = nn.ConvTranspose2d(16, 64, kernel_size=2, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu1 = nn.ReLU()
        self.up2 = nn.ConvTranspose2d(
            64, 32, kernel_size=4, stride=2, padding=1, bias=False
        )
        self.bn2 = nn.BatchNorm2d(32)
        self.relu2 = nn.ReLU()
        self.up3 = nn.ConvTranspose2d(32, 1, kernel_size=4, stride=2, padding=1)
        self.sigmoid = nn.Sigmoid()

    def forward(self, input: Tensor) -> Tensor:
        x = torch.unflatten(input, 1, (16, 1, 1))  # (N, 16, 1, 1)
        x = self.up1(x)  # (N, 64, 2, 2)
        x = self.bn1(x)
        x = self.relu1(x)
        x = self.up2(x)  # (N, 32, 4, 4)
        x = self.bn2(x)
        x = self.relu2(x)
        x = self.up3(x)  # (N, 1, 8, 8)
        x = self.sigmoid(x)
        return x


class Discriminator(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, kernel_size=4, stride=2, padding=1)
        self.leaky1 = nn.LeakyReLU(negative_slope=0.2)
        self.conv2 = nn.Conv2d(32, 64, kernel_size=4, stride=2, padding=1)
        self.leaky2 = nn.LeakyReLU(negative_slope=0.2)
        self.drop = nn.Dropout(p=0.3)
        self.fc = nn.Linear(256, 1)

    def forward(self, input: Tensor) -> Tensor:
        x = self.conv1(input)  # (N, 32, 4, 4)
        x = self.leaky1(x)
        x = self.conv2(x)  # (N, 64, 2, 2)
        x = self.leaky2(x)
        x = torch.flatten(x, start_dim=1)  # (N, 256)
        x = self.drop(x)
        x = self.fc(x)  # (N, 1)
        return x


class DCGANOnDigits(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.generator = Generator()
        self.discriminator = Discriminator()

    def forward(self, noise: Tensor, real: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        generator = self.generator(noise)  # (N, 1, 8, 8)
        discriminator = self.discriminator(real)  # (N, 1)
        again = self.discriminator(generator)  # (N, 1)
        return generator, again, discriminator
