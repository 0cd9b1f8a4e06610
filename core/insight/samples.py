"""Generated samples of a run for display, as images and text, from its folder: no torch."""

import re
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from core.common.json_types import is_array
from core.files.safe_path import open_file
from core.insight import predictions
from core.insight.confusion_scores import Confusion
from core.insight.images import GREY, arrange, colour, png
from core.insight.predictions import (
    ClassPrediction,
    EmbeddingMap,
    PairPrediction,
    TextPrediction,
    words,
)
from core.insight.thumbnails import class_picture, sample_picture
from core.runs.files import read_json

COLUMNS, WIDTH_PX = 12, 720
COLOUR = re.compile(r"#[0-9a-f]{6}")


@dataclass(frozen=True)
class EpochSamples:
    """Predictions and generated samples written after one epoch, for display.

    samples: a PNG of generated ones, b"" without any. pairs: PNGs of input, output and, where noise
    was added, the clean input. texts: (prompt, continuation). masks: PNGs of input, true and
    predicted mask. lines, numbers: (true, predicted). interval: (low, high) predicted for numbers.
    similar: whether pairs are compared by cosine similarity, not distance; limit: the threshold
    for the same class.
    """

    samples: bytes = b""
    pairs: tuple[tuple[bytes, ...], ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    masks: tuple[tuple[bytes, bytes, bytes], ...] = ()
    lines: tuple[tuple[list[float], list[float]], ...] = ()
    numbers: tuple[list[float], list[float]] | None = None
    interval: tuple[list[float], list[float]] | None = None
    answers: tuple[ClassPrediction, ...] = ()
    matrix: Confusion | None = None
    pair_predictions: tuple[PairPrediction, ...] = ()
    similar: bool = False
    limit: float = 0.0
    embedding: EmbeddingMap | None = None
    text_predictions: tuple[TextPrediction, ...] = ()


def epochs(run: Path) -> list[int]:
    """The epochs that samples were written after, in order."""
    return sorted(int(file.stem) for file in (run / "live" / "made").glob("*.npz"))


def path_of(run: Path, epoch: int) -> Path:
    """Where the samples of an epoch are written."""
    return run / "live" / "made" / f"{epoch:06d}.npz"


def read_samples(run: Path, epoch: int) -> EpochSamples | None:
    """Read the samples of an epoch; None where there are none. Pickles are refused."""
    try:
        with open_file(path_of(run, epoch)) as packed, np.load(packed, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (OSError, EOFError, ValueError, zipfile.BadZipFile):
        return None
    back = [arrays[name] for name in ("inputs", "outputs", "clean") if name in arrays]
    return EpochSamples(
        samples=_sheet(arrays["value"]) if "value" in arrays else b"",
        pairs=tuple(tuple(map(sample_picture, row)) for row in zip(*back, strict=True)),
        texts=_texts(arrays) if "tokens" in arrays else (),
        masks=_masks(arrays) if "said" in arrays else _classes(run, arrays),
        answers=predictions.class_predictions(arrays),
        matrix=predictions.confusion_matrix(arrays),
        pair_predictions=predictions.pair_predictions(arrays),
        similar=bool(arrays.get("similar", False)),
        limit=float(arrays.get("limit", 0.0)),
        embedding=predictions.embedding_map(arrays),
        text_predictions=predictions.text_predictions(arrays),
        **_series_and_numbers(arrays),
    )


def _masks(arrays: dict[str, Any]) -> tuple[tuple[bytes, bytes, bytes], ...]:
    sides = zip(arrays["seen"], arrays["true"], arrays["said"], strict=True)
    return tuple(
        (sample_picture(seen), _mask(true), _mask(predicted)) for seen, true, predicted in sides
    )


def _classes(run: Path, arrays: dict[str, Any]) -> tuple[tuple[bytes, bytes, bytes], ...]:
    """Pictures with classes of pixels over them, in the colours of the run; () without any."""
    colours = class_colours_of(run)
    if not colours or "classes_said" not in arrays:
        return ()
    sides = (arrays[name] for name in ("seen", "classes_true", "classes_said"))
    return tuple(
        (
            sample_picture(seen),
            class_picture(seen, true, colours),
            class_picture(seen, predicted, colours),
        )
        for seen, true, predicted in zip(*sides, strict=True)
    )


def class_colours_of(run: Path) -> list[str]:
    """The colours that a run keeps for classes of pixels; [] for other runs."""
    kept = read_json(run / "spec.json").get("colours")
    known = kept if is_array(kept) else []
    return [each for each in known if isinstance(each, str) and COLOUR.fullmatch(each)]


def _mask(value: Any) -> bytes:
    """A mask (H, W): 0 is dark and 1 light, whatever is in it."""
    tile = colour(np.clip(np.asarray(value, dtype=np.float64), 0, 1), GREY)
    return png(arrange(tile[None], 1, max(96, tile.shape[1]) + 2))


def _series_and_numbers(arrays: dict[str, Any]) -> dict[str, Any]:
    """Series and numbers as lists; places without a finite number are left out of the numbers."""
    fields: dict[str, Any] = {}
    if "lines_said" in arrays:
        pairs = zip(arrays["lines_true"].tolist(), arrays["lines_said"].tolist(), strict=True)
        fields["lines"] = tuple(pairs)
    if "numbers_said" in arrays:
        true, predicted = arrays["numbers_true"], arrays["numbers_said"]
        bounds = [arrays[n] for n in ("numbers_low", "numbers_high") if n in arrays]
        good = np.isfinite([true, predicted, *bounds]).all(axis=0)
        fields["numbers"] = (true[good].tolist(), predicted[good].tolist())
        if len(bounds) == 2:
            fields["interval"] = (bounds[0][good].tolist(), bounds[1][good].tolist())
    return fields


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


def _texts(arrays: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    alphabet = str(arrays["alphabet"])
    pairs = zip(arrays["prompts"], arrays["tokens"], strict=True)
    return tuple((words(prompt, alphabet), words(tokens, alphabet)) for prompt, tokens in pairs)
