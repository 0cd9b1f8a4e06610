"""Small models written in plain torch as the usual libraries write theirs, each with its habits."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class ScaledStdConv2d(nn.Conv2d):
    """A convolution whose filters are standardised by batch_norm, as in NFNet."""

    def __init__(self, a: int, b: int, k: int, gamma: float = 1.7) -> None:
        super().__init__(a, b, k, padding=k // 2)
        self.gain = nn.Parameter(torch.full((b, 1, 1, 1), 0.9))
        self.scale = gamma * self.weight[0].numel() ** -0.5

    def forward(self, input: Tensor) -> Tensor:
        weight = F.batch_norm(
            self.weight.reshape(1, self.out_channels, -1), None, None,
            weight=(self.gain * self.scale).view(-1), training=True, momentum=0.0, eps=1e-6,
        ).reshape_as(self.weight)  # fmt: skip
        return F.conv2d(input, weight, self.bias, self.stride, self.padding, self.dilation)


class NormFree(nn.Module):
    """NFNet: standardised filters, a skip gain, squeeze and excite without batch norm."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = ScaledStdConv2d(3, 8, 3), ScaledStdConv2d(8, 8, 3)
        self.se = nn.Conv2d(8, 8, 1)
        self.skipinit_gain = nn.Parameter(torch.tensor(0.3))

    def forward(self, x: Tensor) -> Tensor:
        x = F.silu(self.conv1(x)).mul_(1.7881)
        out = self.conv2(x)
        out = 2.0 * self.se(out.mean((2, 3), keepdim=True)).sigmoid() * out
        return out.mul(self.skipinit_gain) * 0.2 + x


class LevitAttention(nn.Module):
    """LeViT: heads with a learned bias for every offset, read from a table by number."""

    attention_bias_idxs: Tensor

    def __init__(self, dim: int = 12, heads: int = 3, side: int = 4) -> None:
        super().__init__()
        self.heads, self.key = heads, dim // heads
        self.qkv, self.bn = nn.Linear(dim, dim * 3, bias=False), nn.BatchNorm1d(dim * 3)
        self.proj = nn.Sequential(nn.Hardswish(), nn.Linear(dim, dim))
        self.attention_biases = nn.Parameter(torch.randn(heads, side * side))
        points = torch.stack(torch.meshgrid(torch.arange(side), torch.arange(side), indexing="ij"))
        offsets = (points.flatten(1)[..., :, None] - points.flatten(1)[..., None, :]).abs()
        self.register_buffer(
            "attention_bias_idxs", offsets[0] * side + offsets[1], persistent=False
        )

    def forward(self, x: Tensor) -> Tensor:
        x = x.flatten(2).transpose(1, 2)
        b, n, _ = x.shape
        x = self.qkv(x)
        x = self.bn(x.flatten(0, 1)).reshape_as(x)
        q, k, v = x.view(b, n, self.heads, -1).split([self.key] * 3, dim=3)
        q, k, v = q.permute(0, 2, 1, 3), k.permute(0, 2, 3, 1), v.permute(0, 2, 1, 3)
        attn = q @ k * self.key**-0.5 + self.attention_biases[:, self.attention_bias_idxs]
        x = (attn.softmax(dim=-1) @ v).transpose(1, 2).reshape(b, n, -1)
        return self.proj(x)


