"""Habits of published code that once imported wrongly, or not at all, each in a small module."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class SwinV2(nn.Module):
    """Swin V2's attention: a bias without its middle third, a scale that others read, too."""

    class Attention(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.qkv, self.scale = nn.Linear(8, 24), nn.Parameter(torch.ones(1))

        def forward(self, x: Tensor) -> Tensor:
            qkv_bias = self.qkv.bias.clone()
            length = qkv_bias.numel() // 3
            qkv_bias[length : 2 * length].zero_()
            return F.linear(x, self.qkv.weight, qkv_bias) * self.scale

    def __init__(self) -> None:
        super().__init__()
        self.attention, self.proj = self.Attention(), nn.Linear(24, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.proj(self.attention(x)) + self.attention.scale


class DropPath(nn.Module):
    """As in timm: whole samples are dropped in training, nothing happens elsewhere."""

    def __init__(self, drop_prob: float) -> None:
        super().__init__()
        self.drop_prob = drop_prob

    def forward(self, x: Tensor) -> Tensor:
        if self.drop_prob == 0.0 or not self.training:
            return x
        keep = 1 - self.drop_prob
        kept = x.new_empty((x.shape[0],) + (1,) * (x.ndim - 1)).bernoulli_(keep)
        return x * kept.div_(keep)


class DropsPaths(nn.Module):
    """Two residual branches with layer scale, dropped more often the deeper they are."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(6, 6), nn.Linear(6, 6)])
        self.gamma = nn.Parameter(torch.full((6,), 0.1))
        self.paths = nn.ModuleList([DropPath(0.3), DropPath(0.5)])

    def forward(self, x: Tensor) -> Tensor:
        for layer, path in zip(self.layers, self.paths, strict=True):
            x = x + path(layer(x) * self.gamma)
        return x


class DropsOnce(nn.Module):
    """What goes into a dropout is used beside it, which in eval mode is the same tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.fc, self.drop = nn.Linear(6, 6), nn.Dropout(0.5)

    def forward(self, x: Tensor) -> Tensor:
        y = self.fc(x)
        return y + 2 * self.drop(y) + 3 * F.dropout(y, 0.3, self.training)


class TiedWords(nn.Module):
    """A language model whose last layer is its table of words."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.rnn = nn.Embedding(12, 6), nn.GRU(6, 6, batch_first=True)
        self.head = nn.Linear(6, 12)
        self.head.weight = self.words.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.rnn(self.words(x))[0])


class TiedAutoencoder(nn.Module):
    """A decoder that is the encoder's matrix turned over."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.bias = nn.Linear(6, 3), nn.Parameter(torch.zeros(6))

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(torch.sigmoid(self.encoder(x)), self.encoder.weight.t(), self.bias)


class Windows(nn.Module):
    """Swin's windows: how many samples there are is calculated with fractions."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        b, c, h, w = x.shape
        x = x.permute(0, 2, 3, 1).reshape(b, h // 4, 4, w // 4, 4, c)
        windows = self.fc(x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, 4, 4, c))
        n = int(windows.shape[0] / (h * w / 4 / 4))
        x = windows.view(n, h // 4, w // 4, 4, 4, -1).permute(0, 1, 3, 2, 4, 5)
        return x.contiguous().view(n, h, w, -1)[:, : int(h * 0.5)]


class CountsSizes(nn.Module):
    """Counts values by their sizes."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = self.conv(x)
        return x.reshape(x.shape[0], x.shape[1:].numel()) * x.shape.numel()


class CopiesParts(nn.Module):
    """Parts by number are copies: a change of one leaves what it was taken from as it is."""

    index: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(6, 6)
        self.register_buffer("index", torch.tensor([0, 2]))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        x = self.fc(x)
        part = x[:, self.index]
        part.mul_(3)
        return x * 1, part


class SetsParts(nn.Module):
    """Changes what numbers, masks and slices name, to numbers and to tensors."""

    index: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)
        self.register_buffer("index", torch.tensor([2, 0]))

    def forward(self, x: Tensor) -> Tensor:
        y = self.conv(x).clone()
        y[:, self.index] = 0.0
        y[:, self.index, :, 0] = x[:, :2, :, 1]
        y[y > 0.5] = 2.0
        high = x[:, 0] > 0.5
        y[:, 1][high] = y[:, 2][high] * 3
        return y


class Experts(nn.Module):
    """A sparse mixture: every expert sees the samples that were sent to it."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(6, 3)
        self.experts = nn.ModuleList([nn.Linear(6, 6) for _ in range(3)])

    def forward(self, x: Tensor) -> Tensor:
        weights, chosen = torch.topk(self.gate(x).softmax(-1), 2)
        result = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            sample, place = torch.where(chosen == number)
            result[sample] += weights[sample, place, None] * expert(x[sample])
        return result


class Numbers(nn.Module):
    """Parameters and buffers that are one number each."""

    steps: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.gain, self.shift = nn.Parameter(torch.tensor(0.3)), nn.Parameter(torch.tensor(0.0))
        self.register_buffer("steps", torch.tensor(3))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.gain / self.steps + self.shift


class Annotated(nn.Module):
    """The annotated transformer's positions: a part of a buffer that must not be trained."""

    pe: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(6, 6)
        self.register_buffer("pe", torch.rand(1, 9, 6))

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(x + self.pe[:, : x.size(1)].requires_grad_(False))


class Loops(nn.Module):
    """A cell in a loop over time."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.GRUCell(6, 6)

    def forward(self, x: Tensor) -> Tensor:
        h = x.new_zeros(x.size(0), 6)
        for t in range(x.size(1)):
            h = self.cell(x[:, t], h)
        return h


class ChangesAView(nn.Module):
    """Adds to a view and goes on with what it is a view of."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(6, 6)

    def forward(self, x: Tensor) -> Tensor:
        x = self.fc(x)
        x.transpose(1, 2).add_(1)
        return torch.relu(x)


class KeepsCount(nn.Module):
    """Adds to a buffer of its own whenever it is called."""

    total: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(6, 6)
        self.register_buffer("total", torch.zeros(6))

    def forward(self, x: Tensor) -> Tensor:
        x = self.fc(x)
        self.total.add_(x.detach().mean(0))
        return x - self.total
