"""densenet121: (N, 3, 64, 64) -> (N, 1000). Written by Layerloom."""

import torch
from torch import Tensor, nn


class DenseLayer(nn.Module):
    def __init__(self, in_channels: int) -> None:
        super().__init__()
        self.norm1 = nn.BatchNorm2d(in_channels)
        self.relu1 = nn.ReLU(inplace=True)
        self.conv1 = nn.Conv2d(in_channels, 128, kernel_size=1, bias=False)
        self.norm2 = nn.BatchNorm2d(128)
        self.relu2 = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(128, 32, kernel_size=3, padding=1, bias=False)

    def forward(self, input: Tensor) -> Tensor:
        x = self.norm1(input)
        x = self.relu1(x)
        x = self.conv1(x)
        x = self.norm2(x)
        x = self.relu2(x)
        x = self.conv2(x)
        return x


class Transition(nn.Module):
    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm2d(in_channels)
        self.relu = nn.ReLU(inplace=True)
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size=1, bias=False)
        self.pool = nn.AvgPool2d(2, stride=2)

    def forward(self, input: Tensor) -> Tensor:
        x = self.norm(input)
        x = self.relu(x)
        x = self.conv(x)
        x = self.pool(x)
        return x


class DenseBlock(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.denselayer1 = DenseLayer(64)
        self.denselayer2 = DenseLayer(96)
        self.denselayer3 = DenseLayer(128)
        self.denselayer4 = DenseLayer(160)
        self.denselayer5 = DenseLayer(192)
        self.denselayer6 = DenseLayer(224)

    def forward(self, init_features: Tensor) -> Tensor:
        x = self.denselayer1(init_features)  # (N, 32, 16, 16)
        cat1 = torch.cat([init_features, x], dim=1)  # (N, 96, 16, 16)
        x = self.denselayer2(cat1)  # (N, 32, 16, 16)
        cat2 = torch.cat([cat1, x], dim=1)  # (N, 128, 16, 16)
        x = self.denselayer3(cat2)  # (N, 32, 16, 16)
        cat3 = torch.cat([cat2, x], dim=1)  # (N, 160, 16, 16)
        x = self.denselayer4(cat3)  # (N, 32, 16, 16)
        cat4 = torch.cat([cat3, x], dim=1)  # (N, 192, 16, 16)
        x = self.denselayer5(cat4)  # (N, 32, 16, 16)
        cat5 = torch.cat([cat4, x], dim=1)  # (N, 224, 16, 16)
        x = self.denselayer6(cat5)  # (N, 32, 16, 16)
        x = torch.cat([cat5, x], dim=1)  # (N, 256, 16, 16)
        return x


class DenseBlockDenselayer7(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.denselayer1 = DenseLayer(128)
        self.denselayer2 = DenseLayer(160)
        self.denselayer3 = DenseLayer(192)
        self.denselayer4 = DenseLayer(224)
        self.denselayer5 = DenseLayer(256)
        self.denselayer6 = DenseLayer(288)
        self.denselayer7 = DenseLayer(320)
        self.denselayer8 = DenseLayer(352)
        self.denselayer9 = DenseLayer(384)
        self.denselayer10 = DenseLayer(416)
        self.denselayer11 = DenseLayer(448)
        self.denselayer12 = DenseLayer(480)

    def forward(self, init_features: Tensor) -> Tensor:
        x = self.denselayer1(init_features)  # (N, 32, 8, 8)
        cat1 = torch.cat([init_features, x], dim=1)  # (N, 160, 8, 8)
        x = self.denselayer2(cat1)  # (N, 32, 8, 8)
        cat2 = torch.cat([cat1, x], dim=1)  # (N, 192, 8, 8)
        x = self.denselayer3(cat2)  # (N, 32, 8, 8)
        cat3 = torch.cat([cat2, x], dim=1)  # (N, 224, 8, 8)
        x = self.denselayer4(cat3)  # (N, 32, 8, 8)
        cat4 = torch.cat([cat3, x], dim=1)  # (N, 256, 8, 8)
        x = self.denselayer5(cat4)  # (N, 32, 8, 8)
        cat5 = torch.cat([cat4, x], dim=1)  # (N, 288, 8, 8)
        x = self.denselayer6(cat5)  # (N, 32, 8, 8)
        cat6 = torch.cat([cat5, x], dim=1)  # (N, 320, 8, 8)
        x = self.denselayer7(cat6)  # (N, 32, 8, 8)
        cat7 = torch.cat([cat6, x], dim=1)  # (N, 352, 8, 8)
        x = self.denselayer8(cat7)  # (N, 32, 8, 8)
        cat8 = torch.cat([cat7, x], dim=1)  # (N, 384, 8, 8)
        x = self.denselayer9(cat8)  # (N, 32, 8, 8)
        cat9 = torch.cat([cat8, x], dim=1)  # (N, 416, 8, 8)
        x = self.denselayer10(cat9)  # (N, 32, 8, 8)
        cat10 = torch.cat([cat9, x], dim=1)  # (N, 448, 8, 8)
        x = self.denselayer11(cat10)  # (N, 32, 8, 8)
        cat11 = torch.cat([cat10, x], dim=1)  # (N, 480, 8, 8)
        x = self.denselayer12(cat11)  # (N, 32, 8, 8)
        x = torch.cat([cat11, x], dim=1)  # (N, 512, 8, 8)
        return x


class DenseBlock2(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.denselayer1 = DenseLayer(256)
        self.denselayer2 = DenseLayer(288)
        self.denselayer3 = DenseLayer(320)
        self.denselayer4 = DenseLayer(352)
        self.denselayer5 = DenseLayer(384)
        self.denselayer6 = DenseLayer(416)
        self.denselayer7 = DenseLayer(448)
        self.denselayer8 = DenseLayer(480)
        self.denselayer9 = DenseLayer(512)
        self.denselayer10 = DenseLayer(544)
        self.denselayer11 = DenseLayer(576)
        self.denselayer12 = DenseLayer(608)
        self.denselayer13 = DenseLayer(640)
        self.denselayer14 = DenseLayer(672)
        self.denselayer15 = DenseLayer(704)
        self.denselayer16 = DenseLayer(736)
        self.denselayer17 = DenseLayer(768)
        self.denselayer18 = DenseLayer(800)
        self.denselayer19 = DenseLayer(832)
        self.denselayer20 = DenseLayer(864)
        self.denselayer21 = DenseLayer(896)
        self.denselayer22 = DenseLayer(928)
        self.denselayer23 = DenseLayer(960)
        self.denselayer24 = DenseLayer(992)

    def forward(self, init_features: Tensor) -> Tensor:
        x = self.denselayer1(init_features)  # (N, 32, 4, 4)
        cat1 = torch.cat([init_features, x], dim=1)  # (N, 288, 4, 4)
        x = self.denselayer2(cat1)  # (N, 32, 4, 4)
        cat2 = torch.cat([cat1, x], dim=1)  # (N, 320, 4, 4)
        x = self.denselayer3(cat2)  # (N, 32, 4, 4)
        cat3 = torch.cat([cat2, x], dim=1)  # (N, 352, 4, 4)
        x = self.denselayer4(cat3)  # (N, 32, 4, 4)
        cat4 = torch.cat([cat3, x], dim=1)  # (N, 384, 4, 4)
        x = self.denselayer5(cat4)  # (N, 32, 4, 4)
        cat5 = torch.cat([cat4, x], dim=1)  # (N, 416, 4, 4)
        x = self.denselayer6(cat5)  # (N, 32, 4, 4)
        cat6 = torch.cat([cat5, x], dim=1)  # (N, 448, 4, 4)
        x = self.denselayer7(cat6)  # (N, 32, 4, 4)
        cat7 = torch.cat([cat6, x], dim=1)  # (N, 480, 4, 4)
        x = self.denselayer8(cat7)  # (N, 32, 4, 4)
        cat8 = torch.cat([cat7, x], dim=1)  # (N, 512, 4, 4)
        x = self.denselayer9(cat8)  # (N, 32, 4, 4)
        cat9 = torch.cat([cat8, x], dim=1)  # (N, 544, 4, 4)
        x = self.denselayer10(cat9)  # (N, 32, 4, 4)
        cat10 = torch.cat([cat9, x], dim=1)  # (N, 576, 4, 4)
        x = self.denselayer11(cat10)  # (N, 32, 4, 4)
        cat11 = torch.cat([cat10, x], dim=1)  # (N, 608, 4, 4)
        x = self.denselayer12(cat11)  # (N, 32, 4, 4)
        cat12 = torch.cat([cat11, x], dim=1)  # (N, 640, 4, 4)
        x = self.denselayer13(cat12)  # (N, 32, 4, 4)
        cat13 = torch.cat([cat12, x], dim=1)  # (N, 672, 4, 4)
        x = self.denselayer14(cat13)  # (N, 32, 4, 4)
        cat14 = torch.cat([cat13, x], dim=1)  # (N, 704, 4, 4)
        x = self.denselayer15(cat14)  # (N, 32, 4, 4)
        cat15 = torch.cat([cat14, x], dim=1)  # (N, 736, 4, 4)
        x = self.denselayer16(cat15)  # (N, 32, 4, 4)
        cat16 = torch.cat([cat15, x], dim=1)  # (N, 768, 4, 4)
        x = self.denselayer17(cat16)  # (N, 32, 4, 4)
        cat17 = torch.cat([cat16, x], dim=1)  # (N, 800, 4, 4)
        x = self.denselayer18(cat17)  # (N, 32, 4, 4)
        cat18 = torch.cat([cat17, x], dim=1)  # (N, 832, 4, 4)
        x = self.denselayer19(cat18)  # (N, 32, 4, 4)
        cat19 = torch.cat([cat18, x], dim=1)  # (N, 864, 4, 4)
        x = self.denselayer20(cat19)  # (N, 32, 4, 4)
        cat20 = torch.cat([cat19, x], dim=1)  # (N, 896, 4, 4)
        x = self.denselayer21(cat20)  # (N, 32, 4, 4)
        cat21 = torch.cat([cat20, x], dim=1)  # (N, 928, 4, 4)
        x = self.denselayer22(cat21)  # (N, 32, 4, 4)
        cat22 = torch.cat([cat21, x], dim=1)  # (N, 960, 4, 4)
        x = self.denselayer23(cat22)  # (N, 32, 4, 4)
        cat23 = torch.cat([cat22, x], dim=1)  # (N, 992, 4, 4)
        x = self.denselayer24(cat23)  # (N, 32, 4, 4)
        x = torch.cat([cat23, x], dim=1)  # (N, 1024, 4, 4)
        return x


class DenseBlock3(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.denselayer1 = DenseLayer(512)
        self.denselayer2 = DenseLayer(544)
        self.denselayer3 = DenseLayer(576)
        self.denselayer4 = DenseLayer(608)
        self.denselayer5 = DenseLayer(640)
        self.denselayer6 = DenseLayer(672)
        self.denselayer7 = DenseLayer(704)
        self.denselayer8 = DenseLayer(736)
        self.denselayer9 = DenseLayer(768)
        self.denselayer10 = DenseLayer(800)
        self.denselayer11 = DenseLayer(832)
        self.denselayer12 = DenseLayer(864)
        self.denselayer13 = DenseLayer(896)
        self.denselayer14 = DenseLayer(928)
        self.denselayer15 = DenseLayer(960)
        self.denselayer16 = DenseLayer(992)

    def forward(self, init_features: Tensor) -> Tensor:
        x = self.denselayer1(init_features)  # (N, 32, 2, 2)
        cat1 = torch.cat([init_features, x], dim=1)  # (N, 544, 2, 2)
        x = self.denselayer2(cat1)  # (N, 32, 2, 2)
        cat2 = torch.cat([cat1, x], dim=1)  # (N, 576, 2, 2)
        x = self.denselayer3(cat2)  # (N, 32, 2, 2)
        cat3 = torch.cat([cat2, x], dim=1)  # (N, 608, 2, 2)
        x = self.denselayer4(cat3)  # (N, 32, 2, 2)
        cat4 = torch.cat([cat3, x], dim=1)  # (N, 640, 2, 2)
        x = self.denselayer5(cat4)  # (N, 32, 2, 2)
        cat5 = torch.cat([cat4, x], dim=1)  # (N, 672, 2, 2)
        x = self.denselayer6(cat5)  # (N, 32, 2, 2)
        cat6 = torch.cat([cat5, x], dim=1)  # (N, 704, 2, 2)
        x = self.denselayer7(cat6)  # (N, 32, 2, 2)
        cat7 = torch.cat([cat6, x], dim=1)  # (N, 736, 2, 2)
        x = self.denselayer8(cat7)  # (N, 32, 2, 2)
        cat8 = torch.cat([cat7, x], dim=1)  # (N, 768, 2, 2)
        x = self.denselayer9(cat8)  # (N, 32, 2, 2)
        cat9 = torch.cat([cat8, x], dim=1)  # (N, 800, 2, 2)
        x = self.denselayer10(cat9)  # (N, 32, 2, 2)
        cat10 = torch.cat([cat9, x], dim=1)  # (N, 832, 2, 2)
        x = self.denselayer11(cat10)  # (N, 32, 2, 2)
        cat11 = torch.cat([cat10, x], dim=1)  # (N, 864, 2, 2)
        x = self.denselayer12(cat11)  # (N, 32, 2, 2)
        cat12 = torch.cat([cat11, x], dim=1)  # (N, 896, 2, 2)
        x = self.denselayer13(cat12)  # (N, 32, 2, 2)
        cat13 = torch.cat([cat12, x], dim=1)  # (N, 928, 2, 2)
        x = self.denselayer14(cat13)  # (N, 32, 2, 2)
        cat14 = torch.cat([cat13, x], dim=1)  # (N, 960, 2, 2)
        x = self.denselayer15(cat14)  # (N, 32, 2, 2)
        cat15 = torch.cat([cat14, x], dim=1)  # (N, 992, 2, 2)
        x = self.denselayer16(cat15)  # (N, 32, 2, 2)
        x = torch.cat([cat15, x], dim=1)  # (N, 1024, 2, 2)
        return x


class Features(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv0 = nn.Conv2d(3, 64, kernel_size=7, stride=2, padding=3, bias=False)
        self.norm0 = nn.BatchNorm2d(64)
        self.relu0 = nn.ReLU(inplace=True)
        self.pool0 = nn.MaxPool2d(3, stride=2, padding=1)
        self.denseblock1 = DenseBlock()
        self.transition1 = Transition(256, 128)
        self.denseblock2 = DenseBlockDenselayer7()
        self.transition2 = Transition(512, 256)
        self.denseblock3 = DenseBlock2()
        self.transition3 = Transition(1024, 512)
        self.denseblock4 = DenseBlock3()
        self.norm5 = nn.BatchNorm2d(1024)

    def forward(self, input: Tensor) -> Tensor:
        x = self.conv0(input)  # (N, 64, 32, 32)
        x = self.norm0(x)
        x = self.relu0(x)
        x = self.pool0(x)  # (N, 64, 16, 16)
        x = self.denseblock1(x)  # (N, 256, 16, 16)
        x = self.transition1(x)  # (N, 128, 8, 8)
        x = self.denseblock2(x)  # (N, 512, 8, 8)
        x = self.transition2(x)  # (N, 256, 4, 4)
        x = self.denseblock3(x)  # (N, 1024, 4, 4)
        x = self.transition3(x)  # (N, 512, 2, 2)
        x = self.denseblock4(x)  # (N, 1024, 2, 2)
        x = self.norm5(x)
        return x


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
