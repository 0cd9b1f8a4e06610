"""The user's own data as tensors, read by its metadata."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
import torch
from torch import Tensor

from core.common.errors import DataError
from core.data.batches.texts import token_rows
from core.data.batches.windows import carried, in_order, windows
from core.data.custom.custom_dataset import forget, read_dataset
from core.data.custom.dataset_file import KIND
from core.data.facts.info import DataInfo, sized
from core.data.facts.metadata import gone_of, listing_of
from core.data.facts.picture_listing import pictures_of
from core.data.facts.settings import read_settings
from core.data.facts.text_facts import read_texts
from core.data.pictures.cache import PictureCache, folder_of
from core.data.pictures.cache_eviction import hold
from core.data.pictures.decoding import Progress, decode_pictures
from core.data.pictures.folder import Listing
from core.data.pictures.pixels import MappedPixels, Planes
from core.data.pictures.series import series_of_all
from core.data.sounds.folder import values_of
from core.data.sources.paths import locate
from core.data.table.arrays import read_arrays
from core.data.table.plain_text import read_text
from core.data.table.read import read_table
from core.data.table.series import read_series
from core.data.table.split_column import keys_of_array
from core.data.table.text_folder import TextFolder
from core.data.table.text_table import TextTable

TRIES = 5


@dataclass(frozen=True)
class Pictures:
    """A decoded folder. info: the data without the pictures `left_out`. series: what each picture
    belongs to, where that decides its part. masks: the classes of the pixels, None without."""

    info: DataInfo
    store: MappedPixels | Planes
    labels: Tensor
    content: str
    left_out: tuple[str, ...]
    series: Sequence[str] = ()
    masks: Planes | None = None


@dataclass(frozen=True)
class RawSamples:
    """Samples as they are read, answers (classes int64, or floats), and how many at the end are the
    test part of the makers. keys: of each the group, time or value that decides its part, as the
    settings name it; () where none does. words: of texts with a class each, whose samples are
    places of tokens in it. series: (N,) what is predicted of each row of a series, NaN where it is
    missing; None of other data."""

    samples: Tensor
    answers: Tensor
    makers: int = 0
    keys: Sequence[Any] = ()
    words: Sequence[str] = ()
    series: Tensor | None = None


def read_files(info: DataInfo) -> RawSamples:
    """A table, arrays, a data set, or a text's pieces without answers."""
    assert info.custom is not None
    path, keys = locate(info.custom.path, info.custom.key), list[Any]()
    if info.origin.cut_by:
        return _texts(info)
    if info.source == "CSV":
        table = read_table(path, info.custom)
        samples, answers, keys = table.inputs(), table.answers(), table.keys()
    elif info.source == "SeriesCSV":
        return _windows(info)
    elif info.origin.heard:
        return _sounds(info)
    elif info.source == "NPZ":
        arrays = read_arrays(path, info.custom)
        samples, answers = arrays.samples, arrays.answers
        keys = keys_of_array(path, info.custom, len(samples)) if info.custom.split else []
    elif info.source == KIND:
        own = read_dataset(info.custom)
        forget()  # what was kept since the data was described
        return RawSamples(own.inputs, own.answers)
    else:
        return RawSamples(_pieces(read_text(path, info.custom.path), info), torch.zeros(0))
    found = torch.from_numpy(np.ascontiguousarray(answers))
    values = torch.from_numpy(np.ascontiguousarray(samples))
    return RawSamples(values, _typed(found, info), 0, keys)


def texts_of(info: DataInfo) -> TextTable | TextFolder:
    """Texts with a class each, as they lie on the disk. Raises DataError."""
    assert info.custom is not None
    return read_texts(info.custom, locate(info.custom.path, info.custom.key))


def _texts(info: DataInfo) -> RawSamples:
    """Texts with a class each, as tokens that their vocabulary is made of later."""
    read, origin = texts_of(info), info.origin
    if read.classes != info.classes:
        raise DataError(
            f"The classes of {origin.about} have changed.", "Press Read on the Data page."
        )
    rows, words = token_rows(read.texts(), origin.cut_by, origin.lower, info.input_shape[0])
    return RawSamples(rows, torch.from_numpy(read.answers()), 0, read.keys(), words)


def _sounds(info: DataInfo) -> RawSamples:
    """Sounds as waves or spectrograms, (S, *shape), with the class of each."""
    assert info.custom is not None
    listing = listing_of(info.custom)
    if listing.classes != info.classes or len(listing.pictures) != info.origin.samples:
        raise DataError(
            f"The sounds of {info.custom.path} have changed.", "Press Read on the Data page."
        )
    values = torch.from_numpy(values_of(listing, info.layout["sound"], info.custom.path))
    keys = series_of_all(listing, info.custom) if info.custom.split else ()
    return RawSamples(values, torch.tensor([p.label for p in listing.pictures]), 0, keys)


