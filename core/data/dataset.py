"""Reading a project's data into tensors: fitted to the Input, parted by seed, normalised."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from core.data.batches import noisy, share
from core.data.catalogue import Shape
from core.data.embedded import read_embedded
from core.data.info import DataInfo, describe
from core.data.vision import read_vision

Progress = Callable[[int, int], None]
DARK = 0.5  # a pixel brighter than this belongs to the stroke


@dataclass(frozen=True)
class Dataset:
    """Everything a run needs, resident in memory.

    Attributes:
        inputs: (S, *input_shape) float32, clean and normalised.
        targets: (S, *target_shape) int64 class numbers or float32.
        labels: (S,) int64 classes, whatever the target is; None for regression.
        mean, std: of the training part, shaped to broadcast over one sample before it is
            reshaped: (C, 1, 1) for images, (F,) for tables; None when not normalised.
        target_mean, target_std: of a standardised regression target: multiply an error by
            `target_std` for its original unit.
        content: sha256 of the data as read, for the fingerprint of a run.
    """

    info: DataInfo
    inputs: Tensor
    targets: Tensor
    labels: Tensor | None
    train_indices: Tensor
    validation_indices: Tensor
    mean: Tensor | None
    std: Tensor | None
    target_mean: float
    target_std: float
    seed: int
    content: str

    @property
    def classes(self) -> tuple[str, ...]:
        return self.info.classes

    @property
    def task(self) -> str:
        return self.info.task

    def training(self) -> tuple[Tensor, Tensor]:
        """Inputs (clean: noise is drawn for each batch) and targets of the training part."""
        return self.inputs[self.train_indices], self.targets[self.train_indices]

    def validation(self) -> tuple[Tensor, Tensor]:
        """Inputs and targets of the validation part; noise is drawn once, by the seed."""
        generator = torch.Generator().manual_seed(self.seed)
        inputs = noisy(self.inputs[self.validation_indices], self.info.noise, generator)
        return inputs, self.targets[self.validation_indices]


def load(
    data: Mapping[str, Any],
    input_shape: Shape,
    output_shape: Shape,
    seed: int = 0,
    download: bool = False,
    progress: Progress | None = None,
) -> Dataset:
    """Read the data of a project and fit it to a network of these shapes (batch left out).

    `progress` hears bytes done and bytes in all while downloading, which happens only when asked.
    Raises DataError when it does not fit or is not on this machine.
    """
    info = describe(data, input_shape, output_shape)
    samples, answers, test = _read(info, download, progress)
    content = _content(samples, answers)
    train, validation = _part(info, answers, test, seed)
    if info.limit is not None:
        kept = torch.cat([train, validation]).sort().values
        samples, answers = samples[kept], answers[kept]
        train, validation = torch.searchsorted(kept, train), torch.searchsorted(kept, validation)
    samples = _resized(_scaled(info, samples), info)
    mean, std = _statistics(samples[train], info)
    inputs = samples if mean is None or std is None else (samples - mean) / std
    inputs = inputs.reshape(-1, *input_shape).contiguous()
    targets, middle, spread = _targets(info, samples, inputs, answers, train)
    labels = answers if info.classes else None
    parts = (train, validation, mean, std, middle, spread)
    return Dataset(info, inputs, targets, labels, *parts, seed, content)


def _read(info: DataInfo, download: bool, progress: Progress | None) -> tuple[Tensor, Tensor, int]:
    """Samples, answers (classes int64, or floats), and how many at the end are the test part."""
    if info.package == "torchvision":
        return read_vision(info.source, download, progress)
    samples, answers = map(torch.from_numpy, read_embedded(info.source))
    return samples, answers.long() if info.classes else answers.float(), 0


def _content(samples: Tensor, answers: Tensor) -> str:
    digest = hashlib.sha256()
    for tensor in (samples, answers):
        digest.update(f"{tensor.dtype}{tuple(tensor.shape)}".encode())
        digest.update(tensor.contiguous().numpy().data)
    return digest.hexdigest()


def _part(info: DataInfo, answers: Tensor, test: int, seed: int) -> tuple[Tensor, Tensor]:
    known = answers[: len(answers) - test]
    count = round(len(known) * (info.validation or 0))
    if not info.classes:
        order = torch.randperm(len(known), generator=torch.Generator().manual_seed(seed))
        return order[count:][: info.limit], order[:count]
    if info.validation is None:
        train, validation = torch.arange(len(known)), torch.arange(len(known), len(answers))
    else:
        train, validation = share(known, count, seed)
    if info.limit is not None and info.limit < len(train):
        train = train[share(known[train], info.limit, seed)[1]]
    return train, validation


def _scaled(info: DataInfo, samples: Tensor) -> Tensor:
    """As float32; the brightness of images from 0 to 1."""
    if info.kind == "table":
        return samples.float()
    return samples.float() / (16 if info.source == "digits" else 255)


def _resized(samples: Tensor, info: DataInfo) -> Tensor:
    if info.resize is None:
        return samples
    return F.interpolate(samples, info.resize, mode="bilinear", antialias=True)


def _statistics(train: Tensor, info: DataInfo) -> tuple[Tensor | None, Tensor | None]:
    if not info.normalize:
        return None, None
    dims = (0, 2, 3) if info.kind == "image" else (0,)
    std, mean = torch.std_mean(train, dims, correction=0, keepdim=True)
    std[std == 0] = 1.0  # a value that never changes
    return mean[0], std[0]


def _targets(
    info: DataInfo, samples: Tensor, inputs: Tensor, answers: Tensor, train: Tensor
) -> tuple[Tensor, float, float]:
    """Targets, and mean and spread by which those of a regression were standardised."""
    shape = info.target_shape or ()
    if info.task == "image":
        return inputs.reshape(-1, *shape), 0.0, 1.0
    if info.task == "segmentation":
        mask = (samples > DARK).reshape(-1, *shape)
        return mask.long() if info.labels else mask.float(), 0.0, 1.0
    targets = answers if info.labels else answers.float().reshape(-1, *shape)
    if not info.standardised_target:
        return targets, 0.0, 1.0
    std, mean = torch.std_mean(targets[train], correction=0)
    std[std == 0] = 1.0
    return (targets - mean) / std, mean.item(), std.item()
