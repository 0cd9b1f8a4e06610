"""What a network made while it trained, as pictures and words, from its run folder: no torch."""

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from core.insight.images import arrange, colour, png
from core.insight.shots import GREY, sample_picture

COLUMNS, WIDTH_PX = 12, 720


@dataclass(frozen=True)
class Made:
    """What was made after one epoch.

    samples: a PNG of new ones, b"" without any. pairs: PNGs of what went in and what came back.
    texts: a beginning, and how the network goes on.
    """

    samples: bytes = b""
    pairs: tuple[tuple[bytes, bytes], ...] = ()
    texts: tuple[tuple[str, str], ...] = ()


def epochs(run: Path) -> list[int]:
    """After which epochs there is something, the first one first."""
    return sorted(int(file.stem) for file in (run / "live" / "made").glob("*.npz"))


def made(run: Path, epoch: int) -> Made | None:
    """What was made after an epoch; None where there is nothing. Pickles are refused."""
    try:
        with np.load(run / "live" / "made" / f"{epoch:06d}.npz", allow_pickle=False) as file:
            found = {name: file[name] for name in file.files}
    except (OSError, EOFError, ValueError, zipfile.BadZipFile):
        return None
    pairs = zip(found.get("inputs", ()), found.get("outputs", ()), strict=False)
    return Made(
        samples=_sheet(found["value"]) if "value" in found else b"",
        pairs=tuple((sample_picture(a), sample_picture(b)) for a, b in pairs),
        texts=_texts(found) if "tokens" in found else (),
    )


def _sheet(value: Any) -> bytes:
    """Pictures (K, C, H, W) in rows, each from its lowest to its highest value."""
    value = np.asarray(value, dtype=np.float64)
    if value.ndim != 4 or value.shape[1] not in (1, 3):
        return b""
    low, high = value.min(axis=(1, 2, 3), keepdims=True), value.max(axis=(1, 2, 3), keepdims=True)
    bright = np.moveaxis((value - low) / np.where(high > low, high - low, 1), 1, -1)
    grey = bright.shape[-1] == 1
    tiles = colour(bright[..., 0], GREY) if grey else np.rint(bright * 255).astype(np.uint8)
    return png(arrange(tiles, COLUMNS, WIDTH_PX))


def _texts(found: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    alphabet = str(found["alphabet"])

    def words(row: Any) -> str:
        return "".join(alphabet[int(t)] if int(t) < len(alphabet) else "\ufffd" for t in row)

    pairs = zip(found["prompts"], found["tokens"], strict=True)
    return tuple((words(prompt), words(tokens)) for prompt, tokens in pairs)
