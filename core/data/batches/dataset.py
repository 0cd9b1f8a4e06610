"""Load a project's data as tensors: fitted to the Input, split by seed, normalised."""

import ctypes
import hashlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from core.data.batches import reading
from core.data.batches.columns import (
    Columns,
    LoadedSamples,
    columns_of,
    input_values,
    target_values,
)
from core.data.batches.custom_tensors import (
    Pictures,
    RawSamples,
    cut_windows,
    read_files,
    read_pictures,
)
from core.data.batches.epochs import noisy
from core.data.batches.naive_forecasts import naive_forecasts
from core.data.batches.points import points
from core.data.batches.scaling import moments, resized, scaled, standardise
from core.data.batches.split import split_in_parts
from core.data.batches.texts import numbered, numbered_by
from core.data.builtin.embedded import read_embedded
from core.data.builtin.generated import OF_DIGITS, RIDE_DAYS
from core.data.builtin.vision import ensure_downloaded, read_vision
from core.data.facts.info import DataInfo, describe, describe_project
from core.data.facts.metadata import read_own
from core.data.pictures.decoding import Progress as Decoding
from core.data.pictures.pixels import InMemoryPixels, MaskPixels, Pixels, column, moments_of, part
from core.data.sources.io_spec import Many
from core.data.sources.source import Shape
from core.data.sources.table_settings import fill_groups
from core.tasks.registry import made_per_sample

Progress = Callable[[int, int], None]
"""Called with the bytes received and the bytes in total of a download."""
Rows = tuple[tuple[Tensor, ...], tuple[Tensor, ...]]


@dataclass(frozen=True)
class Dataset:
    """Everything a run needs, resident in memory.

    Attributes:
        all_inputs: what each Input receives, (S, *shape), clean and normalised; zeros for noise.
        all_targets: what the losses compare with, in their order, those without a target left out.
        labels: (S,) int64 classes, whatever the target is; None where there are none.
        mean, std: of the training part, shaped to broadcast over one sample before it is
            reshaped: (C, 1, 1) for images, (F,) for tables; None when not normalised.
        target_mean, target_std: of a standardised regression target: multiply an error by
            `target_std` for its original unit.
        content: sha256 of the data as read, for the fingerprint of a run.
        learned: what the Input receives in training where that is made batch by batch, else None.
        left_out: pictures that cannot be read, by name.
        fillers: (F,) what fills the missing values of each column of a table, worked out of the
            training part, in the data's own numbers; NaN for columns that miss none, None where
            nothing is filled.
        begun: (V,) classes of the first samples of the first V validation pairs or triplets
            with, each another sample; None for other targets.
        test_indices: rows of the test split, empty unless the project has one.
        judges: sha256 of which samples validate and of their answers, whatever is learned from.
        naive: of a forecast, what rules without a network predict, (S, ahead) as targets are, by
            rows that each goes back; {} of other data.
    """

    info: DataInfo
    all_inputs: tuple[Tensor, ...]
    all_targets: tuple[Tensor, ...]
    labels: Tensor | None
    train_indices: Tensor
    validation_indices: Tensor
    mean: Tensor | None
    std: Tensor | None
    target_mean: float
    target_std: float
    seed: int
    content: str
    learned: Tensor | None = None
    left_out: tuple[str, ...] = ()
    begun: Tensor | None = None
    test_indices: Tensor = field(default_factory=lambda: torch.arange(0))
    fillers: Tensor | None = None
    judges: str = ""
    naive: Mapping[int, Tensor] = field(default_factory=dict[int, Tensor])

    @property
    def classes(self) -> tuple[str, ...]:
        return self.info.classes

    @property
    def task(self) -> str:
        return self.info.task

    @property
    def inputs(self) -> Tensor:
        """What the first Input receives that is fed from the data."""
        return self.all_inputs[self._main]

    @property
    def targets(self) -> Tensor:
        """What the first loss compares with; the inputs where it needs no target."""
        return self.all_targets[0] if self.all_targets else self.inputs

    @property
    def _main(self) -> int:
        return next((i for i, feed in enumerate(self.info.feeds) if not feed.noise), 0)

    @property
    def noise_levels(self) -> tuple[float, ...]:
        """Standard deviation of the noise that every batch of each Input gets."""
        usual = self.info.noise if self.info.kind != "text" else 0.0
        return tuple(1.0 if feed.noise else usual for feed in self.info.feeds)

    def training(self) -> tuple[Tensor, Tensor]:
        """First inputs (clean: noise is drawn for each batch) and targets to learn from."""
        return part(self.inputs, self.train_indices), part(self.targets, self.train_indices)

    def validation(self) -> tuple[Tensor, Tensor]:
        """First inputs and targets to validate with; noise is drawn once, by the seed."""
        inputs, _ = self.all_validation()
        return inputs[self._main], part(self.targets, self.validation_indices)

    def all_training(self) -> Rows:
        """What all Inputs receive and all losses compare with, to learn from."""
        rows = self.train_indices
        inputs = self.all_inputs if self.learned is None else (self.learned,)
        return tuple(part(x, rows) for x in inputs), tuple(part(y, rows) for y in self.all_targets)

    def all_validation(self) -> Rows:
        """What all Inputs receive and all losses compare with, to validate."""
        return self._seen(self.validation_indices)

    def validation_groups(self) -> int:
        """How many groups validate where data is split by group; else 0. Raises OSError."""
        info = self.info
        if info.parts.split.mode != "group" or info.rows is None or info.split is None:
            return 0
        keys, labels = info.rows.read()
        _, validation, _ = info.split.rows(keys, labels)
        return len({keys[row] for row in validation})

    def all_test(self) -> Rows:
        """The same, to test with once a run has ended; noise is drawn once, by the seed."""
        return self._seen(self.test_indices)

    def _seen(self, rows: Tensor) -> Rows:
        generator = torch.Generator().manual_seed(self.seed)
        pairs = zip(self.all_inputs, self.noise_levels, strict=True)
        inputs = tuple(noisy(part(x, rows), spread, generator) for x, spread in pairs)
        return inputs, tuple(part(y, rows) for y in self.all_targets)


