"""resnet18: (N, 3, 64, 64) -> (N, 1000). Written by Layerloom."""

import torch
from torch import Tensor, nn


class BasicBlock(nn.Module):
    def __init__(self, out_channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(
            out_channels, out_channels, kernel_size=3, padding=1, bias=False
        )
        self.bn1 = nn.BatchNorm2d(out_channels)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(
            out_channels, out_channels, kernel_size=3, padding=1, bias=False
        )
        self.bn2 = nn.BatchNorm2d(out_channels)

    def forward(self, input: Tensor) -> Tensor:
        x = self.conv1(input)
        x = self.bn1(x)
        x = self.relu(x)
        x = self.conv2(x)
        x = self.bn2(x)
        x = x + input
        x = self.relu(x)
        return x


class BasicBlockDownsample(nn.Module):
    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(
            in_channels, out_channels, kernel_size=3, stride=2, padding=1, bias=False
        )
        self.bn1 = nn.BatchNorm2d(out_channels)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(
            out_channels, out_channels, kernel_size=3, padding=1, bias=False
        )
        self.bn2 = nn.BatchNorm2d(out_channels)
        self.downsample = nn.Sequential(
            nn.Conv2d(in_channels, out_channels, kernel_size=1, stride=2, bias=False),
            nn.BatchNorm2d(out_channels),
        )

    def forward(self, input: Tensor) -> Tensor:
        x = self.conv1(input)
        x = self.bn1(x)
        x = self.relu(x)
        x = self.conv2(x)
        bn2 = self.bn2(x)
        x = self.downsample(input)
        x = bn2 + x
        x = self.relu(x)
        return x


class Resnet18(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, kernel_size=7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, stride=2, padding=1)
        self.layer1 = nn.Sequential(*[BasicBlock(64) for _ in range(2)])
        self.layer2 = nn.Sequential(BasicBlockDownsample(64, 128), BasicBlock(128))
        self.layer3 = nn.Sequential(BasicBlockDownsample(128, 256), BasicBlock(256))
        self.layer4 = nn.Sequential(BasicBlockDownsample(256, 512), BasicBlock(512))
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(512, 1000)

    def forward(self, image: Tensor) -> Tensor:
        x = self.conv1(image)  # (N, 64, 32, 32)
        x = self.bn1(x)
        x = self.relu(x)
        x = self.maxpool(x)  # (N, 64, 16, 16)
        x = self.layer1(x)
        x = self.layer2(x)  # (N, 128, 8, 8)
        x = self.layer3(x)  # (N, 256, 4, 4)
        x = self.layer4(x)  # (N, 512, 2, 2)
        x = self.avgpool(x)  # (N, 512, 1, 1)
        x = torch.flatten(x, start_dim=1)  # (N, 512)
        x = self.fc(x)  # (N, 1000)
        return x
