"""Small modules that do otherwise in training, as people write them; each can be drawn whole."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Drops(nn.Module):
    """Dropout by its function: with the mode, with a share of the mode, never, and in an if."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two, self.head = nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 2)

    def forward(self, x: Tensor) -> Tensor:
        x = F.dropout(self.one(x), 0.25, self.training)
        x = F.dropout(self.two(x), p=0.3 if self.training else 0.0)
        x = F.dropout(x, 0.9, training=False)
        if self.training:
            x = torch.dropout(x, 0.2, True)
        return self.head(x)


class Attends(nn.Module):
    """Attention whose dropout is a share of the mode."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.p = nn.Linear(8, 24), 0.4

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x.reshape(-1, 3, 8)).chunk(3, dim=-1)
        p = self.p if self.training else 0
        return F.scaled_dot_product_attention(q, k, v, dropout_p=p).mean(1)


class NormAct(nn.BatchNorm1d):
    """A batch norm with its activation, as timm has it."""

    def __init__(self, features: int) -> None:
        super().__init__(features, eps=1e-3, momentum=0.2)
        self.drop, self.act = nn.Identity(), nn.ReLU(inplace=True)

    def forward(self, input: Tensor) -> Tensor:
        if self.training:
            assert self.num_batches_tracked is not None
            self.num_batches_tracked.add_(1)
        x = F.batch_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias,
            self.training, self.momentum or 0.0, self.eps,
        )  # fmt: skip
        return self.act(self.drop(x))


class Shifted(nn.BatchNorm1d):
    """A batch norm that calls the one it is of."""

    def forward(self, input: Tensor) -> Tensor:
        return super().forward(input) + 1


class Norms(nn.Module):
    """Own batch norms, one after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Linear(6, 5), NormAct(5), nn.Linear(5, 4))
        self.norm, self.head = Shifted(4), nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.norm(self.stem(x)))


class OwnNorm(nn.Module):
    """A batch norm by the function, with weights of its own."""

    mean: Tensor
    var: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.fc, self.scale = nn.Linear(6, 6), nn.Parameter(torch.ones(6))
        self.register_buffer("mean", torch.zeros(6))
        self.register_buffer("var", torch.ones(6))

    def forward(self, x: Tensor) -> Tensor:
        return F.batch_norm(self.fc(x), self.mean, self.var, self.scale, training=self.training)


class DropPath(nn.Module):
    """Whole samples are dropped, as Swin and ConvNeXt write it."""

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        if self.p == 0.0 or not self.training:
            return x
        keep = 1 - self.p
        random = keep + torch.rand((x.shape[0],) + (1,) * (x.ndim - 1), dtype=x.dtype)
        random.floor_()
        return x.div(keep) * random


class Residual(nn.Module):
    """Layers beside their input, dropped with rising shares."""

    def __init__(self) -> None:
        super().__init__()
        self.fcs = nn.ModuleList(nn.Linear(6, 6) for _ in range(3))
        self.drops = nn.ModuleList(DropPath(p) for p in (0.0, 0.2, 0.4))

    def forward(self, x: Tensor) -> Tensor:
        for fc, drop in zip(self.fcs, self.drops, strict=True):
            x = x + drop(fc(x))
        return x


class Noisy(nn.Module):
    """Noise in training, a fixed factor elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.fc, self.scale = nn.Linear(6, 6), nn.Parameter(torch.ones(6))

    def forward(self, x: Tensor) -> Tensor:
        x = self.fc(x)
        if self.training:
            return x + self.scale * torch.randn_like(x)
        return x * 0.5


class Chooses(nn.Module):
    """Goes on with another of two values in training."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.other = nn.Linear(6, 6), nn.Linear(6, 6)

    def forward(self, x: Tensor) -> Tensor:
        a, b = self.one(x), self.other(x)
        return torch.relu(a if self.training else b)


class Tuned(nn.Module):
    """A backbone that is not trained, of two equal stages, below a head that is."""

    def __init__(self) -> None:
        super().__init__()
        self.stages = nn.ModuleList(Stage() for _ in range(3))
        self.norm, self.head = nn.LayerNorm(6), nn.Linear(6, 2)
        for part in (self.stages[0], self.stages[1]):
            part.requires_grad_(False)
        self.head.bias.requires_grad_(False)

    def forward(self, x: Tensor) -> Tensor:
        for stage in self.stages:
            x = stage(x)
        return self.head(self.norm(x))


class Stage(nn.Module):
    """Two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.fc, self.proj = nn.Linear(6, 12), nn.Linear(12, 6)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.proj(torch.relu(self.fc(x)))


class Still(nn.Module):
    """A frozen norm that is left in evaluation mode, as detection backbones have it."""

    def __init__(self) -> None:
        super().__init__()
        self.fc, self.norm, self.head = nn.Linear(6, 6), nn.BatchNorm1d(6), nn.Linear(6, 2)
        self.norm.requires_grad_(False)

    def train(self, mode: bool = True) -> "Still":
        super().train(mode)
        self.norm.eval()
        return self

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.norm(self.fc(x)))
