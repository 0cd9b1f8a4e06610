"""Checkpoints: whole files, known by their hash, read without running anything.

ckpt/last.pt and the one before it, ckpt/previous.pt, hold all that is needed to go on exactly;
ckpt/best.pt the weights that validated best, or ckpt/best.safetensors, where the run came in a
bundle; ckpt/epoch-000012.pt, where a run keeps its best
epochs whole, all of epoch 12. The SHA-256 of each is recorded twice (`checkpoint_records`), in
ckpt/manifest.json before the file is put in place, so that a crash at any moment leaves only known
files. Nothing needs a disk with hard links.
"""

import errno
import hashlib
import io
import os
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from core.common.device import CPU
from core.common.errors import CheckpointError
from core.common.json_types import is_array, is_dict, is_object
from core.files.safe_path import discard, open_file
from core.runs import checkpoint_records as records
from core.runs.checkpoint_records import EPOCH, Entry
from core.runs.files import sync_folder

NAMES = ("last", "previous", "best")
BROUGHT = "best.safetensors"
"""The best weights of a run that came in a bundle."""
LARGEST_BYTES = 64 << 30
DEPTH = 12
SPARE_BYTES = 1 << 20
"""Bytes that a tensor may have beyond those that are stored, such as repeated positions."""


def epoch_name(epoch: int) -> str:
    """The name of the checkpoint of one of the best epochs that are kept whole."""
    return f"epoch-{epoch:06d}"


def epochs(run_dir: Path) -> list[str]:
    """The kept epochs, newest first."""
    paths = (path.stem for path in (run_dir / "ckpt").glob("epoch-*.pt"))
    return sorted((name for name in paths if EPOCH.fullmatch(name)), reverse=True)


def path_of(run_dir: Path, which: str) -> Path:
    """The file of a checkpoint: last, previous, best, or a kept epoch."""
    if which not in NAMES and not EPOCH.fullmatch(which):
        raise CheckpointError(
            which, f"There is no checkpoint called {which!r}.", _suggest_other(run_dir)
        )
    path = run_dir / "ckpt" / f"{which}.pt"
    brought = path.with_name(BROUGHT)
    return brought if which == "best" and not path.exists() and brought.exists() else path


def hash_of(path: Path) -> str:
    """SHA-256 of a plain file, as hex. Raises OSError."""
    with open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def save(run_dir: Path, which: str, state: dict[str, Any]) -> int:
    """Write a checkpoint of tensors and plain values; returns its bytes. Raises OSError.

    The file that was there stays as previous.pt when `which` is "last", unless it is of the same
    step, as at the end of a run. The folder ckpt/ is made where it is missing.
    """
    folder = run_dir / "ckpt"
    target, temporary = folder / f"{which}.pt", folder / f".{which}.pt.{os.getpid()}.tmp"
    folder.mkdir(exist_ok=True)
    try:
        _write(temporary, state)
        entry = entry_of(temporary, which, state)
        replaced = _entry_in_place(run_dir, target) if which == "last" else None
        again = replaced is not None and replaced["step"] == entry["step"]
        records.announce(folder, entry)
        _put_in_place(folder, temporary, entry, rotate=which == "last" and not again)
        records.confirm(folder, entry, None if again else replaced)
    finally:
        discard(temporary)
    return target.stat().st_size


def _put_in_place(folder: Path, temporary: Path, entry: Entry, rotate: bool) -> None:
    """Rename a checkpoint to its name; the manifest forgets it where that is refused.

    rotate: whether the one in place becomes previous.pt.
    """
    target = folder / f"{entry['which']}.pt"
    try:
        if rotate and target.exists():
            _keep_previous(folder, target)
        temporary.replace(target)
    except OSError:
        with suppress(OSError):  # a record without its file does no harm; the refusal is raised
            records.withdraw(folder, entry)
        raise
    sync_folder(folder)


