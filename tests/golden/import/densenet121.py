"""densenet121: (N, 3, 64, 64) -> (N, 1000). Written by Layerloom."""

import torch
from torch import Tensor, nn


class DenseLayer(nn.Sequential):
    def __init__(self, in_channels: int) -> None:
        super().__init__()
        self.norm1 = nn.BatchNorm2d(in_channels)
        self.relu1 = nn.ReLU(inplace=True)
        self.conv1 = nn.Conv2d(in_channels, 128, kernel_size=1, bias=False)
        self.norm2 = nn.BatchNorm2d(128)
        self.relu2 = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(128, 32, kernel_size=3, padding=1, bias=False)


class Transition(nn.Sequential):
    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm2d(in_channels)
        self.relu = nn.ReLU(inplace=True)
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size=1, bias=False)
        self.pool = nn.AvgPool2d(2, stride=2)


class DenseBlock(nn.ModuleDict):
    def __init__(self, in_channels: int, num_denselayers: int) -> None:
        super().__init__()
        for i in range(num_denselayers):
            self[f"denselayer{i + 1}"] = DenseLayer(in_channels + i * 32)

    def forward(self, init_features: Tensor) -> Tensor:
        x = init_features
        for layer in self.values():
            new = layer(x)
            x = torch.cat([x, new], dim=1)
        return x


class Features(nn.Sequential):
    def __init__(self) -> None:
        super().__init__()
        self.conv0 = nn.Conv2d(3, 64, kernel_size=7, stride=2, padding=3, bias=False)
        self.norm0 = nn.BatchNorm2d(64)
        self.relu0 = nn.ReLU(inplace=True)
        self.pool0 = nn.MaxPool2d(3, stride=2, padding=1)
        self.denseblock1 = DenseBlock(64, num_denselayers=6)
        self.transition1 = Transition(256, 128)
        self.denseblock2 = DenseBlock(128, num_denselayers=12)
        self.transition2 = Transition(512, 256)
        self.denseblock3 = DenseBlock(256, num_denselayers=24)
        self.transition3 = Transition(1024, 512)
        self.denseblock4 = DenseBlock(512, num_denselayers=16)
        self.norm5 = nn.BatchNorm2d(1024)


class Densenet121(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = Features()
        self.relu1 = nn.ReLU(inplace=True)
        self.pool1 = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Linear(1024, 1000)

    def forward(self, image: Tensor) -> Tensor:
        x = self.features(image)  # (N, 1024, 2, 2)
        x = self.relu1(x)
        x = self.pool1(x)  # (N, 1024, 1, 1)
        x = torch.flatten(x, start_dim=1)  # (N, 1024)
        x = self.classifier(x)  # (N, 1000)
        return x