def load_project(
    project: Any,
    inputs: Many,
    outputs: Many,
    seed: int = 0,
    decoding: Decoding | None = None,
    vocabulary: tuple[str, ...] = (),
) -> Dataset:
    """Read a project's data for the ends of its network, its losses among them.

    Own data is read again, whatever is cached. `decoding` is called with the progress of a folder.
    vocabulary: of a trained network, in place of what the texts would give now.
    """
    read_own(project.data)
    info = describe_project(project, inputs, outputs)
    if vocabulary and info.origin.cut_by:
        info = replace(info, origin=replace(info.origin, vocabulary=vocabulary))
    return _of_pictures(info, seed, decoding) if info.origin.decoded else _whole(info, seed)


def load(
    data: Mapping[str, Any],
    inputs: Shape | Many,
    outputs: Shape | Many | None,
    seed: int = 0,
    download: bool = False,
    progress: Progress | None = None,
) -> Dataset:
    """Read the data of a project and fit it to a network with these ends, as `describe` does.

    outputs: None for a network whose Outputs are compared with nothing: it then has no targets.

    `progress` hears bytes done and bytes in all while downloading, which happens only when asked.
    Raises DataError when it does not fit or is not on this machine.
    """
    info = describe(data, inputs, outputs, seed=seed)
    if info.origin.decoded:
        if info.custom is None:
            ensure_downloaded(info.source, download, progress)
        return _of_pictures(info, seed)
    return _whole(info, seed, download, progress)


