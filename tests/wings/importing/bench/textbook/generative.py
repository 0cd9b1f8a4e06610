"""Autoencoders, adversarial networks, and habits of homework: weights that are computed, masks,
losses inside, results of many kinds."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils import parametrizations, prune

from tests.wings.importing.bench.textbook.pages import page


@page("PyTorch examples", (1, 28, 28))
class VAE(nn.Module):
    """The example vae: reparametrisation with randn_like."""

    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(784, 40)
        self.fc21, self.fc22 = nn.Linear(40, 5), nn.Linear(40, 5)
        self.fc3, self.fc4 = nn.Linear(5, 40), nn.Linear(40, 784)

    def encode(self, x: Tensor) -> tuple[Tensor, Tensor]:
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu: Tensor, logvar: Tensor) -> Tensor:
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std

    def decode(self, z: Tensor) -> Tensor:
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mu, logvar = self.encode(x.view(-1, 784))
        return self.decode(self.reparameterize(mu, logvar)), mu, logvar


@page("PyTorch examples", (16, 1, 1))
class Generator(nn.Module):
    """The example dcgan: a generator in self.main, with a branch for several devices."""

    def __init__(self, ngpu: int = 1) -> None:
        super().__init__()
        self.ngpu = ngpu
        self.main = nn.Sequential(
            nn.ConvTranspose2d(16, 16, 4, 1, 0, bias=False), nn.BatchNorm2d(16), nn.ReLU(True),
            nn.ConvTranspose2d(16, 8, 4, 2, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU(True),
            nn.ConvTranspose2d(8, 3, 4, 2, 1, bias=False), nn.Tanh(),
        )  # fmt: skip

    def forward(self, input: Tensor) -> Any:
        if input.is_cuda and self.ngpu > 1:
            return nn.parallel.data_parallel(self.main, input, range(self.ngpu))
        return self.main(input)


@page("PyTorch examples", (3, 16, 16))
class Discriminator(nn.Module):
    """The example dcgan: a discriminator, view(-1, 1).squeeze(1)."""

    def __init__(self) -> None:
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(3, 8, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(8, 16, 4, 2, 1, bias=False), nn.BatchNorm2d(16),
            nn.LeakyReLU(0.2, inplace=True), nn.Conv2d(16, 1, 4, 1, 0, bias=False), nn.Sigmoid(),
        )  # fmt: skip

    def forward(self, input: Tensor) -> Tensor:
        return self.main(input).view(-1, 1).squeeze(1)


@page("homework", (6,))
def autoencoder() -> nn.Module:
    """An encoder and a decoder, each a Sequential, in a Sequential by name."""
    net = nn.Sequential()
    net.add_module("encoder", nn.Sequential(nn.Linear(6, 4), nn.Tanh(), nn.Linear(4, 2)))
    net.add_module("decoder", nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 6)))
    return net


@page("homework", (8,), (), dtypes=("float32", "int64"))
class ConditionalGenerator(nn.Module):
    """A label, embedded, joined to the noise; blocks made by a function inside __init__."""

    def __init__(self) -> None:
        super().__init__()
        self.label_emb = nn.Embedding(10, 4)

        def block(a: int, b: int, normalize: bool = True) -> list[nn.Module]:
            layers: list[nn.Module] = [nn.Linear(a, b)]
            if normalize:
                layers.append(nn.BatchNorm1d(b, 0.8))
            layers.append(nn.LeakyReLU(0.2, inplace=True))
            return layers

        self.model = nn.Sequential(
            *block(12, 16, normalize=False), *block(16, 32), nn.Linear(32, 64), nn.Tanh()
        )

    def forward(self, noise: Tensor, labels: Tensor) -> Tensor:
        gen_input = torch.cat((self.label_emb(labels), noise), -1)
        img = self.model(gen_input)
        return img.view(img.size(0), *(1, 8, 8))


@page("PyTorch examples", (3, 16, 16))
class Transfer(nn.Module):
    """The example fast_neural_style: reflection pads, instance norms, upsampling by interpolate."""

    class ConvLayer(nn.Module):
        def __init__(self, a: int, b: int, kernel_size: int, stride: int) -> None:
            super().__init__()
            self.reflection_pad = nn.ReflectionPad2d(kernel_size // 2)
            self.conv2d = nn.Conv2d(a, b, kernel_size, stride)

        def forward(self, x: Tensor) -> Tensor:
            return self.conv2d(self.reflection_pad(x))

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.in1 = self.ConvLayer(3, 4, 9, 1), nn.InstanceNorm2d(4, affine=True)
        self.conv2, self.in2 = self.ConvLayer(4, 8, 3, 2), nn.InstanceNorm2d(8, affine=True)
        self.deconv = self.ConvLayer(8, 3, 3, 1)
        self.upsample = 2
        self.relu = nn.ReLU()

    def forward(self, X: Tensor) -> Tensor:
        y = self.relu(self.in1(self.conv1(X)))
        y = self.relu(self.in2(self.conv2(y)))
        y = F.interpolate(y, mode="nearest", scale_factor=self.upsample)
        return self.deconv(y)


@page("homework", (6,))
class Diffusion(nn.Module):
    """Noise of a time step: sines of a number, shift and scale by chunk."""

    def __init__(self) -> None:
        super().__init__()
        self.time_mlp = nn.Sequential(nn.Linear(8, 12), nn.SiLU(), nn.Linear(12, 12))
        self.fc, self.out = nn.Linear(6, 6), nn.Linear(6, 6)

    def time(self, t: Tensor) -> Tensor:
        freqs = torch.exp(-torch.arange(4, device=t.device) * 2.3)
        args = t[:, None] * freqs[None]
        return torch.cat([args.sin(), args.cos()], dim=-1)

    def forward(self, x: Tensor) -> Tensor:
        scale, shift = self.time_mlp(self.time(x[:, 0])).chunk(2, dim=1)
        return self.out(F.silu(self.fc(x) * (1 + scale) + shift))


@page("homework", (4,))
class WeightNormed(nn.Module):
    """weight_norm of torch.nn.utils.parametrizations around layers."""

    def __init__(self) -> None:
        super().__init__()
        self.fc1 = parametrizations.weight_norm(nn.Linear(4, 8))
        self.fc2 = nn.Linear(8, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(torch.relu(self.fc1(x)))


@page("homework", (3, 8, 8), step="older torch.nn.utils.spectral_norm")
def spectral_discriminator() -> nn.Module:
    """The older spectral_norm around convolutions in a Sequential."""
    return nn.Sequential(
        nn.utils.spectral_norm(nn.Conv2d(3, 4, 3, 2)), nn.LeakyReLU(0.1),
        nn.utils.spectral_norm(nn.Conv2d(4, 1, 3)), nn.Flatten(),
    )  # fmt: skip


@page("PyTorch tutorials", (4,))
class Pruned(nn.Module):
    """Layers pruned by torch.nn.utils.prune, not made permanent."""

    def __init__(self) -> None:
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(4, 8), nn.Linear(8, 2)
        prune.l1_unstructured(self.fc1, name="weight", amount=0.5)
        prune.random_unstructured(self.fc2, name="bias", amount=1)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(F.elu(self.fc1(x)))


@page("homework", (3, 16, 16))
class MultiTask(nn.Module):
    """A frozen backbone, heads in a ModuleDict, a dict of results by a comprehension."""

    def __init__(self) -> None:
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
        for param in self.backbone.parameters():
            param.requires_grad = False
        self.heads = nn.ModuleDict({"age": nn.Linear(8, 1), "kind-of": nn.Linear(8, 4)})

    def forward(self, x: Tensor) -> dict[str, Tensor]:
        features = self.backbone(x).flatten(1)
        return {name: head(features) for name, head in self.heads.items()}


@page("homework", (6,))
class SkipGates(nn.Module):
    """A softmax over weights of one's own mixes three branches."""

    def __init__(self) -> None:
        super().__init__()
        self.branches = nn.ModuleList([nn.Linear(6, 6), nn.Identity(), nn.Linear(6, 6, bias=False)])
        self.alpha = nn.Parameter(torch.zeros(3))

    def forward(self, x: Tensor) -> Tensor:
        weights = F.softmax(self.alpha, dim=0)
        mixed = sum(w * b(x) for w, b in zip(weights, self.branches, strict=True))
        return x + mixed


