"""What a project's data is and how it fits the network, told without reading any of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from core.data.catalogue import Shape, Source
from core.data.errors import DataError
from core.data.fit import losses_for, resize_to, target_of
from core.data.here import data_root, is_here
from core.data.settings import DataSettings, Target, read_settings

Task = Literal["classification", "regression", "image", "segmentation"]


@dataclass(frozen=True)
class DataInfo:
    """The data of a project as a page shows it and a script is written from it.

    Shapes leave out the batch. `target_shape` is one target's; `labels` says whether targets are
    class numbers (int64) rather than floats. `losses` are torch's that suit, the usual one first.
    """

    source: str
    package: str
    kind: Literal["image", "table"]
    task: Task
    target: Target
    classes: tuple[str, ...]
    sample_shape: Shape
    input_shape: Shape
    target_shape: Shape | None
    labels: bool
    resize: tuple[int, int] | None
    fit: str
    noise: float
    normalize: bool
    validation: float | None
    limit: int | None
    train_size: int
    validation_size: int
    losses: tuple[str, ...]
    about: str
    summary: str
    here: bool
    download_bytes: int

    @property
    def standardised_target(self) -> bool:
        """Whether targets are measured in standard deviations from the mean (regression)."""
        return self.task == "regression" and self.normalize


def describe(
    data: Mapping[str, Any], input_shape: Shape, output_shape: Shape | None = None
) -> DataInfo:
    """Say what the data is, its sizes and how a sample is fitted to the Input. Imports no torch.

    `output_shape` is checked where given. Raises DataError naming both shapes when it cannot fit.
    """
    settings = read_settings(data)
    source = settings.source
    resize = resize_to(settings, input_shape)
    shape, labels = None, settings.target == "label" and bool(source.classes)
    if output_shape is not None:
        shape, labels = target_of(settings, input_shape, output_shape)
    train, validation = sizes(settings)
    fit = _fit(source, input_shape, resize)
    return DataInfo(
        source=source.name,
        package=source.package,
        kind=source.kind,
        task=_task(settings),
        target=settings.target,
        classes=source.classes,
        sample_shape=source.shape,
        input_shape=input_shape,
        target_shape=shape,
        labels=labels,
        resize=resize,
        fit=fit,
        noise=settings.noise,
        normalize=settings.normalize,
        validation=settings.validation,
        limit=settings.limit,
        train_size=train,
        validation_size=validation,
        losses=losses_for(settings, labels),
        about=source.about,
        summary=_summary(settings, fit, train, validation),
        here=is_here(source, data_root()),
        download_bytes=source.download_bytes,
    )


def sizes(data: DataSettings) -> tuple[int, int]:
    """How many samples are learned from, and how many validate."""
    samples = data.source.samples
    validation = data.source.test
    if data.validation is not None:
        validation = round(samples * data.validation)
        samples -= validation
    if data.limit is not None:
        samples = min(samples, data.limit)
    if not samples or not validation:
        raise DataError(
            f"data.validation leaves {samples} samples to learn from and {validation} to validate.",
            "Choose a share that leaves some of both.",
        )
    return samples, validation


def _task(data: DataSettings) -> Task:
    if data.target == "input":
        return "image"
    if data.target == "mask":
        return "segmentation"
    return "classification" if data.source.classes else "regression"


def _fit(source: Source, wanted: Shape, resize: tuple[int, int] | None) -> str:
    if source.shape == wanted:
        return "as is"
    if resize is None:
        return "reshape"
    return f"resize {source.shape[1]}x{source.shape[2]} -> {resize[0]}x{resize[1]}"


def _summary(data: DataSettings, fit: str, train: int, validation: int) -> str:
    words = {
        "input": "to be drawn again",
        "mask": "to be parted into stroke and paper",
        "label": f"in {len(data.source.classes)} classes",
    }
    what = words[data.target]
    if data.target == "label" and not data.source.classes:
        what = f"with their {data.source.target_name}"
    if fit.startswith("resize"):
        what += f", resized from {fit.removeprefix('resize ').replace(' -> ', ' to ')} pixels"
    if data.noise:
        what += f", with noise of {data.noise:g}"
    return (
        f"{train + validation:,} {data.source.things} {what}: {train:,} to learn from, "
        f"{validation:,} to validate."
    )
