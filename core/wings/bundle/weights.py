"""Weights in a bundle: safetensors, and nothing else. Their header is checked without torch."""

import json
import struct
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

from core.common.errors import ProjectError, RunError
from core.files.messages import fail, quote
from core.files.strict import parse
from core.wings.bundle.archive import ANEW

LARGEST_HEAD = 16 << 20
BITS = {
    "BOOL": 8,
    "U8": 8,
    "I8": 8,
    "F8_E4M3": 8,
    "F8_E5M2": 8,
    "I16": 16,
    "U16": 16,
    "F16": 16,
    "BF16": 16,
    "I32": 32,
    "U32": 32,
    "F32": 32,
    "F64": 64,
    "I64": 64,
    "U64": 64,
    "C64": 64,
}
"""Size of a number of each type that a file of tensors may name."""


def check_safetensors(path: Path, name: str) -> None:
    """Refuse a file whose head and bytes do not agree. Raises ProjectError naming it."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        try:
            ends = sorted(_spans(_read_head(file, size)))
        except (ProjectError, ValueError, TypeError, KeyError) as error:
            why = error.message if isinstance(error, ProjectError) else "its header is invalid"
            fail(name, f"is not a safetensors file: {why.rstrip('.')}.", ANEW)
    at = 0
    for begin, end in ends:
        if begin != at:
            fail(name, "is not a safetensors file: its tensors overlap or leave gaps.", ANEW)
        at = end
    with path.open("rb") as file:
        head = struct.unpack("<Q", file.read(8))[0]
    if at != size - 8 - head:
        fail(name, f"declares {at:,} bytes of tensors but has {size - 8 - head:,}.", ANEW)


def _read_head(file: BinaryIO, size: int) -> Mapping[str, Any]:
    file.seek(0)
    start = file.read(8)
    length = struct.unpack("<Q", start)[0] if len(start) == 8 else 0
    if not 1 < length <= min(LARGEST_HEAD, size - 8):
        raise ValueError("length of the head")
    head = parse(file.read(length).decode("utf-8"), LARGEST_HEAD, 6)
    if not isinstance(head, dict):
        raise TypeError("head")
    return head


def _spans(head: Mapping[str, Any]) -> list[tuple[int, int]]:
    """First and last byte of each tensor, as far as its sizes agree with them."""
    spans: list[tuple[int, int]] = []
    for name, tensor in head.items():
        if name == "__metadata__":
            continue
        shape, (begin, end) = tensor["shape"], tensor["data_offsets"]
        numbers = [*shape, begin, end]
        if any(type(n) is not int or not 0 <= n < 1 << 48 for n in numbers) or len(shape) > 32:
            raise ValueError(name)
        if prod(shape) * BITS[tensor["dtype"]] != 8 * (end - begin):
            fail("", f"the shape of {quote(name)} does not match its bytes")
        spans.append((begin, end))
    return spans


def export_best(run_dir: Path, out: Path) -> dict[str, int] | None:
    """Write the best weights of a run as safetensors; the epoch and step they are of.

    None for a run that has none. Imports torch. Raises CheckpointError for damaged ones, RunError
    where they cannot be written.
    """
    from core.runs import checkpoint

    path = checkpoint.path_of(run_dir, "best")
    if not path.is_file():
        return None
    import safetensors.torch

    from core.engine.ema import weights_of

    state = checkpoint.load(run_dir, "best")
    tensors = {k: v.detach().cpu().clone().contiguous() for k, v in weights_of(state).items()}
    try:
        safetensors.torch.save_file(tensors, out)
    except safetensors.SafetensorError as error:
        message = f"Its weights cannot be written to {out.parent}: {error}."
        raise RunError(run_dir.name, message, "Free some space there.") from error
    return {"epoch": int(state["epoch"]), "step": int(state["step"])}


def write_manifest_of_best(ckpt: Path, best: Mapping[str, int], sha256: str, size: int) -> None:
    """Say in the manifest of a run's checkpoints what its best weights are."""
    entry = {"which": "best", "sha256": sha256, "bytes": size, **best}
    text = json.dumps({"files": [entry]}, separators=(",", ":"))
    (ckpt / "manifest.json").write_text(text, encoding="utf-8")
