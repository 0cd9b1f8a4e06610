"""The data of an attempt: read anew each time, told while it is, and the same as when it began."""

import re
import time
from collections.abc import Callable
from typing import Any

from core.data import ends
from core.data.dataset import Dataset, load_project
from core.data.decoding import named

from .errors import RunError
from .rebuild import Rebuilt
from .status import Status

TELL_S = 0.5


def gather(rebuilt: Rebuilt, seed: int, status: Status) -> Dataset:
    """Read what a run learns from, telling how far a folder of pictures is. Raises DataError."""
    inputs, outputs = ends(rebuilt.report.inputs, rebuilt.report.outputs)
    data = load_project(rebuilt.project, inputs, outputs, seed, _telling(status))
    if data.left_out and data.labels is not None:
        count, total = len(data.left_out), len(data.left_out) + len(data.labels)
        status.warn(f"{count:,} of {total:,} pictures cannot be read and are left out: "
                    f"{named(data.left_out)}.")  # fmt: skip
    for text in absent(data):
        status.warn(text)
    return data


def absent(data: Dataset) -> list[str]:
    """What is to be said of classes that one of the parts has no sample of."""
    if data.labels is None:
        return []
    said: list[str] = []
    parts = {"learn from": data.train_indices, "validate with": data.validation_indices}
    for what, rows in parts.items():
        there = set(data.labels[rows.to(data.labels.device)].unique().tolist())
        missing = tuple(name for i, name in enumerate(data.classes) if i not in there)
        if missing:
            said.append(f"No sample to {what} is of class {named(missing)}.")
    return said


def _telling(status: Status) -> Callable[[int, int, int], None]:
    """Write how far it is twice a second, so that a long wait is never taken for silence."""
    told = -TELL_S

    def tell(done: int, total: int, damaged: int) -> None:
        nonlocal told
        now = time.monotonic()
        if done < total and now - told < TELL_S:
            return
        told = now
        bad = f", {damaged:,} cannot be read" if damaged else ""
        status.write(phase=f"decoding pictures: {done:,} of {total:,}{bad}")

    return tell


def check_same(before: dict[str, Any] | None, data: Dataset) -> None:
    """Refuse to go on with other files: what validates might have been learned from before.

    before: the checkpoint, None for a run at its start. Data that we make ourselves can differ in
    its last bits on another machine; that is a warning, as for all else a run depends on.
    Raises RunError.
    """
    began = str(before["fingerprint"].get("data", "")) if before else data.content
    if began == data.content or data.info.given is None:
        return
    message = (
        f"{data.info.given.path} is not the data this run began with: its content was "
        f"{short(began)} and is {short(data.content)} now."
    )
    hint = "Put it back as it was and resume, or train anew; the weights up to here are kept."
    raise RunError("data", message, hint)


def short(value: object) -> str:
    """A value of a fingerprint for people: of a hash its beginning."""
    return str(value)[:12] if re.fullmatch(r"[0-9a-f]{64}", str(value)) else str(value)
