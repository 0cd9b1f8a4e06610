"""A folder of pictures as findings look at it: small grey ones, hashes, and the part of each."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.common.errors import DataError
from core.data.facts import picture_listing
from core.data.facts.info import describe
from core.data.facts.settings import read_settings
from core.data.pictures.folder import Picture, decoded, size_of
from core.data.pictures.series import series_of_all
from core.wings.findings.table_view import UNSEEN, Floats, Ints

MOST_PICTURES = 600
"""Pictures that are opened: of a camera's 12 megapixels each takes 40 ms, of small ones 1 ms."""
SIDE = 16
HASH = 8
"""Rows and columns of the average hash: 64 bits."""


@dataclass(frozen=True)
class PictureView:
    """S pictures. names, labels: (S,). part: 0 to learn from, 1 to validate, 2 others. grey:
    (S, 16, 16) from 0 to 1; sides: (S, 2) width and height in the file, in pixels. digests: of the
    files, "" where no other has as many bytes. note: which part was looked at. data: settings."""

    names: tuple[str, ...]
    classes: tuple[str, ...]
    labels: Ints
    part: Ints
    grey: Floats
    digests: tuple[str, ...]
    sides: Ints
    mode: str = "random"
    note: str = ""
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def hashes(self) -> NDArray[np.bool_]:
        """(S, 64) which eighths of a picture are brighter than its middle."""
        step = SIDE // HASH
        small = self.grey.reshape(-1, HASH, step, HASH, step).mean((2, 4)).reshape(-1, HASH**2)
        return small > np.median(small, 1)[:, None]


def view_pictures(data: Mapping[str, Any], seed: int) -> PictureView:
    """Read a folder of pictures by the data settings of a project. Raises DataError."""
    import torch

    from core.data.batches.custom_tensors import with_sample_counts
    from core.data.batches.split import split_in_parts

    plain = {k: v for k, v in data.items() if k not in UNSEEN}
    settings = read_settings(plain, seed)
    listing = picture_listing.pictures_of(settings.source, settings.custom)
    labels = torch.tensor([p.label for p in listing.pictures])
    info = describe(plain, settings.source.shape, seed=seed)
    info = with_sample_counts(info, listing, len(labels))
    custom = settings.custom
    series = series_of_all(listing, custom) if custom and custom.split else ()
    parts = split_in_parts(info, len(labels), labels, info.origin.test, seed, series)
    part = np.full(len(labels), 2)
    part[parts[0].numpy()], part[parts[1].numpy()] = 0, 1
    chosen = np.arange(len(labels))
    if len(chosen) > MOST_PICTURES:
        draw = np.random.default_rng(0).choice(len(chosen), MOST_PICTURES, replace=False)
        chosen = np.sort(draw)
    opened = [
        (i, grey) for i in chosen if (grey := _grey(listing, listing.pictures[i])) is not None
    ]
    rows = np.array([i for i, _ in opened], int)
    few = f"{len(chosen):,} of {len(labels):,} pictures were looked at, drawn at random."
    pictures = [listing.pictures[i] for i in rows]
    return PictureView(
        tuple(picture.name for picture in pictures),
        listing.classes,
        labels.numpy()[rows].astype(int),
        part[rows],
        np.stack([grey for _, grey in opened]) if opened else np.empty((0, SIDE, SIDE)),
        _digests(listing.root, pictures),
        np.array([size_of(listing.root / p.name) for p in pictures], int).reshape(-1, 2),
        settings.parts.split.mode,
        few if len(chosen) < len(labels) else "",
        data,
    )


def _grey(listing: Any, picture: Picture) -> Floats | None:
    """A small grey picture; None where it cannot be read, which training names."""
    try:
        found = np.frombuffer(decoded(listing, picture, (3, SIDE, SIDE)), np.uint8)
    except DataError:
        return None
    return found.reshape(3, SIDE, SIDE).mean(0) / 255


def _digests(root: Any, pictures: list[Picture]) -> tuple[str, ...]:
    sizes = [picture.size for picture in pictures]
    shared = {size for size in sizes if sizes.count(size) > 1}
    return tuple(
        hashlib.sha256((root / p.name).read_bytes()).hexdigest() if p.size in shared else ""
        for p in pictures
    )
