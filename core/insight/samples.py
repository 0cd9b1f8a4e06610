"""Generated samples of a run for display, as images and text, from its folder: no torch."""

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from core.insight import predictions as said
from core.insight.confusion_scores import Confusion
from core.insight.images import GREY, arrange, colour, png
from core.insight.predictions import Alike, Answer, Places, Written, words
from core.insight.thumbnails import sample_picture

COLUMNS, WIDTH_PX = 12, 720


@dataclass(frozen=True)
class Made:
    """What was made after one epoch.

    samples: a PNG of new ones, b"" without any. pairs: PNGs of what went in, what came back and,
    where noise was added, what should have. texts: a beginning, and how the network goes on.
    masks: PNGs of what went in, what is right and what the network says. lines, numbers: what is
    right, and what the network says. interval: of numbers, from where to where it says they are.
    similar: whether pairs are told by cosines, not distances; limit: where one class ends.
    """

    samples: bytes = b""
    pairs: tuple[tuple[bytes, ...], ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    masks: tuple[tuple[bytes, bytes, bytes], ...] = ()
    lines: tuple[tuple[list[float], list[float]], ...] = ()
    numbers: tuple[list[float], list[float]] | None = None
    interval: tuple[list[float], list[float]] | None = None
    answers: tuple[Answer, ...] = ()
    matrix: Confusion | None = None
    alike: tuple[Alike, ...] = ()
    similar: bool = False
    limit: float = 0.0
    places: Places | None = None
    written: tuple[Written, ...] = ()


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
    back = [found[name] for name in ("inputs", "outputs", "clean") if name in found]
    return Made(
        samples=_sheet(found["value"]) if "value" in found else b"",
        pairs=tuple(tuple(map(sample_picture, row)) for row in zip(*back, strict=True)),
        texts=_texts(found) if "tokens" in found else (),
        masks=_masks(found) if "said" in found else (),
        answers=said.answers(found),
        matrix=said.matrix(found),
        alike=said.alike(found),
        similar=bool(found.get("similar", False)),
        limit=float(found.get("limit", 0.0)),
        places=said.places(found),
        written=said.written(found),
        **_told(found),
    )


def _masks(found: dict[str, Any]) -> tuple[tuple[bytes, bytes, bytes], ...]:
    sides = zip(found["seen"], found["true"], found["said"], strict=True)
    return tuple((sample_picture(seen), _mask(true), _mask(told)) for seen, true, told in sides)


def _mask(value: Any) -> bytes:
    """A mask (H, W): 0 is dark and 1 light, whatever is in it."""
    tile = colour(np.clip(np.asarray(value, dtype=np.float64), 0, 1), GREY)
    return png(arrange(tile[None], 1, max(96, tile.shape[1]) + 2))


def _told(found: dict[str, Any]) -> dict[str, Any]:
    """Series and numbers as lists; places without a finite number are left out of the numbers."""
    told: dict[str, Any] = {}
    if "lines_said" in found:
        pairs = zip(found["lines_true"].tolist(), found["lines_said"].tolist(), strict=True)
        told["lines"] = tuple(pairs)
    if "numbers_said" in found:
        true, said = found["numbers_true"], found["numbers_said"]
        ends = [found[n] for n in ("numbers_low", "numbers_high") if n in found]
        good = np.isfinite([true, said, *ends]).all(axis=0)
        told["numbers"] = (true[good].tolist(), said[good].tolist())
        if len(ends) == 2:
            told["interval"] = (ends[0][good].tolist(), ends[1][good].tolist())
    return told


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
    pairs = zip(found["prompts"], found["tokens"], strict=True)
    return tuple((words(prompt, alphabet), words(tokens, alphabet)) for prompt, tokens in pairs)
