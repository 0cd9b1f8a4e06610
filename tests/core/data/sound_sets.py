"""Folders of sounds, made when a test needs one: tones, chirps and noise."""

from pathlib import Path

import numpy as np
import soundfile

KINDS = ("chirp", "noise", "tone")
FORMATS = ("wav", "flac", "ogg")


def wave_of(kind: str, rate: int, seconds: float, random: np.random.Generator) -> np.ndarray:
    """A sound of its kind, of another pitch and loudness each time."""
    t = np.arange(round(rate * seconds)) / rate
    hertz, loud = random.uniform(300, 1500), random.uniform(0.2, 0.8)
    made = {
        "tone": np.sin(2 * np.pi * hertz * t),
        "chirp": np.sin(2 * np.pi * (hertz * t + random.uniform(800, 2000) * t * t)),
        "noise": 0.4 * random.normal(size=len(t)),
    }[kind]
    return (loud * made + 0.02 * random.normal(size=len(t))).astype(np.float32)


def write_sounds(
    folder: Path,
    each: int = 8,
    rates: tuple[int, ...] = (8000,),
) -> None:
    """A folder with as many sounds of each kind, of these rates and formats in turn."""
    random = np.random.default_rng(0)
    for kind in KINDS:
        (folder / kind).mkdir(parents=True, exist_ok=True)
        for i in range(each):
            rate = rates[i % len(rates)]
            path = folder / kind / f"{kind}_{i:03d}.{FORMATS[i % len(FORMATS)]}"
            soundfile.write(path, wave_of(kind, rate, 0.25, random), rate)
