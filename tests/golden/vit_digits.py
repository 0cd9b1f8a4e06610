"""Vision Transformer on digits: (N, 1, 8, 8) -> (N, 10). Written by Layerloom."""

import torch
from torch import Tensor, nn


class EncoderBlock(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(32)
        self.attention = nn.MultiheadAttention(32, 4, batch_first=True)
        self.norm2 = nn.LayerNorm(32)
        self.fc1 = nn.Linear(32, 64)
        self.gelu = nn.GELU()
        self.fc2 = nn.Linear(64, 32)

    def forward(self, input: Tensor) -> Tensor:
        x = self.norm1(input)
        x, _ = self.attention(x, x, x, need_weights=False)
        join1 = input + x
        x = self.norm2(join1)
        x = self.fc1(x)  # (N, 17, 64)
        x = self.gelu(x)
        x = self.fc2(x)  # (N, 17, 32)
        x = join1 + x
        return x


class VisionTransformerOnDigits(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(1, 32, kernel_size=2, stride=2)
        self.class_token = nn.Parameter(torch.randn(1, 1, 32) * 0.02)
        self.positions = nn.Parameter(torch.randn(1, 17, 32) * 0.02)
        self.encoder = nn.Sequential(*[EncoderBlock() for _ in range(2)])
        self.norm = nn.LayerNorm(32)
        self.head = nn.Linear(32, 10)

    def forward(self, image: Tensor) -> Tensor:
        x = self.patches(image)  # (N, 32, 4, 4)
        x = torch.flatten(x, start_dim=2)  # (N, 32, 16)
        tokens = torch.transpose(x, 1, 2)  # (N, 16, 32)
        x = self.class_token.expand(tokens.size(0), 1, 32)  # (N, 1, 32)
        x = torch.cat([x, tokens], dim=1)  # (N, 17, 32)
        x = x + self.positions
        x = self.encoder(x)
        x = self.norm(x)
        x = torch.select(x, 1, 0)  # (N, 32)
        x = self.head(x)  # (N, 10)
        return x
