"""lraspp_mobilenet_v3_large: (N, 3, 224, 224) -> (N, 21, 224, 224). Written by
Layerloom.
"""

from torch import Tensor, nn
from torch.nn import functional as F


class Conv2dNormActivation(nn.Sequential):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        groups: int = 1,
        kernel_size: int = 1,
        stride: int = 1,
        padding: int = 0,
        dilation: int = 1,
    ) -> None:
        super().__init__(
            nn.Conv2d(
                in_channels,
                out_channels,
                kernel_size=kernel_size,
                stride=stride,
                padding=padding,
                dilation=dilation,
                groups=groups,
                bias=False,
            ),
            nn.BatchNorm2d(out_channels, eps=0.001, momentum=0.01),
            nn.Hardswish(inplace=True),
        )


class Conv2dNormActivation3(nn.Sequential):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        groups: int = 1,
        kernel_size: int = 1,
        stride: int = 1,
        padding: int = 0,
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
            nn.BatchNorm2d(out_channels, eps=0.001, momentum=0.01),
            nn.ReLU(inplace=True),
        )


class Conv2dNormActivation2(nn.Sequential):
    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__(
            nn.Conv2d(in_channels, out_channels, kernel_size=1, bias=False),
            nn.BatchNorm2d(out_channels, eps=0.001, momentum=0.01),
        )


class SqueezeExcitation(nn.Module):
    def __init__(self, out_channels: int, hidden_channels: int) -> None:
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc1 = nn.Conv2d(out_channels, hidden_channels, kernel_size=1)
        self.activation = nn.ReLU()
        self.fc2 = nn.Conv2d(hidden_channels, out_channels, kernel_size=1)
        self.scale_activation = nn.Hardsigmoid()

    def forward(self, input: Tensor) -> Tensor:
        x = self.avgpool(input)
        x = self.fc1(x)
        x = self.activation(x)
        x = self.fc2(x)
        x = self.scale_activation(x)
        x = x * input
        return x