def _entry_in_place(run_dir: Path, target: Path) -> Entry | None:
    """The record of a file in place; it is read only where its two records disagree."""
    if not target.exists():
        return None
    own = records.own_entry(target.parent, target.stem)
    newest = [e for e in records.entries(run_dir) if e["which"] == target.stem][-1:]
    return own if own in newest else _matching_entry(run_dir, target)


def _write(path: Path, state: dict[str, Any]) -> None:
    import torch

    raw = _ErrorKeepingFile(path, "wb")
    try:
        with io.BufferedWriter(raw) as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())
    except RuntimeError as error:  # torch's own words for a full disk are about positions
        raise raw.refusal or OSError(errno.EIO, os.strerror(errno.EIO)) from error


class _ErrorKeepingFile(io.FileIO):
    """A file that keeps the OSError of a refused write: torch.save hides it."""

    refusal: OSError | None = None

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            self.refusal = error
            raise


def entry_of(file: Path, which: str, state: dict[str, Any]) -> Entry:
    """The record of a checkpoint that has been written to a file."""
    return {
        "which": which,
        "sha256": hash_of(file),
        "bytes": file.stat().st_size,
        "epoch": state["epoch"],
        "step": state["step"],
    }


def _keep_previous(folder: Path, target: Path) -> None:
    """Keep last.pt as previous.pt: a second name, or a copy where the disk has no hard links.

    Renaming it would leave no last.pt for a moment, which a crash would find.
    """
    kept = folder / f".previous.pt.{os.getpid()}.tmp"
    kept.unlink(missing_ok=True)
    try:
        try:
            os.link(target, kept)
        except OSError:  # FAT, exFAT, many network shares: each with another error number
            _copy(target, kept)
        kept.replace(folder / "previous.pt")
    finally:
        kept.unlink(missing_ok=True)


def _copy(source: Path, target: Path) -> None:
    with source.open("rb") as read, target.open("wb") as written:
        shutil.copyfileobj(read, written, 1 << 20)
        written.flush()
        os.fsync(written.fileno())


def verify(run_dir: Path, which: str) -> Entry:
    """Check a checkpoint's bytes without loading it; returns its record.

    Raises CheckpointError when it is missing or damaged, offering another that is good.
    """
    path = path_of(run_dir, which)
    if not path.is_file() or path.is_symlink():
        raise CheckpointError(
            which, f"There is no {which} checkpoint.", _suggest_other(run_dir, which)
        )
    entry = _matching_entry(run_dir, path)
    if entry is None:
        raise CheckpointError(which, _damage(run_dir, path), _suggest_other(run_dir, which))
    return entry


def _matching_entry(run_dir: Path, path: Path) -> Entry | None:
    size = path.stat().st_size
    sizes = [e for e in records.entries(run_dir) if e["bytes"] == size <= LARGEST_BYTES]
    digest = hash_of(path) if sizes else ""
    return next((e for e in sizes if e["sha256"] == digest), None)


def _damage(run_dir: Path, path: Path) -> str:
    """What is wrong with a checkpoint that no record matches, in a sentence."""
    which, size = path.stem, path.stat().st_size
    entry = records.recorded(run_dir, which)
    if entry is None:
        both = f"ckpt/{records.MANIFEST} and ckpt/{which}.json"
        return f"The {which} checkpoint cannot be checked: {both} have no readable record of it."
    text = f"The {which} checkpoint is damaged: its bytes have changed"
    if entry["bytes"] != size:
        return f"{text} ({path.name} has {size:,} bytes instead of {entry['bytes']:,})."
    return f"{text} (the SHA-256 checksum of {path.name}, {size:,} bytes, does not match)."


def intact(run_dir: Path) -> list[str]:
    """Names of the checkpoints whose bytes are those of the manifest."""
    paths = {which: path_of(run_dir, which) for which in NAMES}
    return [w for w, path in paths.items() if path.is_file() and _matching_entry(run_dir, path)]


def _suggest_other(run_dir: Path, refused: str = "") -> str:
    names = [n for n in intact(run_dir) if n != refused]
    if not names:
        return "Start the run again from the beginning."
    entry = _matching_entry(run_dir, path_of(run_dir, names[0])) or {}
    return f"Use the {names[0]} checkpoint instead: step {entry.get('step')}."


