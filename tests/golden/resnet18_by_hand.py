"""ResNet18: (N, 3, 224, 224) -> (N, 1000). Written by Layerloom."""

from torch import Tensor, nn


class BasicBlock(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, kernel_size=3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(channels, channels, kernel_size=3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)
        self.relu2 = nn.ReLU()

    def forward(self, input: Tensor) -> Tensor:
        x = self.conv1(input)
        x = self.bn1(x)
        x = self.relu1(x)
        x = self.conv2(x)
        x = self.bn2(x)
        x = x + input
        x = self.relu2(x)
        return x


class DownBlock(nn.Module):
    def __init__(self, in_channels: int, channels: int) -> None:
        super().__init__()
        self.skip = nn.Conv2d(
            in_channels, channels, kernel_size=1, stride=2, bias=False
        )
        self.skip_bn = nn.BatchNorm2d(channels)
        self.conv1 = nn.Conv2d(
            in_channels, channels, kernel_size=3, stride=2, padding=1, bias=False
        )
        self.bn1 = nn.BatchNorm2d(channels)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(channels, channels, kernel_size=3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)
        self.relu2 = nn.ReLU()

    def forward(self, input: Tensor) -> Tensor:
        x = self.skip(input)
        skip_bn = self.skip_bn(x)
        x = self.conv1(input)
        x = self.bn1(x)
        x = self.relu1(x)
        x = self.conv2(x)
        x = self.bn2(x)
        x = x + skip_bn
        x = self.relu2(x)
        return x


class ResNet18(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, kernel_size=7, stride=2, padding=3, bias=False)
        self.bn = nn.BatchNorm2d(64)
        self.relu1 = nn.ReLU()
        self.pool1 = nn.MaxPool2d(3, stride=2, padding=1)
        self.layer1 = nn.Sequential(*[BasicBlock(64) for _ in range(2)])
        self.layer2a = DownBlock(64, 128)
        self.layer2b = BasicBlock(128)
        self.layer3a = DownBlock(128, 256)
        self.layer3b = BasicBlock(256)
        self.layer4a = DownBlock(256, 512)
        self.layer4b = BasicBlock(512)
        self.pool2 = nn.AdaptiveAvgPool2d(1)
        self.flat = nn.Flatten()
        self.fc1 = nn.Linear(512, 1000)

    def forward(self, image: Tensor) -> Tensor:
        x = self.conv1(image)  # (N, 64, 112, 112)
        x = self.bn(x)
        x = self.relu1(x)
        x = self.pool1(x)  # (N, 64, 56, 56)
        x = self.layer1(x)
        x = self.layer2a(x)  # (N, 128, 28, 28)
        x = self.layer2b(x)
        x = self.layer3a(x)  # (N, 256, 14, 14)
        x = self.layer3b(x)
        x = self.layer4a(x)  # (N, 512, 7, 7)
        x = self.layer4b(x)
        x = self.pool2(x)  # (N, 512, 1, 1)
        x = self.flat(x)  # (N, 512)
        x = self.fc1(x)  # (N, 1000)
        return x
