"""Small Llama: (N, 64) -> (N, 64, 96). Written by Layerloom."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class RotaryEmbedding(nn.Module):
    def forward(self, input: Tensor) -> Tensor:
        # (64,)
        x = torch.arange(input.size(2), device=input.device, dtype=torch.float32)
        column = torch.unsqueeze(x, 1)  # (64, 1)
        x = torch.arange(0, 16, 2, device=input.device, dtype=torch.float32)  # (8,)
        x = x / 16
        x = torch.pow(10000.0, x)
        x = column / x  # (64, 8)
        both = torch.cat([x, x], dim=-1)  # (64, 16)
        cos = torch.cos(both)
        sin = torch.sin(both)
        halves, halves_1 = torch.chunk(input, 2, dim=-1)
        x = -halves_1
        turned = torch.cat([x, halves], dim=-1)
        along = input * cos
        x = turned * sin
        x = along + x
        return x


class SwiGLU(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(64, 176, bias=False)
        self.up = nn.Linear(64, 176, bias=False)
        self.silu = nn.SiLU()
        self.down = nn.Linear(176, 64, bias=False)

    def forward(self, input: Tensor) -> Tensor:
        gate = self.gate(input)  # (N, 64, 176)
        up = self.up(input)  # (N, 64, 176)
        x = self.silu(gate)
        x = x * up
        x = self.down(x)  # (N, 64, 64)
        return x


class GroupedQueryAttention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query = nn.Linear(64, 64, bias=False)
        self.key = nn.Linear(64, 32, bias=False)
        self.value = nn.Linear(64, 32, bias=False)
        self.query_placed = RotaryEmbedding()
        self.key_placed = RotaryEmbedding()
        self.proj = nn.Linear(64, 64, bias=False)

    def forward(self, input: Tensor) -> Tensor:
        query = self.query(input)
        key = self.key(input)  # (N, 64, 32)
        value = self.value(input)  # (N, 64, 32)
        query_heads = torch.unflatten(query, 2, (4, 16))  # (N, 64, 4, 16)
        key_heads = torch.unflatten(key, 2, (2, 16))  # (N, 64, 2, 16)
        value_heads = torch.unflatten(value, 2, (2, 16))  # (N, 64, 2, 16)
        query_first = torch.transpose(query_heads, 1, 2)  # (N, 4, 64, 16)
        key_first = torch.transpose(key_heads, 1, 2)  # (N, 2, 64, 16)
        value_first = torch.transpose(value_heads, 1, 2)  # (N, 2, 64, 16)
        query_placed = self.query_placed(query_first)
        x = self.key_placed(key_first)
        x = F.scaled_dot_product_attention(
            query_placed, x, value_first, is_causal=True, enable_gqa=True
        )
        x = torch.transpose(x, 1, 2)  # (N, 64, 4, 16)
        x = torch.flatten(x, start_dim=2)  # (N, 64, 64)
        x = self.proj(x)
        return x


class LlamaBlock(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm1 = nn.RMSNorm(64, eps=1e-05)
        self.attn = GroupedQueryAttention()
        self.norm2 = nn.RMSNorm(64, eps=1e-05)
        self.mlp = SwiGLU()

    def forward(self, input: Tensor) -> Tensor:
        x = self.norm1(input)
        x = self.attn(x)
        join1 = input + x
        x = self.norm2(join1)
        x = self.mlp(x)
        x = join1 + x
        return x


class SmallLlama(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(96, 64)
        self.blocks = nn.Sequential(*[LlamaBlock() for _ in range(2)])
        self.norm = nn.RMSNorm(64, eps=1e-05)
        self.head = nn.Linear(64, 96, bias=False)

    def forward(self, text: Tensor) -> Tensor:
        x = self.embed(text)  # (N, 64, 64)
        x = self.blocks(x)
        x = self.norm(x)
        x = self.head(x)  # (N, 64, 96)
        return x