@page("homework", (8,), refused="Python reads the bool of a tensor")
class EarlyExit(nn.Module):
    """Leaves early where the first head is sure: a decision on values."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(8, 4), nn.Linear(8, 4)

    def forward(self, x: Tensor) -> Tensor:
        out = self.first(x).softmax(-1)
        if out.max() > 0.9:
            return out
        return self.second(x).softmax(-1)


@page("homework", (3, 16, 16), step="aux: used in training only")
class WithAuxiliary(nn.Module):
    """A second classifier in training only, and a layer that nothing calls."""

    def __init__(self) -> None:
        super().__init__()
        self.stem, self.body = nn.Conv2d(3, 4, 3), nn.Conv2d(4, 4, 3)
        self.fc, self.aux = nn.Linear(4, 5), nn.Linear(4, 5)
        self.unused = nn.Linear(7, 7)

    def forward(self, x: Tensor) -> Any:
        x = F.relu(self.stem(x))
        aux = self.aux(x.mean((2, 3))) if self.training else None
        out = self.fc(F.relu(self.body(x)).mean((2, 3)))
        return (out, aux) if self.training else out


@page("homework", (5,))
class Functional(nn.Module):
    """Two matrices of weights, F.dropout with self.training, F.normalize and numpy's words."""

    def __init__(self) -> None:
        super().__init__()
        self.w1 = nn.Parameter(torch.randn(8, 5) * 0.1)
        self.w2 = nn.Parameter(torch.randn(3, 8) * 0.1)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.concatenate([x, x.clip(0, 1)], axis=1)[:, :5]  # pyright: ignore
        x = F.dropout(F.relu(F.linear(x, self.w1)), 0.3, self.training)
        x = F.normalize(x, p=2, dim=1)
        return x @ self.w2.T
