"""A network while it trains, read from the files its run writes: no torch, nothing disturbed.

The functions mirror those of `views`, with a run folder as the argument.
"""

import os
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from core.files.safe_path import open_file
from core.insight.confusion_scores import Confusion, scored
from core.insight.samples import class_colours_of
from core.insight.thumbnails import (
    FilterShot,
    Miss,
    Sample,
    Shot,
    class_picture,
    filter_shot,
    sample,
    sample_picture,
    shoot,
)
from core.runs.files import read_json
from core.tasks.metric_labels import plain


def watch(run: Path) -> None:
    """Request feature maps: the run writes them for the next 10 s."""
    viewer = run / "viewer"
    viewer.touch()
    os.utime(viewer)


def _arrays(path: Path) -> dict[str, Any]:
    """Arrays of a file, {} where it is not there yet. Pickles are refused."""
    try:
        with open_file(path) as packed, np.load(packed, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (OSError, EOFError, ValueError, zipfile.BadZipFile):
        return {}


def samples(run: Path) -> list[Sample]:
    """The eight validation samples that a run shows feature maps of."""
    arrays = _arrays(run / "live" / "samples.npz")
    classes = read_json(run / "spec.json").get("classes", [])
    if not {"inputs", "targets"} <= set(arrays):
        return []
    saved_answers = arrays.get("answers")
    answers = (
        saved_answers.tolist()
        if saved_answers is not None
        else [answer(t, classes) for t in arrays["targets"]]
    )
    words = arrays["words"].tolist() if "words" in arrays else [""] * len(answers)
    cells = arrays["cells"].tolist() if "cells" in arrays else [()] * len(answers)
    rows = enumerate(zip(arrays["inputs"], answers, words, cells, strict=True))
    return [_sample(i, *row) for i, row in rows]


def _sample(index: int, value: Any, true: str, words: str, cells: Sequence[str]) -> Sample:
    if words:
        return Sample(index, b"", true, (), words)
    return replace(sample(index, value, true), cells=tuple(cells))


def answer(target: Any, classes: list[str]) -> str:
    """A target in words: its class, its number, "" for pictures."""
    if np.ndim(target) and np.size(target) > 1:
        return ""
    number = np.asarray(target).reshape(-1)[0]
    if classes and 0 <= int(number) < len(classes):
        return str(classes[int(number)])
    return plain(float(number))


def strip(run: Path, index: int, blocks: dict[str, str]) -> list[Shot]:
    """Small pictures of each module's output for a sample, in the order of `blocks`."""
    shots = [_shot(run, index, node, block, 132, 12) for node, block in blocks.items()]
    return [shot for shot in shots if shot is not None]


def maps(run: Path, index: int, node: str, block: str) -> Shot | None:
    """A large picture of one module's output, at most 16 channels; None before there is one."""
    return _shot(run, index, node, block, 680, 16)


def _shot(run: Path, index: int, node: str, block: str, width_px: int, limit: int) -> Shot | None:
    value = _arrays(run / "live" / "features" / f"{node}.npz").get("value")
    if value is None or index >= len(value):
        return None
    return shoot(node, block, value[index], width_px, limit)


def filters(run: Path) -> FilterShot | None:
    """Filters of the first convolution as they are now; None without one."""
    arrays = _arrays(run / "live" / "filters.npz")
    if not {"weight", "node"} <= set(arrays) or arrays["weight"].ndim not in (3, 4):
        return None
    return filter_shot(str(arrays["node"]), arrays["weight"])


def confusion(run: Path) -> Confusion | None:
    """The confusion matrix of the last validation; None before it."""
    data = read_json(run / "live" / "confusion.json")
    return scored(data["matrix"], data["classes"]) if "matrix" in data else None


def misses(run: Path) -> list[Miss]:
    """The worst validation samples of the last epoch, worst first."""
    data = read_json(run / "live" / "mistakes.json")
    arrays = _arrays(run / "live" / "mistakes.npz")
    items, inputs = data.get("items", []), arrays.get("inputs", ())
    if len(items) != len(inputs):  # the two files are written one after the other
        return []
    classes, colours = data.get("classes", []), class_colours_of(run)
    return [_miss(k, item, arrays, classes, colours) for k, item in enumerate(items)]


def _miss(
    k: int, item: dict[str, Any], arrays: dict[str, Any], classes: list[str], colours: list[str]
) -> Miss:
    true = answer(item["target"], classes) if "target" in item else item.get("is", "")
    prediction = answer(item["predicted"], classes) if "predicted" in item else item.get("said", "")
    drawn = [arrays[name][k] for name in ("outputs", "targets") if name in arrays]
    more = tuple(shown for value in drawn if (shown := sample_picture(value)))
    if colours:
        more = tuple(class_picture(arrays["inputs"][k], value, colours) for value in drawn)
    words, cells = item.get("words", ""), item.get("cells", ())
    shown = _sample(int(item["index"]), arrays["inputs"][k], true, words, cells)
    loss = item.get("loss")
    miss = Miss(
        shown, prediction, item.get("confidence"), float(loss) if loss is not None else 0.0, more
    )
    if len(drawn) == 2 and drawn[0].dtype.kind == "f" and not prediction and not more:
        return replace(miss, lines=(drawn[1].ravel().tolist(), drawn[0].ravel().tolist()))
    return miss