def _windows(info: DataInfo) -> RawSamples:
    """Windows of a series (S, window, F), the targets (S, ahead) that follow, and the times of its
    rows."""
    assert info.custom is not None
    table = read_series(locate(info.custom.path, info.custom.key), info.custom)
    times = table.times.tolist()
    order = in_order(times)
    values = carried(torch.from_numpy(table.values()[order]).float())
    targets = torch.from_numpy(table.answers()[order]).float()[-len(values) :]
    times = [times[row] for row in order][-len(values) :]
    return cut_windows(info, values, targets, times)


def cut_windows(
    info: DataInfo, values: Tensor, targets: Tensor, times: Sequence[float] = ()
) -> RawSamples:
    """Windows of rows in time (N, F), with what is to be predicted of each, (N,)."""
    inputs, answers = windows(values, targets, info.sample_shape[0], info.origin.ahead)
    return RawSamples(inputs, answers, 0, times or range(len(values)), series=targets)


def _typed(answers: Tensor, info: DataInfo) -> Tensor:
    return answers.long() if info.classes and answers.dim() == 1 else answers.float()


def _pieces(text: str, info: DataInfo) -> Tensor:
    place = {character: i for i, character in enumerate(info.origin.alphabet)}
    unknown = set(text) - place.keys()
    if unknown:
        raise DataError(
            f"{info.origin.about} has changed: {sorted(unknown)[0]!r} is new.",
            "Press Read on the Data page.",
        )
    tokens = torch.tensor([place[character] for character in text])
    length = info.input_shape[0]
    return tokens.unfold(0, length + 1, length)


def read_pictures(info: DataInfo, progress: Progress | None = None) -> Pictures:
    """Decode a folder, or find it decoded. Raises DataError naming pictures that are damaged."""
    assert info.resize is not None
    skip_corrupt = info.custom is not None and info.custom.skip_corrupt
    shape = (info.input_shape[0], *info.resize)
    listing = pictures_of(info.origin, info.custom)
    planes = listing.planes(shape)
    found, lock = _hold_cache(lambda: decode_pictures(listing, planes, skip_corrupt, progress))
    gone = set(found.damaged)
    labels = torch.tensor([p.label for p in listing.pictures if p.name not in gone])
    if info.custom and listing.classes != info.classes:
        raise DataError(
            f"The classes of {info.custom.path} have changed.", "Press Read on the Data page."
        )
    out = gone_of(listing, found.damaged)
    found_info = with_sample_counts(info, listing, found.rows, out)
    store = MappedPixels(found.pixels, found.rows, planes, lock)
    series = series_of_all(listing, info.custom) if info.custom and info.custom.split else ()
    series = [each for row, each in enumerate(series) if row not in {*out}]
    mask = Planes(store, shape[0], planes[0]) if listing.masks else None
    pixels = Planes(store, 0, shape[0]) if mask else store
    return Pictures(found_info, pixels, labels, found.content, found.damaged, series, mask)


def with_sample_counts(
    info: DataInfo, listing: Listing, rows: int, gone: tuple[int, ...] = ()
) -> DataInfo:
    """The data with the real number of samples, if it differs from the stated one. gone: places of
    the pictures that cannot be read."""
    counts: tuple[int, int, int] = (rows, 0, 0)
    if listing.parts:
        first, second, third, *_ = (*listing.parts, 0, 0, 0)
        counts = (first, second, third)
        if not info.origin.validation:  # a second part is then one to test with
            counts = (counts[0], 0, counts[1])
    origin = info.origin
    same = counts == (origin.samples, origin.validation, origin.test)
    return info if same else sized(info, counts[0], counts[1], counts[2], gone)


def _hold_cache(made: Callable[[], PictureCache]) -> tuple[PictureCache, IO[bytes]]:
    """A locked cache; made again if it was deleted before we locked it."""
    for _ in range(TRIES):
        found = made()
        lock = hold(found.folder)
        if lock and found.pixels.is_file():
            return found, lock
    raise DataError(
        "The cache of decoded pictures was cleared repeatedly for other runs.",
        "Train when fewer runs are starting.",
    )


def decode_project_pictures(text: str, shape: tuple[int, int, int]) -> int:
    """Decode the pictures of a project's data, given as JSON; returns their number.

    Raises DataError naming pictures that are damaged.
    """
    data = json.loads(text)
    skip_corrupt, listing = bool(data.get("skip_corrupt")), _listing_of(text)
    planes = listing.planes((shape[0], shape[1], shape[2]))
    return decode_pictures(listing, planes, skip_corrupt).rows


def cache_of_project(text: str, shape: tuple[int, int, int]) -> tuple[str, int]:
    """The cache folder of the pictures of a project's data, and their number.

    Raises DataError.
    """
    listing = _listing_of(text)
    planes = listing.planes((shape[0], shape[1], shape[2]))
    return str(folder_of(listing, planes)), len(listing.pictures)


def _listing_of(text: str) -> Listing:
    settings = read_settings(json.loads(text))
    return pictures_of(settings.source, settings.custom)
