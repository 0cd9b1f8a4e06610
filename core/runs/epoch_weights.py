"""The weights of a run over time: weights/000003.safetensors for epoch 3, as many as have room.

Each file has the weights that were validated after its epoch, under the keys of the network, and
notes (see `read_notes`). An epoch is kept where its number is a multiple of `spacing`, so that what
is left is spread evenly and does not depend on how fast the run was. The newest is kept, too; it is
written a moment later. Plain paths and headers only: no torch.
"""

import json
import re
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from core.common.json_types import is_dict
from core.files.safe_path import open_file

FOLDER = "weights"
LIVE = Path("live") / "weights.safetensors"
"""The newest weights of a run that somebody follows."""
FOLLOWER = "follower"
"""Touched by whoever follows the weights of a run; it writes them for the next 10 s."""
BUDGET_BYTES = 256 << 20
MOST = 128
"""Most bytes and most epochs that a run keeps of its weights."""
LARGEST_HEADER = 16 << 20
_FILE = re.compile(r"(\d{6,})\.safetensors", re.ASCII)


def room_for(size: int) -> int:
    """How many epochs are kept of weights of so many bytes; 0 where not even two have room."""
    count = min(MOST, BUDGET_BYTES // max(1, size))
    return count if count >= 2 else 0


def spacing(epoch: int, room: int) -> int:
    """Every how many epochs one is kept once `epoch` is reached: 1, 2, 4, ..."""
    every = 1
    while epoch // every > room:
        every *= 2
    return every


def path_of(run_dir: Path, epoch: int) -> Path:
    """The file of an epoch."""
    return run_dir / FOLDER / f"{epoch:06d}.safetensors"


def epochs(run_dir: Path) -> list[int]:
    """The epochs whose weights are kept, in order."""
    try:
        found = [_FILE.fullmatch(path.name) for path in (run_dir / FOLDER).iterdir()]
    except OSError:
        return []
    return sorted(int(match[1]) for match in found if match)


def delete(run_dir: Path, which: Iterable[int]) -> None:
    """Delete the weights of these epochs."""
    for epoch in which:
        path_of(run_dir, epoch).unlink(missing_ok=True)


def why_fewer(run_dir: Path, spec: Mapping[str, Any], ended: int) -> str:
    """In a sentence, why not every epoch up to `ended` is kept; "" where each is."""
    kept = epochs(run_dir)
    if len([epoch for epoch in kept if epoch]) >= ended:
        return ""
    if "brought" in spec:
        return "It was imported from a bundle, which does not include the weights of single epochs."
    if "sweep" in spec:
        return "Trials of a sweep keep only their best weights."
    if not kept:
        return (
            "No weights of single epochs were kept: the run is from an older version, or its "
            f"network is larger than {BUDGET_BYTES >> 21} MB."
        )
    if kept[0] > 1:
        return f"Kept from epoch {kept[0]} on: earlier epochs are of another run, or were not kept."
    limit = f"a run may use {BUDGET_BYTES >> 20} MB for them"
    return f"{len(kept)} of {ended + 1} are kept, evenly spaced: {limit}."


def read_notes(path: Path) -> dict[str, Any]:
    """What stands beside the weights: {"epoch", "step", "lr", "norms"}; {} for no such file.

    norms: of the step before, {parameter: [norm of the weight, of its gradient, of its update]}.
    """
    try:
        with open_file(path) as file:
            size = struct.unpack("<Q", file.read(8))[0]
            text = file.read(size) if size <= LARGEST_HEADER else b"{}"
        header: Mapping[str, Any] = json.loads(text)
        notes = json.loads(header["__metadata__"]["notes"])
    except (OSError, ValueError, KeyError, TypeError, struct.error, RecursionError):
        return {}
    return notes if is_dict(notes) else {}
