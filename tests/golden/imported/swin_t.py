"""swin_t: (N, 3, 224, 224) -> (N, 1000). Written by Layerloom."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Permute(nn.Module):
    def __init__(self, dims: tuple[int, ...]) -> None:
        super().__init__()
        self.dims = dims

    def forward(self, input: Tensor) -> Tensor:
        x = torch.permute(input, self.dims)
        return x


class ShiftedWindowAttention(nn.Module):
    def __init__(self, num_heads: int, features: int) -> None:
        super().__init__()
        self.relative_position_bias_table = nn.Parameter(
            torch.randn(169, num_heads) * 0.02
        )
        # its values come with the weights
        self.relative_position_index = nn.Buffer(torch.zeros(2401, dtype=torch.int64))
        self.qkv = nn.Linear(features, features * 3)
        self.num_heads = num_heads
        self.softmax1 = nn.Softmax(dim=-1)
        self.proj = nn.Linear(features, features)

    def forward(self, input: Tensor) -> Tensor:
        x = self.relative_position_bias_table[self.relative_position_index]
        x = torch.reshape(x, (49, 49, -1))
        x = torch.permute(x, (2, 0, 1))
        x = x.contiguous()
        relative_position_bias = torch.unsqueeze(x, 0)
        W = input.size(2)
        H = input.size(1)
        pad1 = F.pad(input, (0, 0, 0, (7 - (W % 7)) % 7, 0, (7 - (H % 7)) % 7))
        pad_H = pad1.size(1)
        calculate1 = pad_H // 7
        pad_W = pad1.size(2)
        calculate2 = pad_W // 7
        C = input.size(3)
        x = torch.reshape(pad1, (-1, calculate1, 7, calculate2, 7, C))
        x = torch.permute(x, (0, 1, 3, 2, 4, 5))
        reshape3 = torch.reshape(x, (-1, 49, C))
        qkv = self.qkv(reshape3)
        size1 = reshape3.size(1)
        x = torch.reshape(qkv, (-1, size1, 3, self.num_heads, C // self.num_heads))
        permute3 = torch.permute(x, (2, 0, 3, 1, 4))
        q = permute3[0]
        k = permute3[1]
        v = permute3[2]
        q2 = q * 0.1767766952966369
        x = torch.transpose(k, -2, -1)
        x = torch.matmul(q2, x)
        x = x + relative_position_bias
        x = self.softmax1(x)
        x = torch.matmul(x, v)
        x = torch.transpose(x, 1, 2)
        x = torch.reshape(x, (-1, size1, C))
        x = self.proj(x)
        x = torch.reshape(x, (-1, calculate1, calculate2, 7, 7, C))
        x = torch.permute(x, (0, 1, 3, 2, 4, 5))
        x = torch.reshape(x, (-1, pad_H, pad_W, C))
        x = x[:, :H, :W, :]
        return x


class MLP(nn.Sequential):
    def __init__(self, features: int) -> None:
        super().__init__(
            nn.Linear(features, features * 4),
            nn.GELU(),
            nn.Dropout(p=0.0),
            nn.Linear(features * 4, features),
            nn.Dropout(p=0.0),
        )


class ShiftedWindowAttentionRoll(nn.Module):
    def __init__(self, num_heads: int, features: int) -> None:
        super().__init__()
        self.relative_position_bias_table = nn.Parameter(
            torch.randn(169, num_heads) * 0.02
        )
        # its values come with the weights
        self.relative_position_index = nn.Buffer(torch.zeros(2401, dtype=torch.int64))
        self.qkv = nn.Linear(features, features * 3)
        self.num_heads = num_heads
        self.softmax1 = nn.Softmax(dim=-1)
        self.proj = nn.Linear(features, features)

    def forward(self, input: Tensor) -> Tensor:
        x = self.relative_position_bias_table[self.relative_position_index]
        x = torch.reshape(x, (49, 49, -1))
        x = torch.permute(x, (2, 0, 1))
        x = x.contiguous()
        relative_position_bias = torch.unsqueeze(x, 0)
        W = input.size(2)
        H = input.size(1)
        pad1 = F.pad(input, (0, 0, 0, (7 - (W % 7)) % 7, 0, (7 - (H % 7)) % 7))
        roll1 = torch.roll(pad1, (-3, -3), dims=(1, 2))
        pad_H = pad1.size(1)
        calculate1 = pad_H // 7
        pad_W = pad1.size(2)
        calculate2 = pad_W // 7
        C = input.size(3)
        x = torch.reshape(roll1, (-1, calculate1, 7, calculate2, 7, C))
        x = torch.permute(x, (0, 1, 3, 2, 4, 5))
        reshape3 = torch.reshape(x, (-1, 49, C))
        qkv = self.qkv(reshape3)
        size1 = reshape3.size(1)
        x = torch.reshape(qkv, (-1, size1, 3, self.num_heads, C // self.num_heads))
        permute3 = torch.permute(x, (2, 0, 3, 1, 4))
        q = permute3[0]
        k = permute3[1]
        v = permute3[2]
        q2 = q * 0.1767766952966369
        x = torch.transpose(k, -2, -1)
        x = torch.matmul(q2, x)
        attn = x + relative_position_bias
        new_zeros1 = reshape3.new_zeros((pad_H, pad_W))
        new_zeros1[0:-7, 0:-7] = 0
        new_zeros1[0:-7, -7:-3] = 1
        new_zeros1[0:-7, -3:] = 2
        new_zeros1[-7:-3, 0:-7] = 3
        new_zeros1[-7:-3, -7:-3] = 4
        new_zeros1[-7:-3, -3:] = 5
        new_zeros1[-3:, 0:-7] = 6
        new_zeros1[-3:, -7:-3] = 7
        new_zeros1[-3:, -3:] = 8
        x = torch.reshape(new_zeros1, (calculate1, 7, calculate2, 7))
        permute4 = torch.permute(x, (0, 2, 1, 3))
        num_windows = (pad_H // 7) * (pad_W // 7)
        attn_mask = torch.reshape(permute4, (num_windows, 49))
        unsqueeze1 = torch.unsqueeze(attn_mask, 1)
        x = torch.unsqueeze(attn_mask, 2)
        attn_mask2 = unsqueeze1 - x
        x = torch.ne(attn_mask2, 0)
        masked_fill1 = attn_mask2.masked_fill(x, -100.0)
        x = torch.eq(attn_mask2, 0)
        attn_mask3 = masked_fill1.masked_fill(x, 0.0)
        attn2 = torch.reshape(attn, (-1, num_windows, self.num_heads, size1, size1))
        x = torch.unsqueeze(attn_mask3, 1)
        x = torch.unsqueeze(x, 0)
        x = attn2 + x
        x = torch.reshape(x, (-1, self.num_heads, size1, size1))
        x = self.softmax1(x)
        x = torch.matmul(x, v)
        x = torch.transpose(x, 1, 2)
        x = torch.reshape(x, (-1, size1, C))
        x = self.proj(x)
        x = torch.reshape(x, (-1, calculate1, calculate2, 7, 7, C))
        x = torch.permute(x, (0, 1, 3, 2, 4, 5))
        x = torch.reshape(x, (-1, pad_H, pad_W, C))
        x = torch.roll(x, (3, 3), dims=(1, 2))
        x = x[:, :H, :W, :]
        return x


class PatchMerging(nn.Module):
    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(in_features)
        self.reduction = nn.Linear(in_features, out_features, bias=False)

    def forward(self, input: Tensor) -> Tensor:
        pad1 = F.pad(input, (0, 0, 0, input.size(2) % 2, 0, input.size(1) % 2))
        x0 = pad1[..., 0::2, 0::2, :]
        x1 = pad1[..., 1::2, 0::2, :]
        x2 = pad1[..., 0::2, 1::2, :]
        x = pad1[..., 1::2, 1::2, :]
        x = torch.cat([x0, x1, x2, x], dim=-1)
        x = self.norm(x)
        x = self.reduction(x)
        return x


class SwinTransformerBlock(nn.Module):
    def __init__(self, features: int, num_heads: int, p: float) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(features)
        self.attn = ShiftedWindowAttention(num_heads, features)
        self.stochastic_depth = nn.Dropout3d(p)
        self.norm2 = nn.LayerNorm(features)
        self.mlp = MLP(features)

    def forward(self, input: Tensor) -> Tensor:
        x = self.norm1(input)
        x = self.attn(x)
        x = self.stochastic_depth(x.unsqueeze(0)).squeeze(0)
        join1 = input + x
        x = self.norm2(join1)
        x = self.mlp(x)
        x = self.stochastic_depth(x.unsqueeze(0)).squeeze(0)
        x = join1 + x
        return x


class SwinTransformerBlock2(nn.Module):
    def __init__(self, features: int, num_heads: int, p: float) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(features)
        self.attn = ShiftedWindowAttentionRoll(num_heads, features)
        self.stochastic_depth = nn.Dropout3d(p)
        self.norm2 = nn.LayerNorm(features)
        self.mlp = MLP(features)

    def forward(self, input: Tensor) -> Tensor:
        x = self.norm1(input)
        x = self.attn(x)
        x = self.stochastic_depth(x.unsqueeze(0)).squeeze(0)
        join1 = input + x
        x = self.norm2(join1)
        x = self.mlp(x)
        x = self.stochastic_depth(x.unsqueeze(0)).squeeze(0)
        x = join1 + x
        return x


class SwinT(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Sequential(
                nn.Conv2d(3, 96, kernel_size=4, stride=4),
                Permute(dims=(0, 2, 3, 1)),
                nn.LayerNorm(96),
            ),
            nn.Sequential(
                SwinTransformerBlock(96, 3, p=0.0),
                SwinTransformerBlock2(96, 3, p=0.018181818181818184),
            ),
            PatchMerging(384, 192),
            nn.Sequential(
                SwinTransformerBlock(192, 6, p=0.03636363636363637),
                SwinTransformerBlock2(192, 6, p=0.05454545454545456),
            ),
            PatchMerging(768, 384),
            nn.Sequential(
                SwinTransformerBlock(384, 12, p=0.07272727272727274),
                SwinTransformerBlock2(384, 12, p=0.09090909090909091),
                SwinTransformerBlock(384, 12, p=0.10909090909090911),
                SwinTransformerBlock2(384, 12, p=0.1272727272727273),
                SwinTransformerBlock(384, 12, p=0.14545454545454548),
                SwinTransformerBlock2(384, 12, p=0.16363636363636364),
            ),
            PatchMerging(1536, 768),
            nn.Sequential(
                SwinTransformerBlock(768, 24, p=0.18181818181818182),
                SwinTransformerBlock(768, 24, p=0.2),
            ),
        )
        self.norm = nn.LayerNorm(768)
        self.permute = Permute(dims=(0, 3, 1, 2))
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.flatten = nn.Flatten()
        self.head = nn.Linear(768, 1000)

    def forward(self, image: Tensor) -> Tensor:
        if image.size(2) != 224 or image.size(3) != 224:
            raise ValueError(
                "image needs to be (N, any, 224, 224), the size it was drawn for"
            )
        x = self.features(image)  # (N, 7, 7, 768)
        x = self.norm(x)
        x = self.permute(x)  # (N, 768, 7, 7)
        x = self.avgpool(x)  # (N, 768, 1, 1)
        x = self.flatten(x)  # (N, 768)
        x = self.head(x)  # (N, 1000)
        return x