class LayerNorm2d(nn.Module):
    """Normalises channels first, by hand, as in ConvNeXt and SAM."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.weight, self.bias = (
            nn.Parameter(torch.rand(channels)),
            nn.Parameter(torch.rand(channels)),
        )

    def forward(self, x: Tensor) -> Tensor:
        s, u = torch.var_mean(x, dim=1, unbiased=False, keepdim=True)
        x = (x - u) * torch.rsqrt(s + 1e-6)
        return x * self.weight[:, None, None] + self.bias[:, None, None]


class ConvNeXtBlock(nn.Module):
    """Depthwise convolution, norm, two linear layers with GRN, layer scale."""

    def __init__(self) -> None:
        super().__init__()
        self.stem, self.norm = nn.Conv2d(3, 8, 4, stride=4), LayerNorm2d(8)
        self.dw = nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.fc1, self.fc2 = nn.Linear(8, 32), nn.Linear(32, 8)
        self.weight, self.bias = nn.Parameter(torch.rand(32)), nn.Parameter(torch.rand(32))
        self.gamma = nn.Parameter(torch.full((8,), 0.1))

    def forward(self, x: Tensor) -> Tensor:
        x = self.norm(self.stem(x))
        y = F.layer_norm(self.dw(x).permute(0, 2, 3, 1), (8,))
        y = F.gelu(self.fc1(y))
        g = y.norm(p=2, dim=(1, 2), keepdim=True)
        y = y + torch.addcmul(
            self.bias.view(1, 1, 1, -1), self.weight, y * (g / (g.mean(-1, True) + 1e-6))
        )
        return x + self.fc2(y).mul(self.gamma).permute(0, 3, 1, 2)


class ResMlp(nn.Module):
    """ResMLP: an affine map instead of a norm, and a mix over tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 8, 4, stride=4)
        self.alpha, self.beta = (
            nn.Parameter(torch.ones(1, 1, 8)),
            nn.Parameter(torch.zeros(1, 1, 8)),
        )
        self.tokens, self.ls = nn.Linear(16, 16), nn.Parameter(torch.full((8,), 1e-2))
        self.head = nn.Linear(8, 5)

    def forward(self, x: Tensor) -> Tensor:
        x = self.patches(x).flatten(2).transpose(1, 2)
        y = torch.addcmul(self.beta, self.alpha, x)
        x = x + self.ls * self.tokens(y.transpose(1, 2)).transpose(1, 2)
        return self.head(x.mean(dim=1))


