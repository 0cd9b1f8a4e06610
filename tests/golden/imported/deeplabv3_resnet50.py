"""deeplabv3_resnet50: (N, 3, 224, 224) -> (N, 21, 224, 224). Written by Layerloom."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Bottleneck(nn.Module):
    def __init__(self, channels: int, padding: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels * 4, channels, kernel_size=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(
            channels,
            channels,
            kernel_size=3,
            padding=padding,
            dilation=padding,
            bias=False,
        )
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


class ASPPConv(nn.Sequential):
    def __init__(self, padding: int) -> None:
        super().__init__(
            nn.Conv2d(
                2048, 256, kernel_size=3, padding=padding, dilation=padding, bias=False
            ),
            nn.BatchNorm2d(256),
            nn.ReLU(),
        )


class ASPPPooling(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.pool_0 = nn.AdaptiveAvgPool2d(1)
        self.conv_1 = nn.Conv2d(2048, 256, kernel_size=1, bias=False)
        self.bn_2 = nn.BatchNorm2d(256)
        self.relu_3 = nn.ReLU()

    def forward(self, input: Tensor) -> Tensor:
        x = self.pool_0(input)  # (N, 2048, 1, 1)
        x = self.conv_1(x)  # (N, 256, 1, 1)
        x = self.bn_2(x)
        x = self.relu_3(x)
        x = F.interpolate(
            x, size=(input.size(2), input.size(3)), mode="bilinear", align_corners=False
        )  # (N, 256, 28, 28)
        return x


class BottleneckDownsample(nn.Module):
    def __init__(
        self, in_channels: int, channels: int, stride: int = 1, padding: int = 1
    ) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, channels, kernel_size=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(
            channels,
            channels,
            kernel_size=3,
            stride=stride,
            padding=padding,
            dilation=padding,
            bias=False,
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


class ASPP(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.convs_0 = nn.Sequential(
            nn.Conv2d(2048, 256, kernel_size=1, bias=False),
            nn.BatchNorm2d(256),
            nn.ReLU(),
        )
        self.convs_1 = ASPPConv(padding=12)
        self.convs_2 = ASPPConv(padding=24)
        self.convs_3 = ASPPConv(padding=36)
        self.convs_4 = ASPPPooling()
        self.project = nn.Sequential(
            nn.Conv2d(1280, 256, kernel_size=1, bias=False),
            nn.BatchNorm2d(256),
            nn.ReLU(),
            nn.Dropout(),
        )

    def forward(self, input: Tensor) -> Tensor:
        convs_0 = self.convs_0(input)  # (N, 256, 28, 28)
        convs_1 = self.convs_1(input)  # (N, 256, 28, 28)
        convs_2 = self.convs_2(input)  # (N, 256, 28, 28)
        convs_3 = self.convs_3(input)  # (N, 256, 28, 28)
        x = self.convs_4(input)  # (N, 256, 28, 28)
        # (N, 1280, 28, 28)
        x = torch.cat([convs_0, convs_1, convs_2, convs_3, x], dim=1)
        x = self.project(x)  # (N, 256, 28, 28)
        return x


class IntermediateLayerGetter(nn.Sequential):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, kernel_size=7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, stride=2, padding=1)
        self.layer1 = nn.Sequential(
            BottleneckDownsample(64, 64), *[Bottleneck(64) for _ in range(2)]
        )
        self.layer2 = nn.Sequential(
            BottleneckDownsample(256, 128, stride=2),
            *[Bottleneck(128) for _ in range(3)],
        )
        self.layer3 = nn.Sequential(
            BottleneckDownsample(512, 256),
            *[Bottleneck(256, padding=2) for _ in range(5)],
        )
        self.layer4 = nn.Sequential(
            BottleneckDownsample(1024, 512, padding=2),
            *[Bottleneck(512, padding=4) for _ in range(2)],
        )


class Deeplabv3Resnet50(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.backbone = IntermediateLayerGetter()
        self.classifier = nn.Sequential(
            ASPP(),
            nn.Conv2d(256, 256, kernel_size=3, padding=1, bias=False),
            nn.BatchNorm2d(256),
            nn.ReLU(),
            nn.Conv2d(256, 21, kernel_size=1),
        )

    def forward(self, image: Tensor) -> Tensor:
        x = self.backbone(image)  # (N, 2048, 28, 28)
        x = self.classifier(x)  # (N, 21, 28, 28)
        x = F.interpolate(
            x, size=(image.size(2), image.size(3)), mode="bilinear", align_corners=False
        )  # (N, 21, 224, 224)
        return x
