"""Preview of a folder of sounds for the Data page. Runs in a worker process."""

# torch declares the types of some functions in part only.
# pyright: reportUnknownMemberType=false

from pathlib import Path
from typing import Any

import numpy as np

from app.services.preview_parts import (
    SIDE,
    DataPreview,
    counts_of_files,
    pictures_of,
    places_of_each,
    png_of,
)
from core.data import read_settings
from core.data.facts.metadata import listing_of
from core.data.sounds.folder import spectrogram_of
from core.data.sources.sound_settings import MELS

PLAYED = 8
"""Classes of which one sound can be played."""


def preview_sounds(plain: dict[str, Any], seed: int) -> DataPreview:
    """Spectrograms of some sounds, one of each class to play, and the classes of both parts."""
    settings = read_settings(plain, seed)
    assert settings.custom is not None
    listing, classes = listing_of(settings.custom), settings.source.classes
    how = settings.layout["sound"]
    labels = [each.label for each in listing.pictures]
    few = [
        listing.pictures[row]
        for row in places_of_each(labels, pictures_of(len(classes)), len(labels))
    ]
    pictures = tuple((_seen(listing.root / each.name, how), classes[each.label]) for each in few)
    firsts = {each.label: each.name for each in reversed(few)}
    played = tuple(
        (classes[label], _heard(listing.root / firsts[label], how))
        for label in sorted(firsts)[:PLAYED]
    )
    counts = counts_of_files(plain, listing, settings.source.shape, seed)
    return DataPreview(pictures, counts=counts, sounds=played)


def _seen(path: Path, how: dict[str, Any]) -> bytes:
    """The spectrogram of a sound; a grey picture where it cannot be read."""
    import torch

    from core.samples.sounds import sound_values

    own = how if how["mels"] else spectrogram_of(how["rate"], how["samples"], MELS)
    try:
        values = sound_values(path, own)
    except ValueError:
        values = np.full((1, SIDE, SIDE), 0.5, np.float32)
    return png_of(torch.from_numpy(values))


def _heard(path: Path, how: dict[str, Any]) -> bytes:
    """The part of a sound that the network reads, as a WAV file; b"" where it cannot be read."""
    from core.samples.sounds import as_wav, sound_values

    try:
        wave = sound_values(path, {**how, "mels": 0})[0]
    except ValueError:
        return b""
    return as_wav(wave, how["rate"])
