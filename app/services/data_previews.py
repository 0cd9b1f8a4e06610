"""Previews of a data set for the Data page. Runs in a worker process; imports no Streamlit.

Data is named by the text of a project's `data` as JSON, so that results can be cached.
"""

# torch declares the types of some functions in part only.
# pyright: reportUnknownMemberType=false

import json
from dataclasses import replace
from typing import Any

import numpy as np

from app.services.preview_parts import (
    PICTURES,
    SIDE,
    Curve,
    DataPreview,
    counts_of_files,
    pictures_of,
    places_of_each,
    png_of,
)
from app.services.previews import points_of, preview, usual_output
from app.services.sound_previews import preview_sounds
from core.data import DataSettings, Source, read_settings
from core.data.builtin.generated import OF_DIGITS
from core.data.facts.input_columns import TOKENS
from core.data.facts.metadata import read_own
from core.data.pictures.mask_values import VOID
from core.data.sources.io_spec import End
from core.data.sources.label_settings import KEYS as LABEL_KEYS
from core.data.sources.series_settings import KEYS as SERIES_KEYS
from core.data.sources.sound_settings import KEYS as SOUND_KEYS
from core.data.sources.split_by import KEYS as SPLIT_KEYS
from core.data.sources.split_settings import PARTS
from core.data.sources.table_settings import KEYS as TABLE_KEYS
from core.data.sources.text_settings import KEYS as TEXT_KEYS

ROWS, BINS = 8, 16
AFTER = 4
MANY, SHOWN_TEXT = 2000, 200
MOST_DRAWN = 800  # points of a line: more lie closer than pixels
COLOURS = ("red", "green", "blue")
LOADED = (
    *("source", "made", "file", "root", "columns", "target_column", *LABEL_KEYS, "categories"),
    *("validation", "limit", "class", "samples", "loader_workers"),
    *(*TABLE_KEYS, *TEXT_KEYS, *SERIES_KEYS, *SOUND_KEYS, "skip_corrupt"),
    *(setting.name for setting in PARTS),
    *SPLIT_KEYS,
)


def read(text: str) -> None:
    """Read own data on the user's request. Raises DataError."""
    read_own(json.loads(text))


def preview_data(text: str, seed: int) -> DataPreview:
    """Samples, classes of both parts, and columns. Raises DataError."""
    data = json.loads(text)
    plain = {k: v for k, v in data.items() if k in LOADED}
    if data.get("source") == "MaskFolder":
        return _masks(read_settings({k: v for k, v in data.items() if k != "transform"}, seed))
    folder = data.get("source") == "ImageFolder"
    if folder or (source := read_settings(plain).source).decoded:
        return _folder(data, seed)
    if source.cut_by:
        return _texts(plain, source, seed)
    if source.heard:
        return preview_sounds(plain, seed)
    if source.ahead:
        return _series(_load(plain | {"normalize": False}, source, seed))
    if source.kind in ("text", "series") or source.name in OF_DIGITS:
        return _sequences(data)
    loaded = _load(plain | {"normalize": False}, source, seed)
    counts = _counts(loaded, source.classes)
    answers = _answers(loaded, source.classes)
    if source.kind == "image":
        chosen = places_of_each(loaded.labels, pictures_of(len(source.classes)), len(loaded.inputs))
        images = loaded.inputs[chosen].reshape(-1, *source.shape)
        named = zip(images, chosen, strict=True)
        pictures = tuple((png_of(x), answers[i]) for x, i in named)
        return DataPreview(pictures, counts=counts, columns=_channels(loaded))
    return _table(loaded, source, answers, counts)


def _table(loaded: Any, source: Source, answers: list[str], counts: Any) -> DataPreview:
    """Rows and columns, a numeric target first."""
    names = source.columns or tuple(f"x{i}" for i in range(1, source.shape[0] + 1))
    chosen = places_of_each(loaded.labels, ROWS, len(loaded.inputs))
    values = loaded.inputs.reshape(len(loaded.inputs), -1).numpy()
    rows = [{source.target_name: answers[i], **_cells(names, values[i])} for i in chosen]
    learned = loaded.train_indices.numpy()
    columns = [_column(name, values[:, i], values[learned, i]) for i, name in enumerate(names)]
    if loaded.labels is None and not source.classes:
        answer = loaded.targets.flatten().numpy()
        columns.insert(0, _column(source.target_name, answer, answer[learned]))
    return DataPreview((), tuple(rows), counts, tuple(columns), points_of(loaded))


def _series(loaded: Any) -> DataPreview:
    """The first rows of a series, and its columns, by the first row of each window."""
    names = loaded.info.origin.columns
    values = loaded.inputs.reshape(len(loaded.inputs), *loaded.info.sample_shape)[:, 0].numpy()
    rows = tuple(_cells(names, row) for row in values[:ROWS])
    learned = loaded.train_indices.numpy()
    columns = [_column(name, values[:, i], values[learned, i]) for i, name in enumerate(names)]
    return DataPreview((), rows, columns=tuple(columns), curve=_curve(loaded))


