"""Small GPT: (N, 64) -> (N, 64, 96). Written by Layerloom."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(64, 192)
        self.proj = nn.Linear(64, 64)

    def forward(self, input: Tensor) -> Tensor:
        x = self.qkv(input)  # (N, 64, 192)
        x = torch.unflatten(x, 2, (3, 4, 16))  # (N, 64, 3, 4, 16)
        x = torch.permute(x, (2, 0, 3, 1, 4))  # (3, N, 4, 64, 16)
        # (N, 4, 64, 16), (N, 4, 64, 16), (N, 4, 64, 16)
        parts, parts_1, parts_2 = torch.unbind(x)
        x = F.scaled_dot_product_attention(parts, parts_1, parts_2, is_causal=True)
        x = torch.transpose(x, 1, 2)  # (N, 64, 4, 16)
        x = torch.flatten(x, start_dim=2)  # (N, 64, 64)
        x = self.proj(x)
        return x


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.ln1 = nn.LayerNorm(64)
        self.attn = CausalSelfAttention()
        self.ln2 = nn.LayerNorm(64)
        self.fc = nn.Linear(64, 256)
        self.gelu = nn.GELU()
        self.proj = nn.Linear(256, 64)

    def forward(self, input: Tensor) -> Tensor:
        x = self.ln1(input)
        x = self.attn(x)
        join1 = input + x
        x = self.ln2(join1)
        x = self.fc(x)  # (N, 64, 256)
        x = self.gelu(x)
        x = self.proj(x)  # (N, 64, 64)
        x = join1 + x
        return x


class SmallGPT(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(96, 64)
        self.positions = nn.Parameter(torch.randn(1, 64, 64) * 0.5)
        self.blocks = nn.Sequential(*[Block() for _ in range(2)])
        self.norm = nn.LayerNorm(64)
        self.head = nn.Linear(64, 96)

    def forward(self, text: Tensor) -> Tensor:
        x = self.embed(text)  # (N, 64, 64)
        x = x + self.positions
        x = self.blocks(x)
        x = self.norm(x)
        x = self.head(x)  # (N, 64, 96)
        return x