def load(run_dir: Path, which: str, device: str = CPU) -> dict[str, Any]:
    """Read a verified checkpoint. Raises CheckpointError; never unpickles code."""
    import torch

    entry = verify(run_dir, which)
    path = path_of(run_dir, which)
    if path.name == BROUGHT:
        import safetensors.torch

        # its annotation leaves open what a PathLike is of
        tensors = safetensors.torch.load_file(path, device)  # pyright: ignore[reportUnknownMemberType]
        return {"model": tensors, "epoch": entry["epoch"], "step": entry["step"]}
    try:
        _refuse_compressed(path)
        state = torch.load(path, map_location=device, weights_only=True)
    except CheckpointError:
        raise
    except Exception as error:  # torch raises many kinds; none of them may pass for a checkpoint
        message = f"The {which} checkpoint cannot be read: {type(error).__name__}."
        raise CheckpointError(which, message, _suggest_other(run_dir, which)) from error
    fault = _fault_of(state) if is_dict(state) else f"it is a {type(state).__name__}"
    if fault:
        message = f"The {which} checkpoint is not a valid checkpoint: {fault}."
        raise CheckpointError(which, message, _suggest_other(run_dir, which))
    return state


def _refuse_compressed(path: Path) -> None:
    """torch writes stored members only; a small file that swells has another origin."""
    with zipfile.ZipFile(path) as archive:
        if any(member.compress_type != zipfile.ZIP_STORED for member in archive.infolist()):
            message = f"{path.name} is compressed; checkpoints of runs are not."
            raise CheckpointError(path.stem, message, "Start the run again.")


def _fault_of(state: Mapping[str, Any]) -> str:
    """What is wrong with the content of a checkpoint, "" for nothing.

    "model" holds tensors by name, "epoch" and "step" are whole numbers, and every tensor is dense
    and stored whole: one of stride 0 would take terabytes as soon as it is copied.
    """
    if missing := [key for key in ("model", "epoch", "step") if key not in state]:
        return f"it has no {missing[0]}"
    for key in ("epoch", "step"):
        if type(state[key]) is not int or state[key] < 0:
            return f"its {key} is {_shown(state[key])}, not a whole number"
    for key in ("model", "ema"):
        weights = state.get(key)
        if weights is None and key == "ema":
            continue
        if not _has_names(weights):
            return f"its {key} is {_shown(weights)}, not weights by name"
    if other := next((n for n, t in state["model"].items() if not _is_tensor(t)), ""):
        return f"{other[:80]} is {_shown(state['model'][other])}, not a tensor"
    for tensor in _tensors(state, 0):
        if str(tensor.layout) != "torch.strided" or tensor.device.type == "meta":
            return "it has a tensor that is not stored as plain numbers"
        nbytes = tensor.numel() * tensor.element_size()
        if nbytes > tensor.untyped_storage().nbytes() + SPARE_BYTES:
            return f"it has a tensor of {tuple(tensor.shape)} that is stored in fewer bytes"
    return ""


def _has_names(weights: object) -> bool:
    """Whether it is a mapping whose keys are all strings."""
    keys: list[object] = [*weights] if is_object(weights) else [None]
    return all(isinstance(key, str) for key in keys)


def _is_tensor(value: Any) -> bool:
    """Whether it is a tensor, as what was read by torch has no other class of this name."""
    return hasattr(value, "untyped_storage")


def _tensors(value: Any, depth: int) -> Iterator[Any]:
    """All tensors in dictionaries, lists and tuples, as deep as states of optimisers go."""
    if _is_tensor(value):
        yield value
    elif depth < DEPTH and (is_object(value) or is_array(value)):
        for part in value.values() if is_object(value) else value:
            yield from _tensors(part, depth + 1)


def _shown(value: Any) -> str:
    text = repr(value) if isinstance(value, str | int | float | None) else type(value).__name__
    return text if len(text) <= 80 else f"{text[:80]}…"
