"""mobilenet_v2: (N, 3, 64, 64) -> (N, 1000). Written by Layerloom."""

import torch
from torch import Tensor, nn


class Conv2dNormActivation(nn.Sequential):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        groups: int = 1,
        kernel_size: int = 3,
        stride: int = 1,
        padding: int = 1,
    ) -> None:
        super().__init__(
            nn.Conv2d(
                in_channels,
                out_channels,
                kernel_size=kernel_size,
                stride=stride,
                padding=padding,
                groups=groups,
                bias=False,
            ),
            nn.BatchNorm2d(out_channels),
            nn.ReLU6(inplace=True),
        )


class InvertedResidual2(nn.Sequential):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Sequential(
            Conv2dNormActivation(32, 32, groups=32),
            nn.Conv2d(32, 16, kernel_size=1, bias=False),
            nn.BatchNorm2d(16),
        )


class InvertedResidual(nn.Sequential):
    def __init__(
        self, in_channels: int, hidden_channels: int, out_channels: int, stride: int = 2
    ) -> None:
        super().__init__()
        self.conv = nn.Sequential(
            Conv2dNormActivation(
                in_channels, hidden_channels, kernel_size=1, padding=0
            ),
            Conv2dNormActivation(
                hidden_channels, hidden_channels, groups=hidden_channels, stride=stride
            ),
            nn.Conv2d(hidden_channels, out_channels, kernel_size=1, bias=False),
            nn.BatchNorm2d(out_channels),
        )


class InvertedResidualAdd(nn.Module):
    def __init__(self, out_channels: int, hidden_channels: int) -> None:
        super().__init__()
        self.conv = nn.Sequential(
            Conv2dNormActivation(
                out_channels, hidden_channels, kernel_size=1, padding=0
            ),
            Conv2dNormActivation(
                hidden_channels, hidden_channels, groups=hidden_channels
            ),
            nn.Conv2d(hidden_channels, out_channels, kernel_size=1, bias=False),
            nn.BatchNorm2d(out_channels),
        )

    def forward(self, input: Tensor) -> Tensor:
        x = self.conv(input)
        x = input + x
        return x


class MobilenetV2(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            Conv2dNormActivation(3, 32, stride=2),
            InvertedResidual2(),
            InvertedResidual(16, 96, 24),
            InvertedResidualAdd(24, 144),
            InvertedResidual(24, 144, 32),
            *[InvertedResidualAdd(32, 192) for _ in range(2)],
            InvertedResidual(32, 192, 64),
            *[InvertedResidualAdd(64, 384) for _ in range(3)],
            InvertedResidual(64, 384, 96, stride=1),
            *[InvertedResidualAdd(96, 576) for _ in range(2)],
            InvertedResidual(96, 576, 160),
            *[InvertedResidualAdd(160, 960) for _ in range(2)],
            InvertedResidual(160, 960, 320, stride=1),
            Conv2dNormActivation(320, 1280, kernel_size=1, padding=0),
        )
        self.pool1 = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Dropout(p=0.2), nn.Linear(1280, 1000))

    def forward(self, image: Tensor) -> Tensor:
        x = self.features(image)  # (N, 1280, 2, 2)
        x = self.pool1(x)  # (N, 1280, 1, 1)
        x = torch.flatten(x, start_dim=1)  # (N, 1280)
        x = self.classifier(x)  # (N, 1000)
        return x
