"""Model files as the analysis writes them, for tests that need no analysis."""

from dataclasses import dataclass

from core.data import describe
from core.data.facts.info import DataInfo
from core.project import Project

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Written:
    """What a script needs of a report."""

    source: str | None
    class_name: str


@dataclass(frozen=True)
class Case:
    """A project with its model file: what the script and the notebook are written from."""

    project: Project
    report: Written
    info: DataInfo
    ends: tuple[Shape, Shape]


MLP = '''\
"""Mlp: (N, {inputs}) -> (N, {outputs}). Written by Layerloom."""

from torch import Tensor, nn


class Mlp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear({inputs}, 32)
        self.relu1 = nn.ReLU()
        self.fc2 = nn.Linear(32, {outputs})

    def forward(self, features: Tensor) -> Tensor:
        x = self.fc1(features)  # (N, 32)
        x = self.relu1(x)
        return self.fc2(x)  # (N, {outputs})
'''
CONV = '''\
"""LeNet: (N, 1, 28, 28) -> (N, 10). Written by Layerloom."""

import torch
from torch import Tensor, nn


class LeNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, kernel_size=5, padding=2)
        self.bn1 = nn.BatchNorm2d(6)
        self.relu = nn.ReLU()
        self.pool1 = nn.MaxPool2d(2)
        self.conv2 = nn.Conv2d(6, 16, kernel_size=5)
        self.pool2 = nn.MaxPool2d(2)
        self.drop1 = nn.Dropout(0.1)
        self.fc1 = nn.Linear(400, 64)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, image: Tensor) -> Tensor:
        x = self.conv1(image)  # (N, 6, 28, 28)
        x = self.bn1(x)
        x = self.relu(x)
        x = self.pool1(x)  # (N, 6, 14, 14)
        x = self.conv2(x)  # (N, 16, 10, 10)
        x = self.relu(x)
        x = self.pool2(x)  # (N, 16, 5, 5)
        x = torch.flatten(x, 1)  # (N, 400)
        x = self.drop1(x)
        x = self.fc1(x)  # (N, 64)
        x = self.relu(x)
        return self.fc2(x)  # (N, 10)
'''
DENOISER = '''\
"""Denoiser: (N, {channels}, 8, 8) -> (N, {results}, 8, 8). Written by Layerloom."""

from torch import Tensor, nn


class Denoiser(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d({channels}, 8, kernel_size=3, padding=1)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(8, {results}, kernel_size=3, padding=1)

    def forward(self, noisy: Tensor) -> Tensor:
        x = self.conv1(noisy)  # (N, 8, 8, 8)
        x = self.relu1(x)
        return self.conv2(x)  # (N, {results}, 8, 8)
'''


def case(
    model: str, data: dict, input_shape: Shape, output_shape: Shape, about: str = "", **training
) -> Case:
    """Put a model file on data."""
    name = {MLP: "Mlp", CONV: "LeNet", DENOISER: "Denoiser"}[model]
    sizes = {"inputs": input_shape[0], "outputs": (*output_shape, 1)[0]}
    sizes |= {"channels": input_shape[0], "results": (*output_shape, 1)[0]}
    project = Project(name=name, about=about, data=data, training={"epochs": 2, **training})
    info = describe(data, input_shape, output_shape)
    ends = (input_shape, output_shape)
    return Case(project, Written(model.format(**sizes), name), info, ends)


def lenet(**training) -> Case:
    """A small convolutional network on the digits."""
    data = {"source": "digits", "validation": 0.2}
    return case(CONV, data, (1, 28, 28), (10,), "A network of 1998.", **training)


