"""Composed of residual blocks: (N, 1, 28, 28) -> (N, 16, 28, 28). Written by Layerloom."""

from torch import Tensor, nn


class Residual(nn.Module):
    def __init__(self, in_channels: int, channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, channels, kernel_size=3, padding=1)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(channels, channels, kernel_size=3, padding=1)
        self.skip = nn.Conv2d(in_channels, channels, kernel_size=1)

    def forward(self, inp: Tensor) -> Tensor:
        x = self.conv1(inp)
        x = self.relu1(x)
        conv2 = self.conv2(x)
        x = self.skip(inp)
        x = conv2 + x
        return x


class ComposedOfResidualBlocks(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(1, 8, kernel_size=3, padding=1)
        self.stage1 = nn.Sequential(*[Residual(8, 8) for _ in range(3)])
        self.stage2 = nn.Sequential(Residual(8, 16), Residual(16, 16))
        self.wide = nn.Sequential(*[nn.Linear(28, 28) for _ in range(3)])

    def forward(self, image: Tensor) -> Tensor:
        x = self.stem(image)  # (N, 8, 28, 28)
        x = self.stage1(x)
        x = self.stage2(x)  # (N, 16, 28, 28)
        x = self.wide(x)
        return x
