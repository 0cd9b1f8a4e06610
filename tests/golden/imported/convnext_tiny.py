"""convnext_tiny: (N, 3, 224, 224) -> (N, 1000). Written by Layerloom."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class LayerNorm2d(nn.Module):
    def __init__(self, features: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.bias = nn.Parameter(torch.zeros(features))
        self.features = features

    def forward(self, input: Tensor) -> Tensor:
        x = torch.permute(input, (0, 2, 3, 1))
        x = F.layer_norm(
            x, (self.features,), weight=self.weight, bias=self.bias, eps=1e-06
        )
        x = torch.permute(x, (0, 3, 1, 2))
        return x


class Permute(nn.Module):
    def __init__(self, dims: tuple[int, ...] = (0, 2, 3, 1)) -> None:
        super().__init__()
        self.dims = dims

    def forward(self, input: Tensor) -> Tensor:
        x = torch.permute(input, self.dims)
        return x


class CNBlock(nn.Module):
    def __init__(self, channels: int, p: float) -> None:
        super().__init__()
        self.block = nn.Sequential(
            nn.Conv2d(channels, channels, kernel_size=7, padding=3, groups=channels),
            Permute(),
            nn.LayerNorm(channels, eps=1e-06),
            nn.Linear(channels, channels * 4),
            nn.GELU(),
            nn.Linear(channels * 4, channels),
            Permute(dims=(0, 3, 1, 2)),
        )
        self.layer_scale = nn.Parameter(torch.full((channels, 1, 1), 1e-06))
        self.stochastic_depth = nn.Dropout3d(p)

    def forward(self, input: Tensor) -> Tensor:
        x = self.block(input)
        x = self.layer_scale * x
        x = self.stochastic_depth(x.unsqueeze(0)).squeeze(0)
        x = x + input
        return x


class ConvnextTiny(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Sequential(nn.Conv2d(3, 96, kernel_size=4, stride=4), LayerNorm2d(96)),
            nn.Sequential(
                CNBlock(96, p=0.0),
                CNBlock(96, p=0.0058823529411764705),
                CNBlock(96, p=0.011764705882352941),
            ),
            nn.Sequential(LayerNorm2d(96), nn.Conv2d(96, 192, kernel_size=2, stride=2)),
            nn.Sequential(
                CNBlock(192, p=0.017647058823529415),
                CNBlock(192, p=0.023529411764705882),
                CNBlock(192, p=0.029411764705882353),
            ),
            nn.Sequential(
                LayerNorm2d(192), nn.Conv2d(192, 384, kernel_size=2, stride=2)
            ),
            nn.Sequential(
                CNBlock(384, p=0.03529411764705883),
                CNBlock(384, p=0.0411764705882353),
                CNBlock(384, p=0.047058823529411764),
                CNBlock(384, p=0.052941176470588235),
                CNBlock(384, p=0.058823529411764705),
                CNBlock(384, p=0.06470588235294118),
                CNBlock(384, p=0.07058823529411766),
                CNBlock(384, p=0.07647058823529412),
                CNBlock(384, p=0.0823529411764706),
            ),
            nn.Sequential(
                LayerNorm2d(384), nn.Conv2d(384, 768, kernel_size=2, stride=2)
            ),
            nn.Sequential(
                CNBlock(768, p=0.08823529411764706),
                CNBlock(768, p=0.09411764705882353),
                CNBlock(768, p=0.1),
            ),
        )
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(
            LayerNorm2d(768), nn.Flatten(), nn.Linear(768, 1000)
        )

    def forward(self, image: Tensor) -> Tensor:
        x = self.features(image)  # (N, 768, 7, 7)
        x = self.avgpool(x)  # (N, 768, 1, 1)
        x = self.classifier(x)  # (N, 1000)
        return x
