"""resnet152: (N, 3, 64, 64) -> (N, 1000). Written by Layerloom."""

import torch
from torch import Tensor, nn


class Bottleneck(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels * 4, channels, kernel_size=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(channels, channels, kernel_size=3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)
        self.conv3 = nn.Conv2d(channels, channels * 4, kernel_size=1, bias=False)
        self.bn3 = nn.BatchNorm2d(channels * 4)

    def forward(self, input: Tensor) -> Tensor:
        x = self.conv1(input)
        x = self.bn1(x)
        x = self.relu(x)
        x = self.conv2(x)
        x = self.bn2(x)
        x = self.relu(x)
        x = self.conv3(x)
        x = self.bn3(x)
        x = x + input
        x = self.relu(x)
        return x


class BottleneckDownsample(nn.Module):
    def __init__(self, in_channels: int, channels: int, stride: int = 2) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, channels, kernel_size=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(
            channels, channels, kernel_size=3, stride=stride, padding=1, bias=False
        )
        self.bn2 = nn.BatchNorm2d(channels)
        self.conv3 = nn.Conv2d(channels, channels * 4, kernel_size=1, bias=False)
        self.bn3 = nn.BatchNorm2d(channels * 4)
        self.downsample = nn.Sequential(
            nn.Conv2d(
                in_channels, channels * 4, kernel_size=1, stride=stride, bias=False
            ),
            nn.BatchNorm2d(channels * 4),
        )

    def forward(self, input: Tensor) -> Tensor:
        x = self.conv1(input)
        x = self.bn1(x)
        x = self.relu(x)
        x = self.conv2(x)
        x = self.bn2(x)
        x = self.relu(x)
        x = self.conv3(x)
        bn3 = self.bn3(x)
        x = self.downsample(input)
        x = bn3 + x
        x = self.relu(x)
        return x


class Resnet152(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, kernel_size=7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, stride=2, padding=1)
        self.layer1 = nn.Sequential(
            BottleneckDownsample(64, 64, stride=1), *[Bottleneck(64) for _ in range(2)]
        )
        self.layer2 = nn.Sequential(
            BottleneckDownsample(256, 128), *[Bottleneck(128) for _ in range(7)]
        )
        self.layer3 = nn.Sequential(
            BottleneckDownsample(512, 256), *[Bottleneck(256) for _ in range(35)]
        )
        self.layer4 = nn.Sequential(
            BottleneckDownsample(1024, 512), *[Bottleneck(512) for _ in range(2)]
        )
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(2048, 1000)

    def forward(self, image: Tensor) -> Tensor:
        x = self.conv1(image)  # (N, 64, 32, 32)
        x = self.bn1(x)
        x = self.relu(x)
        x = self.maxpool(x)  # (N, 64, 16, 16)
        x = self.layer1(x)  # (N, 256, 16, 16)
        x = self.layer2(x)  # (N, 512, 8, 8)
        x = self.layer3(x)  # (N, 1024, 4, 4)
        x = self.layer4(x)  # (N, 2048, 2, 2)
        x = self.avgpool(x)  # (N, 2048, 1, 1)
        x = torch.flatten(x, start_dim=1)  # (N, 2048)
        x = self.fc(x)  # (N, 1000)
        return x