class PoolFormerBlock(nn.Module):
    """PoolFormer: the mixer is average pooling, the norm one group over all channels."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 7, 4, 2)
        self.weight, self.bias = nn.Parameter(torch.rand(6)), nn.Parameter(torch.rand(6))
        self.scale = nn.Parameter(torch.rand(6))

    def forward(self, x: Tensor) -> Tensor:
        x = self.conv(x)
        y = F.group_norm(x, 1, self.weight, self.bias)
        y = F.avg_pool2d(y, 3, stride=1, padding=1, count_include_pad=False) - y
        return x + self.scale.view(-1, 1, 1) * y


class Beit(nn.Module):
    """BEiT: a class token, relative positions in a table, query and value bias but none of key."""

    relative_position_index: Tensor
    k_bias: Tensor

    def __init__(self, dim: int = 8, heads: int = 2, side: int = 4) -> None:
        super().__init__()
        n, self.heads = side * side + 1, heads
        self.embed = nn.Conv2d(3, dim, 4, stride=4)
        self.cls_token = nn.Parameter(torch.rand(1, 1, dim))
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.q_bias, self.v_bias = nn.Parameter(torch.rand(dim)), nn.Parameter(torch.rand(dim))
        self.register_buffer("k_bias", torch.zeros(dim), persistent=False)
        self.relative_position_bias_table = nn.Parameter(torch.randn(2 * n, heads))
        index = (torch.arange(n)[:, None] - torch.arange(n)[None]).abs()
        self.register_buffer("relative_position_index", index)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x: Tensor) -> Tensor:
        x = self.embed(x).flatten(2).transpose(1, 2)
        x = torch.cat((self.cls_token.expand(x.shape[0], -1, -1), x), dim=1)
        b, n, c = x.shape
        bias = torch.cat((self.q_bias, self.k_bias, self.v_bias))
        qkv = F.linear(self.norm(x), self.qkv.weight, bias)
        q, k, v = qkv.reshape(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        table = self.relative_position_bias_table[self.relative_position_index.view(-1)]
        table = table.view(n, n, -1).permute(2, 0, 1).contiguous()
        x = F.scaled_dot_product_attention(q, k, v, attn_mask=table.unsqueeze(0))
        return x.transpose(1, 2).reshape(b, n, c)[:, 1:].mean(dim=1)


class MobileVit(nn.Module):
    """MobileViT: an image unfolded into patches, attention over them, and folded back."""

    def __init__(self, dim: int = 8) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, dim, 3, stride=2, padding=1)
        self.attn = nn.MultiheadAttention(dim, 2, batch_first=True)
        self.fuse = nn.Conv2d(2 * dim, dim, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        x = F.hardswish(self.conv(x))
        b, c, h, w = x.shape
        y = x.reshape(b * c * (h // 2), 2, w // 2, 2).transpose(1, 2)
        y = y.reshape(b, c, (h // 2) * (w // 2), 4).transpose(1, 3).reshape(b * 4, -1, c)
        y = y + self.attn(y, y, y, need_weights=False)[0]
        y = y.contiguous().view(b, 4, -1, c).transpose(1, 3).reshape(b * c * (h // 2), w // 2, 2, 2)
        y = y.transpose(1, 2).reshape(b, c, h, w)
        return self.fuse(torch.cat((x, y), dim=1))


class CrossCovariance(nn.Module):
    """XCiT: attention between channels, with unit vectors and a learned temperature."""

    def __init__(self, dim: int = 12, heads: int = 3) -> None:
        super().__init__()
        self.heads, self.patch = heads, nn.Conv2d(3, dim, 4, stride=4)
        self.temperature = nn.Parameter(torch.full((heads, 1, 1), 1.3))
        self.qkv, self.proj = nn.Linear(dim, dim * 3), nn.Linear(dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        x = self.patch(x).flatten(2).mT
        b, n, c = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.heads, -1).permute(2, 0, 3, 4, 1).unbind(0)
        attn = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1) * self.temperature
        x = (F.softmax(attn, dim=-1, dtype=torch.float32) @ v).permute(0, 3, 1, 2).reshape(b, n, c)
        return torch.clip(self.proj(x), min=-3.0, max=3.0)


class Rotary(nn.Module):
    """A decoder's attention: tied table, RMS norm by hand, rotary positions, grouped heads."""

    inv_freq: Tensor

    def __init__(self, vocabulary: int = 11, dim: int = 16, heads: int = 4) -> None:
        super().__init__()
        self.heads, self.embed = heads, nn.Embedding(vocabulary, dim)
        self.q, self.kv = nn.Linear(dim, dim, bias=False), nn.Linear(dim, dim, bias=False)
        self.weight = nn.Parameter(torch.ones(dim))
        inv = 1.0 / (10000.0 ** (torch.arange(0, dim // heads, 2).float() / (dim // heads)))
        self.register_buffer("inv_freq", inv, persistent=False)

    def turned(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        a, b = x.chunk(2, dim=-1)
        return x * cos + torch.cat((-b, a), dim=-1) * sin

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embed(tokens)
        b, t, c = x.shape
        h = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight
        q = self.q(h).view(b, t, self.heads, -1).transpose(1, 2)
        k, v = self.kv(h).view(b, t, self.heads, -1).transpose(1, 2).tensor_split(2, dim=1)
        freqs = torch.outer(torch.arange(t, device=x.device).float(), self.inv_freq)
        angles = torch.hstack((freqs, freqs))
        q, k = (self.turned(part, angles.cos(), angles.sin()) for part in (q, k))
        k, v = (part.repeat_interleave(2, dim=1) for part in (k, v))
        future = torch.triu(torch.full((t, t), float("-inf"), device=x.device), diagonal=1)
        scores = torch.matmul(q, k.mT) / self.heads**0.5 + future
        x = x + (F.softmax(scores.float(), dim=-1).type_as(q) @ v).transpose(1, 2).reshape(b, t, c)
        return F.linear(x, self.embed.weight)


class GraphNet(nn.Module):
    """Messages along edges, summed at their ends: a graph convolution in ten lines."""

    edges: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(6, 4)
        self.register_buffer("edges", torch.tensor([[0, 1, 2, 3, 4], [1, 2, 3, 4, 0]]))

    def forward(self, x: Tensor) -> Tensor:
        messages = torch.index_select(self.fc(x), 1, self.edges[0])
        start = torch.zeros(x.size(0), x.size(1), 4, device=x.device)
        return torch.relu(start.index_add(1, self.edges[1], messages))
