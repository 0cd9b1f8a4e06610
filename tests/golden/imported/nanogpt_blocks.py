"""Net: (N, 4, 8) -> (N, 1, 5). Written by Layerloom."""

import torch
from torch import Tensor, nn


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.c_attn = nn.Linear(8, 24)
        self.softmax1 = nn.Softmax(dim=-1)
        self.c_proj = nn.Linear(8, 8)

    def forward(self, input: Tensor) -> Tensor:
        x = self.c_attn(input)  # (N, 4, 24)
        q, k, v = torch.split(x, 8, dim=2)  # (N, 4, 8), (N, 4, 8), (N, 4, 8)
        T = input.size(1)
        C = input.size(2)
        calculate1 = C // 2
        x = torch.reshape(k, (-1, T, 2, calculate1))  # (N, 4, 2, 4)
        k = torch.transpose(x, 1, 2)  # (N, 2, 4, 4)
        x = torch.reshape(q, (-1, T, 2, calculate1))  # (N, 4, 2, 4)
        q = torch.transpose(x, 1, 2)  # (N, 2, 4, 4)
        x = torch.reshape(v, (-1, T, 2, calculate1))  # (N, 4, 2, 4)
        v = torch.transpose(x, 1, 2)  # (N, 2, 4, 4)
        x = torch.transpose(k, -2, -1)
        x = torch.matmul(q, x)
        x = self.softmax1(x)
        x = torch.matmul(x, v)
        x = torch.transpose(x, 1, 2)  # (N, 4, 2, 4)
        x = torch.reshape(x, (-1, T, C))  # (N, 4, 8)
        x = self.c_proj(x)
        return x


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(8)
        self.attn = Attention()

    def forward(self, input: Tensor) -> Tensor:
        x = self.ln_1(input)
        x = self.attn(x)
        x = input + x
        return x


class Transformer2(nn.Sequential):
    def __init__(self) -> None:
        super().__init__()
        self.h = nn.Sequential(*[Block() for _ in range(3)])
        self.ln_f = nn.LayerNorm(8)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.transformer = Transformer2()
        self.lm_head = nn.Linear(8, 5)

    def forward(self, features: Tensor) -> Tensor:
        x = self.transformer(features)
        x = x[:, [-1], :]  # (N, 1, 8)
        x = self.lm_head(x)  # (N, 1, 5)
        return x
