"""mobilenet_v2: (N, 3, 64, 64) -> (N, 1000). Written by Layerloom."""

import torch
from torch import Tensor, nn


class Conv2dNormActivation(nn.Sequential):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int,
        padding: int,
        groups: int,
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


class Conv(nn.Sequential):
    def __init__(
        self, in_channels: int, groups: int, stride: int, out_channels: int
    ) -> None:
        super().__init__(
            Conv2dNormActivation(
                in_channels=in_channels,
                out_channels=groups,
                kernel_size=1,
                stride=1,
                padding=0,
                groups=1,
            ),
            Conv2dNormActivation(
                in_channels=groups,
                out_channels=groups,
                kernel_size=3,
                stride=stride,
                padding=1,
                groups=groups,
            ),
            nn.Conv2d(groups, out_channels, kernel_size=1, bias=False),
            nn.BatchNorm2d(out_channels),
        )


class InvertedResidual2(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Sequential(
            Conv2dNormActivation(
                in_channels=32,
                out_channels=32,
                kernel_size=3,
                stride=1,
                padding=1,
                groups=32,
            ),
            nn.Conv2d(32, 16, kernel_size=1, bias=False),
            nn.BatchNorm2d(16),
        )

    def forward(self, input: Tensor) -> Tensor:
        x = self.conv(input)  # (N, 16, 32, 32)
        return x


class InvertedResidual(nn.Module):
    def __init__(
        self, in_channels: int, groups: int, stride: int, out_channels: int
    ) -> None:
        super().__init__()
        self.conv = Conv(
            in_channels=in_channels,
            groups=groups,
            stride=stride,
            out_channels=out_channels,
        )

    def forward(self, input: Tensor) -> Tensor:
        x = self.conv(input)
        return x


class InvertedResidualAdd(nn.Module):
    def __init__(self, out_channels: int, groups: int) -> None:
        super().__init__()
        self.conv = Conv(
            in_channels=out_channels, groups=groups, stride=1, out_channels=out_channels
        )

    def forward(self, input: Tensor) -> Tensor:
        x = self.conv(input)
        x = input + x
        return x


class MobilenetV2(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            Conv2dNormActivation(
                in_channels=3,
                out_channels=32,
                kernel_size=3,
                stride=2,
                padding=1,
                groups=1,
            ),
            InvertedResidual2(),
            InvertedResidual(in_channels=16, groups=96, stride=2, out_channels=24),
            InvertedResidualAdd(out_channels=24, groups=144),
            InvertedResidual(in_channels=24, groups=144, stride=2, out_channels=32),
            *[InvertedResidualAdd(out_channels=32, groups=192) for _ in range(2)],
            InvertedResidual(in_channels=32, groups=192, stride=2, out_channels=64),
            *[InvertedResidualAdd(out_channels=64, groups=384) for _ in range(3)],
            InvertedResidual(in_channels=64, groups=384, stride=1, out_channels=96),
            *[InvertedResidualAdd(out_channels=96, groups=576) for _ in range(2)],
            InvertedResidual(in_channels=96, groups=576, stride=2, out_channels=160),
            *[InvertedResidualAdd(out_channels=160, groups=960) for _ in range(2)],
            InvertedResidual(in_channels=160, groups=960, stride=1, out_channels=320),
            Conv2dNormActivation(
                in_channels=320,
                out_channels=1280,
                kernel_size=1,
                stride=1,
                padding=0,
                groups=1,
            ),
        )
        self.pool1 = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Dropout(p=0.2), nn.Linear(1280, 1000))

    def forward(self, image: Tensor) -> Tensor:
        x = self.features(image)  # (N, 1280, 2, 2)
        x = self.pool1(x)  # (N, 1280, 1, 1)
        x = torch.flatten(x, start_dim=1)  # (N, 1280)
        x = self.classifier(x)  # (N, 1000)
        return x