DIGITS = {"source": "digits"}
TO_INPUT = {"source": "digits", "target": "input", "noise": 0.3}
MASK = {"source": "digits", "target": "mask", "noise": 0.4, "normalize": True}
STEP, CYCLE = {"name": "StepLR", "step_size": 1}, {"name": "OneCycleLR", "pct_start": 0.2}
PLATEAU = {"name": "ReduceLROnPlateau", "patience": 0}
CASES = {
    "lenet": lambda: lenet(),
    "cycle": lambda: lenet(scheduler=CYCLE, optimizer="SGD", clip_norm=1.0, threads=1),
    "limit": lambda: case(MLP, DIGITS | {"limit": 50}, (64,), (10,), batch_size=7, seed=3),
    "limit_of_all": lambda: case(MLP, DIGITS | {"limit": 1438}, (64,), (10,), batch_size=500),
    "drops_last": lambda: case(
        MLP, DIGITS | {"limit": 50}, (64,), (10,), batch_size=7, drop_last=True
    ),
    "in_order": lambda: case(MLP, {"source": "iris"}, (4,), (3,), sampler="sequential"),
    "drawn": lambda: lenet(sampler="balanced", drop_last=True, accumulate=4),
    "drawn_of_two": lambda: case(MLP, {"source": "breast_cancer"}, (30,), (1,), sampler="balanced"),
    "drawn_limited": lambda: case(
        MLP, {"source": "wine"}, (13,), (3,), sampler="balanced", drop_last=True, max_minutes=60
    ),
    "again": lambda: case(MLP, {"source": "iris", "target": "input"}, (4,), (4,)),
    "newest": lambda: case(MLP, {"source": "iris"}, (4,), (3,), lr=0.3, best_by="last"),
    "iris": lambda: case(MLP, {"source": "iris"}, (4,), (3,), scheduler=STEP),
    "blobs": lambda: case(MLP, {"source": "blobs", "made": {"classes": 4}}, (2,), (4,)),
    "moons": lambda: case(MLP, {"source": "moons", "made": {"samples": 200}}, (2,), (2,)),
    "spirals": lambda: case(MLP, {"source": "spirals", "limit": 100}, (2,), (2,)),
    "xor": lambda: case(MLP, {"source": "XOR"}, (2,), (1,)),
    "wine": lambda: case(MLP, {"source": "wine"}, (13,), (3,), optimizer="Muon", scheduler=STEP),
    "cancer": lambda: case(MLP, {"source": "breast_cancer"}, (30,), (1,), device="cpu"),
    "diabetes": lambda: case(MLP, {"source": "diabetes"}, (10,), (1,), scheduler=PLATEAU),
    "raw": lambda: case(
        MLP,
        {"source": "diabetes", "normalize": False, "limit": 60, "validation": 0.25},
        (10,),
        (1,),
        loss="HuberLoss",
        loss_settings={"delta": 2.0},
        optimizer="RMSprop",
        optimizer_settings={"momentum": 0.9, "centered": True},
    ),
    "denoise": lambda: case(
        DENOISER, TO_INPUT, (1, 8, 8), (1, 8, 8), scheduler="CosineAnnealingLR"
    ),
    "mask": lambda: case(
        DENOISER,
        MASK,
        (1, 8, 8),
        (1, 8, 8),
        loss="BCEWithLogitsLoss",
        loss_settings={"pos_weight": 3.0},
    ),
    "patience": lambda: case(MLP, {"source": "iris"}, (4,), (3,), lr=0.3, epochs=60, patience=3),
    "progress": lambda: case(
        MLP, {"source": "iris"}, (4,), (3,), lr=0.03, epochs=60, patience=3, min_delta=0.02
    ),
    "progress_of_loss": lambda: case(
        MLP, {"source": "diabetes"}, (10,), (1,), lr=0.03, epochs=60, patience=2, min_delta=0.05
    ),
    "progress_of_masks": lambda: case(
        DENOISER,
        MASK,
        (1, 8, 8),
        (2, 8, 8),
        best_by="val_accuracy",
        epochs=9,
        patience=1,
        min_delta=0.01,
    ),
    "timed": lambda: lenet(max_minutes=60, accumulate=2),
    "warm": lambda: lenet(warmup=1, scheduler="CosineAnnealingLR"),
    "warm_alone": lambda: case(MLP, {"source": "iris"}, (4,), (3,), warmup=1),
    "warm_muon": lambda: case(
        MLP, {"source": "wine"}, (13,), (3,), optimizer="Muon", scheduler=STEP, warmup=1
    ),
    "shares": lambda: lenet(accumulate=3, batch_size=300, clip_norm=1.0, scheduler=CYCLE),
    "average": lambda: lenet(ema_decay=0.95, accumulate=2, batch_size=200),
    "average_muon": lambda: case(
        MLP, {"source": "wine"}, (13,), (3,), optimizer="Muon", ema_decay=0.9, accumulate=2
    ),
    "weighed": lambda: lenet(class_weights="balanced"),
    "weights": lambda: case(MLP, {"source": "iris"}, (4,), (3,), class_weights=[1, 2.5, 0]),
    "counts": lambda: case(
        MLP,
        {"source": "diabetes", "normalize": False},
        (10,),
        (1,),
        loss="PoissonNLLLoss",
        loss_settings={"full": True},
        lr=1e-5,
    ),
    "cut": lambda: lenet(clip_value=0.01, scheduler=CYCLE),
    "cut_skips": lambda: lenet(clip_value=0.01, on_not_finite="skip", accumulate=2, batch_size=200),
    "noisy": lambda: lenet(grad_noise=0.01, clip_norm=1.0),
    "noisy_half": lambda: lenet(grad_noise=0.01, precision="float16", accumulate=2, batch_size=200),
    "cut_half": lambda: lenet(clip_value=0.01, precision="float16"),
    "skips": lambda: lenet(on_not_finite="skip", clip_norm=1.0, scheduler=CYCLE),
    "skips_shared": lambda: lenet(on_not_finite="skip", accumulate=2, batch_size=200),
    "half": lambda: lenet(precision="bfloat16", channels_last="on", deterministic=True),
    "half_scaled": lambda: lenet(
        precision="float16", accumulate=2, batch_size=200, clip_norm=1.0, scheduler=CYCLE
    ),
    "half_muon": lambda: case(
        MLP,
        {"source": "wine"},
        (13,),
        (3,),
        optimizer="Muon",
        precision="float16",
        clip_norm=1.0,
    ),
    "decay": lambda: lenet(decay_of="matrices", scheduler=CYCLE),
    "decay_muon": lambda: lenet(decay_of="matrices", optimizer="Muon"),
    "masks": lambda: case(DENOISER, MASK, (1, 8, 8), (2, 8, 8), best_by="val_accuracy"),
}
VISION = {
    "mnist": lambda: case(CONV, {"source": "MNIST"}, (1, 28, 28), (10,)),
    "parted": lambda: case(
        CONV, {"source": "FashionMNIST", "validation": 0.5, "normalize": True}, (1, 28, 28), (10,)
    ),
    "few": lambda: case(CONV, {"source": "MNIST", "limit": 12}, (1, 28, 28), (10,)),
    "colour": lambda: case(
        DENOISER, {"source": "CIFAR10", "target": "input"}, (3, 8, 8), (3, 8, 8)
    ),
}