def _curve(loaded: Any) -> Curve:
    """The first target of every window; a missing one is left out of the line."""
    targets = loaded.targets.reshape(len(loaded.targets), -1)[:, 0].numpy()
    every = max(1, len(targets) // MOST_DRAWN)
    kept = [place for place in range(0, len(targets), every) if np.isfinite(targets[place])]
    starts = [
        int(part.min()) for part in (loaded.validation_indices, loaded.test_indices) if len(part)
    ]
    return Curve(
        loaded.info.origin.target_name,
        tuple(float(targets[place]) for place in kept),
        tuple(float(np.searchsorted(kept, start)) for start in starts),
    )


def _load(plain: dict[str, Any], source: Any, seed: int) -> Any:
    from core.data.batches.dataset import load

    return load(plain, source.shape, usual_output(source), seed)


def _cells(names: tuple[str, ...], row: Any) -> dict[str, float]:
    return {name: round(float(value), 4) for name, value in zip(names, row, strict=True)}


def _answers(loaded: Any, classes: tuple[str, ...]) -> list[str]:
    if loaded.labels is not None:
        return [classes[i] for i in loaded.labels.tolist()]
    if classes:
        pairs = (zip(classes, row, strict=True) for row in loaded.targets.tolist())
        return [", ".join(name for name, yes in row if yes) or "no label" for row in pairs]
    return [f"{value:.4g}" for value in loaded.targets.flatten().tolist()]


def _folder(data: dict[str, Any], seed: int) -> DataPreview:
    import torch

    from core.data.facts import picture_listing
    from core.data.pictures.folder import decoded

    plain = {k: v for k, v in data.items() if k != "transform"}
    settings = read_settings(plain, seed)
    listing = picture_listing.pictures_of(settings.source, settings.custom)
    labels = [picture.label for picture in listing.pictures]
    counts = counts_of_files(plain, listing, _fitted(settings.source.shape), seed)
    pictures: list[tuple[bytes, str]] = []
    for i in places_of_each(labels, pictures_of(len(listing.classes)), len(labels)):
        picture = listing.pictures[i]
        shape = _fitted(settings.source.shape)
        pixels = np.frombuffer(_shown(decoded, listing, picture, shape), np.uint8)
        image = torch.from_numpy(pixels.copy().reshape(shape)).float() / 255
        pictures.append((png_of(image), listing.classes[picture.label]))
    return DataPreview(tuple(pictures), counts=counts)


def _masks(settings: DataSettings) -> DataPreview:
    """Some pictures with their masks over them, and the share of each class."""
    from core.data.facts import picture_listing
    from core.data.facts.class_colours import class_colours
    from core.data.pictures.folder import kept
    from core.insight.class_colours import over
    from core.insight.images import png

    listing = picture_listing.pictures_of(settings.source, settings.custom)
    layout, shape = settings.layout, _fitted(settings.source.shape)
    colours = class_colours(len(listing.classes), layout["colours"])
    pictures: list[tuple[bytes, str]] = []
    for picture in listing.pictures[:PICTURES]:
        planes = listing.planes(shape)
        pixels = np.frombuffer(_shown(kept, listing, picture, planes), np.uint8).reshape(planes)
        classes = np.where(pixels[-1] == VOID, -1, pixels[-1].astype(int))
        shown = over(pixels[:3].transpose(1, 2, 0), classes, colours)
        pictures.append((png(shown), picture.name.rsplit("/", 1)[-1]))
    whole = max(1, sum(layout["pixels"]) + layout["void"])
    shares = [count / whole for count in layout["pixels"]]
    return DataPreview(
        tuple(pictures),
        shares=tuple(zip(listing.classes, shares, colours, strict=True)),
        void=layout["void"] / whole,
    )


def _shown(decoded: Any, listing: Any, picture: Any, shape: tuple[int, int, int]) -> bytes:
    """A picture for looking at; a grey one in place of one that cannot be read."""
    from core.data import DataError

    try:
        return decoded(listing, picture, shape)
    except DataError:
        return bytes([127]) * (shape[0] * shape[1] * shape[2])


def _fitted(shape: tuple[int, ...]) -> tuple[int, int, int]:
    factor = SIDE / max(shape[1:])
    return 3, max(1, round(shape[1] * factor)), max(1, round(shape[2] * factor))


def _counts(loaded: Any, classes: tuple[str, ...]) -> tuple[tuple[str, int, int], ...]:
    """How many samples of each part have a class or a label; () for numbers."""
    if not classes:
        return ()
    parts, labels = (loaded.train_indices, loaded.validation_indices), loaded.labels
    if labels is None:
        counts = [loaded.targets[p].sum(0).int().tolist() for p in parts]
    else:
        counts = [np.bincount(labels[p].numpy(), minlength=len(classes)).tolist() for p in parts]
    return tuple(zip(classes, *counts, strict=True))


def _sequences(data: dict[str, Any]) -> DataPreview:
    from core.data.sources.paths import locate
    from core.data.table.plain_text import read_text

    settings = read_settings({k: data[k] for k in ("source", "file") if k in data})
    if settings.custom is None:
        shown = preview(settings.source.name)
        rows = [dict(zip(shown.columns, row, strict=True)) for row in shown.rows]
        return DataPreview(((shown.picture, ""),) if shown.picture else (), tuple(rows))
    text = read_text(locate(settings.custom.path, "file"), settings.custom.path)
    pieces = [text[i : i + 96] for i in range(0, min(len(text), 96 * ROWS), 96)]
    return DataPreview((), tuple({"text": piece.replace("\n", " ⏎ ")} for piece in pieces))


def _texts(plain: dict[str, Any], source: Source, seed: int) -> DataPreview:
    """Texts of every class, and how many samples of each are learned from and validate."""
    from core.data.batches.custom_tensors import texts_of
    from core.data.batches.dataset import load

    inputs = (End("text", source.shape, TOKENS),)
    loaded = load(plain, inputs, usual_output(source), seed)
    texts, answers = texts_of(loaded.info).texts(), _answers(loaded, source.classes)
    chosen = places_of_each(loaded.labels, ROWS, len(texts))
    rows = [{source.target_name: answers[i], "text": texts[i][:SHOWN_TEXT]} for i in chosen]
    return DataPreview((), tuple(rows), _counts(loaded, source.classes))


def _channels(loaded: Any) -> tuple[dict[str, Any], ...]:
    """The brightness of pictures (S, C, H, W), by channel."""
    values, learned = loaded.inputs.numpy(), loaded.train_indices.numpy()
    names = COLOURS if values.shape[1] == 3 else ("brightness",)
    some = values[:MANY]  # whose histogram looks like that of all
    return tuple(
        {
            **_column(name, some[:, i].ravel(), values[learned, i].ravel()),
            "lowest": _round(values[:, i].min()),
            "highest": _round(values[:, i].max()),
        }
        for i, name in enumerate(names)
    )


def _column(name: str, values: Any, learned: Any) -> dict[str, Any]:
    """Range and histogram of values; mean and deviation of those that are learned from."""
    numbers = values.astype(np.float64)
    bins, _ = np.histogram(numbers - numbers.min(), bins=BINS)  # large numbers lie close together
    return {
        "column": name,
        "lowest": _round(values.min()),
        "highest": _round(values.max()),
        "mean": _round(learned.mean()),
        "deviation": _round(learned.std()),
        "spread": bins.tolist(),
    }


def _round(value: Any) -> float:
    return float(f"{float(value):.4g}")


def place_decoded(text: str, shape: tuple[int, int, int]) -> tuple[str, int]:
    """Where the pictures of a data set are kept decoded, and how many they are."""
    from core.data.batches.custom_tensors import cache_of_project

    return cache_of_project(text, shape)


def variations(text: str, shape: tuple[int, ...], seed: int) -> list[list[bytes]]:
    """What the network sees of some pictures: each as it is, then four times varied and noisy.

    shape: of the Input where it takes pictures, else () for the size of the data.
    """
    import torch

    from core.data.pictures.augment import augment
    from core.data.pictures.transform import read_transform

    data = json.loads(text)
    steps = read_transform(data.get("transform", ()))
    images, spread = _clean({k: v for k, v in data.items() if k != "transform"}, shape)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        turns = [images]
        for _ in range(AFTER):
            seen = augment(images, steps)
            turns.append(seen if spread is None else seen + spread * torch.randn_like(seen))
    return [[png_of(turn[i]) for turn in turns] for i in range(len(images))]


def _clean(data: dict[str, Any], shape: tuple[int, ...]) -> Any:
    """Some pictures as they are, and the deviation of the noise they get, None without any."""
    settings = read_settings(data)
    source = settings.source
    if source.decoded:
        return _decoded(settings, shape), None
    from core.data.batches.dataset import load
    from core.data.batches.scaling import moments

    wanted = shape if len(shape) == 3 and shape[0] == source.shape[0] else source.shape
    plain = {k: v for k, v in data.items() if k not in ("normalize", "noise", "target")}
    loaded = load(plain | {"normalize": False}, wanted, usual_output(source))
    images = loaded.inputs[places_of_each(loaded.labels, 6, len(loaded.inputs))]
    if not settings.noise:
        return images, None
    normal = replace(loaded.info, normalize=settings.normalize)
    _, std = moments(loaded.inputs[loaded.train_indices], normal)
    return images, settings.noise * (1.0 if std is None else std)


def _decoded(settings: DataSettings, shape: tuple[int, ...]) -> Any:
    """Some pictures that are files, at the size of the Input."""
    import torch

    from core.data.facts import picture_listing
    from core.data.pictures.folder import decoded

    size = (shape[0], shape[1], shape[2]) if len(shape) == 3 else _fitted(settings.source.shape)
    listing = picture_listing.pictures_of(settings.source, settings.custom)
    labels = [p.label for p in listing.pictures]
    few = [listing.pictures[i] for i in places_of_each(labels, 6, len(labels))]
    read = [np.frombuffer(_shown(decoded, listing, p, size), np.uint8).reshape(size) for p in few]
    return torch.from_numpy(np.stack(read)).float() / 255