def _whole(
    info: DataInfo, seed: int, download: bool = False, progress: Progress | None = None
) -> Dataset:
    """Data that memory holds at once."""
    raw = _read(info, download, progress)
    samples, answers = raw.samples, raw.answers
    content = _content(samples, answers, [*raw.keys, *raw.words])
    parts = split_in_parts(info, len(samples), answers, raw.makers, seed, raw.keys)
    naive = _naive(info, raw, parts[0])
    judges = _judges(parts[1], answers if len(answers) else samples)
    if info.limit is not None:  # only what is left of all parts needs to be resized
        kept = torch.cat(parts).sort().values
        samples, answers = samples[kept], answers[kept] if len(answers) else answers
        train, validation, test = (torch.searchsorted(kept, rows) for rows in parts)
        parts = train, validation, test
        naive = {back: values[kept] for back, values in naive.items()}
    train, validation, _ = parts
    samples, info = _with_vocabulary(info, raw, samples, train)
    pixels, fillers = _whole_values(info, resized(scaled(info, samples), info), train)
    mean, std = moments(pixels[train], info)
    values = pixels if mean is None or std is None else (pixels - mean) / std
    columns = columns_of(LoadedSamples(info, values, pixels, answers, parts, seed))
    middle, spread = standardise(info, columns)
    inputs = tuple(input_values(feed, columns) for feed in info.feeds)
    targets = [target_values(term, columns) for term in info.terms]
    labels = answers if info.classes and answers.dim() == 1 and _single(info) else None
    learned = None
    if info.transform:
        normal = None if mean is None or std is None else (mean, std)
        every = torch.arange(len(pixels))
        learned = column(
            Pixels(InMemoryPixels(pixels), every, info.input_shape, normal, info.transform)
        )
    given = tuple(t for t in targets if t is not None)
    begun = answers[validation] if info.classes and not _single(info) else None
    return Dataset(
        info,
        inputs,
        given,
        labels,
        columns.train,
        columns.validation,
        mean,
        std,
        middle,
        spread,
        seed,
        content,
        learned,
        (),
        begun,
        columns.test,
        fillers,
        judges,
        {back: (values - middle) / spread for back, values in naive.items()},
    )


def _with_vocabulary(
    info: DataInfo, raw: RawSamples, samples: Tensor, train: Tensor
) -> tuple[Tensor, DataInfo]:
    """Texts as numbers of a vocabulary that is known, or that the training part makes."""
    if not raw.words or info.custom is None or info.custom.texts is None:
        return samples, info
    if known := info.origin.vocabulary:
        return numbered_by(samples, list(raw.words), list(known)), info
    most, least = info.origin.most_tokens, info.custom.texts.least
    numbers, vocabulary = numbered(samples, list(raw.words), train, most, least)
    return numbers, replace(info, origin=replace(info.origin, vocabulary=tuple(vocabulary)))


def _naive(info: DataInfo, raw: RawSamples, train: Tensor) -> dict[int, Tensor]:
    """Of a series what the last value predicts, and the value of a season ago if there is one."""
    if raw.series is None or not info.split:
        return {}
    length, ahead = info.split.window
    return naive_forecasts(raw.series, int(train.max()) + length + ahead, length, ahead)


def _whole_values(info: DataInfo, values: Tensor, train: Tensor) -> tuple[Tensor, Tensor | None]:
    """Rows of a table with missing values filled by the settings, and the values used."""
    groups = fill_groups(info.layout["columns"]) if info.source == "CSV" else []
    if not groups:
        return values, None
    nothing = torch.full_like(values[:1], torch.nan)
    whole = reading.filled(torch.cat([values, nothing]), train, groups)
    return whole[:-1], whole[-1]


