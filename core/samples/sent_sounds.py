"""Sound files of a request, read as the data set's own are. Needs numpy, scipy and soundfile."""

import io
from collections.abc import Mapping
from typing import Any

import numpy as np

from core.samples.request_error import RequestError

MOST_BYTES = 64 << 20
Json = Mapping[str, Any]


def decode_sound(spec: Json, content: bytes) -> np.ndarray:
    """A sound file as training reads it, (1, samples) or (1, mels, frames)."""
    from core.samples.sounds import sound_header, sound_values

    name = spec["name"]
    try:
        if len(content) > MOST_BYTES:
            raise ValueError(f"has {len(content):,} bytes, more than {MOST_BYTES:,}")
        sound_header(content)
        return sound_values(io.BytesIO(content), spec["sound"])
    except ValueError as error:
        raise RequestError(422, f"{name} {error}.", "Send a WAV, FLAC or OGG file.", name) from None