class LRASPPHead(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.cbr = nn.Sequential(
            nn.Conv2d(960, 128, kernel_size=1, bias=False),
            nn.BatchNorm2d(128),
            nn.ReLU(inplace=True),
        )
        self.scale = nn.Sequential(
            nn.AdaptiveAvgPool2d(1),
            nn.Conv2d(960, 128, kernel_size=1, bias=False),
            nn.Sigmoid(),
        )
        self.low_classifier = nn.Conv2d(40, 21, kernel_size=1)
        self.high_classifier = nn.Conv2d(128, 21, kernel_size=1)

    def forward(self, low: Tensor, high: Tensor) -> Tensor:
        cbr = self.cbr(high)  # (N, 128, 14, 14)
        x = self.scale(high)  # (N, 128, 1, 1)
        x = cbr * x
        interpolate1 = F.interpolate(
            x, size=(low.size(2), low.size(3)), mode="bilinear", align_corners=False
        )  # (N, 128, 28, 28)
        low_classifier = self.low_classifier(low)  # (N, 21, 28, 28)
        x = self.high_classifier(interpolate1)  # (N, 21, 28, 28)
        x = low_classifier + x
        return x


class InvertedResidual4(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.block = nn.Sequential(
            Conv2dNormActivation3(16, 16, groups=16, kernel_size=3, padding=1),
            Conv2dNormActivation2(16, 16),
        )

    def forward(self, input: Tensor) -> Tensor:
        x = self.block(input)
        x = x + input
        return x


class InvertedResidual5(nn.Sequential):
    def __init__(self) -> None:
        super().__init__()
        self.block = nn.Sequential(
            Conv2dNormActivation3(16, 64),
            Conv2dNormActivation3(
                64, 64, groups=64, kernel_size=3, stride=2, padding=1
            ),
            Conv2dNormActivation2(64, 24),
        )


class InvertedResidual6(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.block = nn.Sequential(
            Conv2dNormActivation3(24, 72),
            Conv2dNormActivation3(72, 72, groups=72, kernel_size=3, padding=1),
            Conv2dNormActivation2(72, 24),
        )

    def forward(self, input: Tensor) -> Tensor:
        x = self.block(input)
        x = x + input
        return x


class InvertedResidual7(nn.Sequential):
    def __init__(self) -> None:
        super().__init__()
        self.block = nn.Sequential(
            Conv2dNormActivation3(24, 72),
            Conv2dNormActivation3(
                72, 72, groups=72, kernel_size=5, stride=2, padding=2
            ),
            SqueezeExcitation(72, 24),
            Conv2dNormActivation2(72, 40),
        )


class InvertedResidual2(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.block = nn.Sequential(
            Conv2dNormActivation3(40, 120),
            Conv2dNormActivation3(120, 120, groups=120, kernel_size=5, padding=2),
            SqueezeExcitation(120, 32),
            Conv2dNormActivation2(120, 40),
        )

    def forward(self, input: Tensor) -> Tensor:
        x = self.block(input)
        x = x + input
        return x


class InvertedResidual8(nn.Sequential):
    def __init__(self) -> None:
        super().__init__()
        self.block = nn.Sequential(
            Conv2dNormActivation(40, 240),
            Conv2dNormActivation(
                240, 240, groups=240, kernel_size=3, stride=2, padding=1
            ),
            Conv2dNormActivation2(240, 80),
        )


class InvertedResidualAdd(nn.Module):
    def __init__(self, hidden_channels: int) -> None:
        super().__init__()
        self.block = nn.Sequential(
            Conv2dNormActivation(80, hidden_channels),
            Conv2dNormActivation(
                hidden_channels,
                hidden_channels,
                groups=hidden_channels,
                kernel_size=3,
                padding=1,
            ),
            Conv2dNormActivation2(hidden_channels, 80),
        )

    def forward(self, input: Tensor) -> Tensor:
        x = self.block(input)
        x = x + input
        return x


class InvertedResidual3(nn.Sequential):
    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        block_2_hidden_channels: int,
        out_channels: int,
        kernel_size: int,
        padding: int,
        dilation: int,
    ) -> None:
        super().__init__()
        self.block = nn.Sequential(
            Conv2dNormActivation(in_channels, hidden_channels),
            Conv2dNormActivation(
                hidden_channels,
                hidden_channels,
                groups=hidden_channels,
                kernel_size=kernel_size,
                padding=padding,
                dilation=dilation,
            ),
            SqueezeExcitation(hidden_channels, block_2_hidden_channels),
            Conv2dNormActivation2(hidden_channels, out_channels),
        )


class InvertedResidual(nn.Module):
    def __init__(
        self,
        out_channels: int,
        hidden_channels: int,
        block_2_hidden_channels: int,
        kernel_size: int = 5,
        padding: int = 4,
        dilation: int = 2,
    ) -> None:
        super().__init__()
        self.block = nn.Sequential(
            Conv2dNormActivation(out_channels, hidden_channels),
            Conv2dNormActivation(
                hidden_channels,
                hidden_channels,
                groups=hidden_channels,
                kernel_size=kernel_size,
                padding=padding,
                dilation=dilation,
            ),
            SqueezeExcitation(hidden_channels, block_2_hidden_channels),
            Conv2dNormActivation2(hidden_channels, out_channels),
        )

    def forward(self, input: Tensor) -> Tensor:
        x = self.block(input)
        x = x + input
        return x


class IntermediateLayerGetter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.block_0 = Conv2dNormActivation(3, 16, kernel_size=3, stride=2, padding=1)
        self.block_1 = InvertedResidual4()
        self.block_2 = InvertedResidual5()
        self.block_3 = InvertedResidual6()
        self.block_4 = InvertedResidual7()
        self.block_5 = InvertedResidual2()
        self.block_6 = InvertedResidual2()
        self.block_7 = InvertedResidual8()
        self.block_8 = InvertedResidualAdd(200)
        self.block_9 = InvertedResidualAdd(184)
        self.block_10 = InvertedResidualAdd(184)
        self.block_11 = InvertedResidual3(
            in_channels=80,
            hidden_channels=480,
            block_2_hidden_channels=120,
            out_channels=112,
            kernel_size=3,
            padding=1,
            dilation=1,
        )
        self.block_12 = InvertedResidual(
            112, 672, 168, kernel_size=3, padding=1, dilation=1
        )
        self.block_13 = InvertedResidual3(
            in_channels=112,
            hidden_channels=672,
            block_2_hidden_channels=168,
            out_channels=160,
            kernel_size=5,
            padding=4,
            dilation=2,
        )
        self.block_14 = InvertedResidual(160, 960, 240)
        self.block_15 = InvertedResidual(160, 960, 240)
        self.block_16 = Conv2dNormActivation(160, 960)

    def forward(self, input: Tensor) -> tuple[Tensor, Tensor]:
        x = self.block_0(input)  # (N, 16, 112, 112)
        x = self.block_1(x)
        x = self.block_2(x)  # (N, 24, 56, 56)
        x = self.block_3(x)
        block_4 = self.block_4(x)  # (N, 40, 28, 28)
        x = self.block_5(block_4)
        x = self.block_6(x)
        x = self.block_7(x)  # (N, 80, 14, 14)
        x = self.block_8(x)
        x = self.block_9(x)
        x = self.block_10(x)
        x = self.block_11(x)  # (N, 112, 14, 14)
        x = self.block_12(x)
        x = self.block_13(x)  # (N, 160, 14, 14)
        x = self.block_14(x)
        x = self.block_15(x)
        block_16 = self.block_16(x)  # (N, 960, 14, 14)
        return block_4, block_16


class LrasppMobilenetV3Large(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.backbone = IntermediateLayerGetter()
        self.classifier = LRASPPHead()

    def forward(self, image: Tensor) -> Tensor:
        # (N, 40, 28, 28), (N, 960, 14, 14)
        backbone, backbone_output2 = self.backbone(image)
        x = self.classifier(backbone, backbone_output2)  # (N, 21, 28, 28)
        x = F.interpolate(
            x, size=(image.size(2), image.size(3)), mode="bilinear", align_corners=False
        )  # (N, 21, 224, 224)
        return x