def _of_pictures(info: DataInfo, seed: int, decoding: Decoding | None = None) -> Dataset:
    """Files of pictures: decoded once into a cache, brought to memory batch by batch."""
    steady()
    pixels = read_pictures(info, decoding)
    rows, info = torch.arange(len(pixels.labels)), pixels.info
    train, validation, test = split_in_parts(
        info, len(rows), pixels.labels, info.origin.test, seed, pixels.series
    )
    normal = moments_of(pixels.store, train) if info.normalize else None
    inputs = column(Pixels(pixels.store, rows, info.input_shape, normal))
    learned = column(Pixels(pixels.store, rows, info.input_shape, normal, info.transform))
    held = Columns({"label": pixels.labels}, train, validation, test)
    targets: list[Tensor | None] = []
    for term in info.terms:
        itself = column(Pixels(pixels.store, rows, term.shape, normal))
        if term.column == "pixels":
            assert pixels.masks is not None
            itself = column(MaskPixels(pixels.masks, rows, term.shape))
        own = term.column in ("input", "pixels")
        targets.append(itself if own else target_values(term, held))
    mean, std = normal or (None, None)
    given = tuple(t for t in targets if t is not None)
    return Dataset(
        info,
        (inputs,),
        given,
        None if pixels.masks else pixels.labels,
        train,
        validation,
        mean,
        std,
        0.0,
        1.0,
        seed,
        pixels.content,
        learned,
        pixels.left_out,
        None,
        test,
        None,
        _judged_masks(validation, pixels) or _judges(validation, pixels.labels),
    )


def _judges(rows: Tensor, answers: Tensor) -> str:
    """Digest of the samples that validate, in whatever order, and of their answers."""
    ordered = rows.sort().values
    return _content(ordered, answers[ordered])


def _judged_masks(rows: Tensor, pixels: Pictures) -> str:
    """The same of pictures with masks; "" for others."""
    ordered = rows.sort().values
    if pixels.masks is None:
        return ""
    return _content(ordered, torch.zeros(0), [pixels.masks.digest(ordered)])


def _single(info: DataInfo) -> bool:
    """Whether a row is one sample rather than a pair."""
    return made_per_sample(info.target) == 1


def _read(info: DataInfo, download: bool, progress: Progress | None) -> RawSamples:
    """The samples of a data set that memory holds at once."""
    if info.package == "files":
        return read_files(info)
    if info.origin.ahead:
        rows = getattr(reading, info.source)(RIDE_DAYS)
        return cut_windows(info, rows, rows[:, -1])
    if info.package == "torchvision":
        return RawSamples(*read_vision(info.source, download, progress))
    return RawSamples(*(points(info.source, info.made) if info.made else _read_own(info)))


def _read_own(info: DataInfo) -> tuple[Tensor, Tensor]:
    """Samples and answers (classes int64, or floats) of what needs no file."""
    source, length = info.origin, info.input_shape[0]
    if info.source == "python_docs":
        text = reading.python_docs(source.samples, source.alphabet)
        return text.unfold(0, length + 1, length), torch.zeros(0)
    if info.source == "letter_names":
        return reading.letter_names(list(source.classes), length, source.alphabet)
    if info.source == "dates":
        return reading.dates(source.samples, source.alphabet), torch.zeros(0)
    if info.source == "waves":
        return (
            reading.waves(source.samples, source.shape[0] + 1)[:, : length + 1],
            torch.zeros(0),
        )
    if info.source in OF_DIGITS:
        images, labels = map(torch.from_numpy, read_embedded("digits"))
        make = getattr(reading, OF_DIGITS[info.source])
        return make(images.float(), labels.long())
    samples, answers = map(torch.from_numpy, read_embedded(info.source))
    return samples, answers.long() if info.classes else answers.float()


def _content(samples: Tensor, answers: Tensor, keys: Sequence[Any] = ()) -> str:
    """Digest of the data: of the samples, and of what decides their split where a column does."""
    digest = hashlib.sha256()
    for tensor in (samples, answers):
        digest.update(f"{tensor.dtype}{tuple(tensor.shape)}".encode())
        digest.update(tensor.contiguous().numpy().data)
    if keys:
        digest.update(json.dumps(list(keys)).encode())
    return digest.hexdigest()


M_MMAP_THRESHOLD, LARGE = -3, 1 << 20


def steady() -> None:
    """Let every block of a megabyte or more go back to the system as soon as it is freed.

    glibc otherwise learns to keep them in its heap, where aligned blocks of batches never fit the
    holes of those before: memory grows by a batch each step. Elsewhere than glibc nothing happens.
    """
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, LARGE)
