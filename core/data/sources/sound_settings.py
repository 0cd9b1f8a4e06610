"""Settings of a folder of sounds: how long they are, and what a network reads of them.

{"source": "SoundFolder", "root": "data/words", "form": "spectrogram", "rate": 16000,
 "seconds": 1.0, "mels": 64}

form: a spectrogram, the loudness of bands of pitch over time, or the wave itself. rate: samples a
second; that of most files, at most 16000, where it is left out. seconds: shorter sounds are filled
up with silence, longer ones are cut off; the length that 95 of 100 files do not exceed, at most 10,
where it is left out. mels: bands of a spectrogram.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.common.errors import DataError
from core.files.messages import quote

FORMS = ("spectrogram", "wave")
KEYS = ("form", "rate", "seconds", "mels")
LOWEST_RATE, HIGHEST_RATE, USUAL_RATE = 1_000, 48_000, 16_000
SHORTEST, LONGEST, USUAL_LONGEST = 0.05, 60.0, 10.0
FEWEST_MELS, MOST_MELS, MELS = 8, 128, 64


@dataclass(frozen=True)
class SoundSettings:
    """How sounds are read. rate, seconds: 0 for what suits the files."""

    form: str = FORMS[0]
    rate: int = 0
    seconds: float = 0.0
    mels: int = MELS


def read_sound_settings(data: Mapping[str, Any]) -> SoundSettings:
    """Check the settings of a folder of sounds. Raises DataError naming one."""
    form = data.get("form", FORMS[0])
    if form not in FORMS:
        raise DataError(f"data.form is {quote(form)}.", f"Use {' or '.join(FORMS)}.")
    rate = _number(data, "rate", LOWEST_RATE, HIGHEST_RATE, whole=True)
    seconds = _number(data, "seconds", SHORTEST, LONGEST)
    mels = _number(data, "mels", FEWEST_MELS, MOST_MELS, whole=True)
    return SoundSettings(form, int(rate or 0), float(seconds or 0), int(mels or MELS))


def _number(
    data: Mapping[str, Any], key: str, low: float, high: float, whole: bool = False
) -> float | None:
    value = data.get(key)
    kinds = (int,) if whole else (int, float)
    if value is None or (type(value) in kinds and low <= value <= high):
        return value
    what = "whole number" if whole else "number"
    raise DataError(f"data.{key} is {quote(value)}.", f"Use a {what} from {low:g} to {high:,g}.")
