"""Sound files as numbers: a wave, or a spectrogram of it.

Training, the drawing's own sample and servers read sounds by these functions; training scripts
hold `sound_wave`, `mel_filters` and `loudness` word for word, exported server folders all of it.
"""

import io
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
from scipy.signal import resample_poly

FORMATS = ("WAV", "WAVEX", "FLAC", "OGG")
"""What libsndfile may take a file for, whatever its ending."""
RATES, MOST_CHANNELS, MOST_SECONDS = (1_000, 384_000), 16, 24 * 3600
"""What recordings have; a header that states more is wrong, or meant to fill memory."""
NOT_STATED = (0, 0xFFFF_FFFF)
"""The length in the header of a WAV whose writer did not know it."""
NO_SOUND = "is not a sound file (WAV, FLAC or OGG)"


def sound_wave(sound: soundfile.SoundFile, rate: int, samples: int) -> np.ndarray:
    """The start of a sound at this rate: channels averaged, silence behind its end."""
    part = math.gcd(rate, sound.samplerate)
    up, down = rate // part, sound.samplerate // part
    needed = (samples + 20) * down // up + 20  # more than the filter reaches
    blocks = sound.blocks(65_536, frames=needed, dtype="float32", always_2d=True)
    wave = np.concatenate([block.mean(axis=1) for block in blocks])
    if up != down:
        wave = resample_poly(wave, up, down).astype(np.float32)
    return np.pad(wave[:samples], (0, max(0, samples - len(wave))))


def mel_filters(rate: int, mels: int, window: int) -> np.ndarray:
    """Triangles (mels, frequencies), even in mel = 2595 log10(1 + Hz / 700)."""
    top = 2595 * math.log10(1 + rate / 2 / 700)
    edges = 700 * (10 ** (np.linspace(0, top, mels + 2) / 2595) - 1)
    finest = max(2 * window, rate / edges[1])  # so that each triangle holds a frequency
    hertz = np.linspace(0, rate / 2, 2 ** math.ceil(math.log2(finest)) // 2 + 1)
    low, peak, high = (edges[i : i + mels, None] for i in range(3))
    rising, falling = (hertz - low) / (peak - low), (high - hertz) / (high - peak)
    return np.maximum(0, np.minimum(rising, falling))


def loudness(wave: np.ndarray, mel: np.ndarray, window: int, hop: int) -> np.ndarray:
    """A spectrogram (mels, frames), high pitch first, from 0 (-80 dB) to 1 (0 dB)."""
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window) / window)
    padded = np.pad(wave, window // 2)
    frames = np.lib.stride_tricks.sliding_window_view(padded, window)[::hop]
    size = 2 * (mel.shape[1] - 1)
    spectrum = np.abs(np.fft.rfft(frames * hann, size)) ** 2
    power = spectrum @ mel.T * 4 / (size * (hann**2).sum())
    decibels = 10 * np.log10(np.maximum(power, 1e-8))
    return np.clip(1 + decibels.T[::-1] / 80, 0, 1).astype(np.float32)


def sound_values(file: "Path | io.BytesIO", how: Mapping[str, Any]) -> np.ndarray:
    """A sound as the network reads it: (1, samples), or (1, mels, frames).

    how: rate and samples of the wave; mels, window and hop of the spectrogram, if it is one.
    Raises ValueError in words, whose subject is the file, where it is no sound.
    """
    try:
        with soundfile.SoundFile(file) as sound:
            wave = sound_wave(sound, how["rate"], how["samples"])
            stated, read = sound.frames, sound.tell()
            wanted = min(stated, how["samples"] * sound.samplerate // how["rate"])
    except (RuntimeError, OSError, ValueError) as error:
        raise ValueError(f"is damaged: {_first_line(error)}") from error
    if read < wanted:
        raise ValueError(f"ends after {read:,} of the {stated:,} samples that its header states")
    if not np.isfinite(wave).all():
        raise ValueError("holds NaN or infinite values")
    if not how.get("mels"):
        return wave[None]
    filters = mel_filters(how["rate"], how["mels"], how["window"])
    return loudness(wave, filters, how["window"], how["hop"])[None]


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def sound_header(file: "Path | bytes") -> tuple[int, int, int]:
    """Samples a second, samples and channels that the header of a sound states.

    Raises ValueError in words, whose subject is the file, for what cannot be read.
    """
    whole = len(file) if isinstance(file, bytes) else file.stat().st_size
    if not whole:
        raise ValueError("is empty")
    try:
        opened = io.BytesIO(file) if isinstance(file, bytes) else file
        with soundfile.SoundFile(opened) as sound:
            found = sound.samplerate, sound.frames, sound.channels
            kind = sound.format
    except (RuntimeError, OSError, ValueError, TypeError) as error:
        raise ValueError(NO_SOUND) from error
    if kind not in FORMATS:
        raise ValueError(NO_SOUND)
    _check_header(*found)
    start = file[:8] if isinstance(file, bytes) else _start(file)
    stated = int.from_bytes(start[4:8], "little")
    if start[:4] == b"RIFF" and stated not in NOT_STATED and stated + 8 > whole + 1:
        raise ValueError(f"is cut off: its header states {stated + 8:,} bytes but it has {whole:,}")
    return found


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(8)


def _check_header(rate: int, samples: int, channels: int) -> None:
    """Refuse what no recording states. Raises ValueError."""
    low, high = RATES
    if not low <= rate <= high:
        raise ValueError(f"has {rate:,} samples a second, but {low:,} to {high:,} are read")
    if channels > MOST_CHANNELS:
        raise ValueError(f"has {channels:,} channels, but at most {MOST_CHANNELS} are read")
    if samples < 1:
        raise ValueError("has no samples")
    if samples > MOST_SECONDS * rate:
        raise ValueError(f"states {samples:,} samples, more than {MOST_SECONDS // 3600} hours")


def as_wav(wave: np.ndarray, rate: int) -> bytes:
    """A wave as a WAV file of 16 bits."""
    file = io.BytesIO()
    soundfile.write(file, wave, rate, format="WAV", subtype="PCM_16")
    return file.getvalue()
