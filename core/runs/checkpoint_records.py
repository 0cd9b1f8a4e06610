"""Records of a run's checkpoints, kept twice: in ckpt/manifest.json and beside each checkpoint.

A record names its checkpoint, SHA-256, bytes, epoch and step, with a check sum of these. The
manifest holds all of them and is written before a file is put in place; NAME.json beside NAME.pt
holds its own and is
written after. Damage to either costs no checkpoint. No torch.
"""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from zlib import crc32

from core.common.json_types import is_dict, is_list
from core.runs.files import read_json, write_json

MANIFEST = "manifest.json"
CHECK = "crc32"
ENTRY = {"which": str, "sha256": str, "bytes": int, "epoch": int, "step": int}
EPOCH = re.compile(r"epoch-\d{6,}", re.ASCII)
_FIXED = ("previous", "best", "last")
_NEWEST = ("last", "previous")
Entry = dict[str, Any]


def own_path(folder: Path, which: str) -> Path:
    """The record beside a checkpoint of the folder ckpt/."""
    return folder / f"{which}.json"


def entries(run_dir: Path) -> list[Entry]:
    """All records, in the order in which their files were written; those of no run are left out.

    Records that only their own file holds, where the manifest is damaged, come last.
    """
    folder = run_dir / "ckpt"
    known = _of_manifest(folder)
    own = (own_entry(folder, which) for which in (*_kept_epochs(folder), *_FIXED))
    return [*known, *(each for each in own if each and each not in known)]


def _of_manifest(folder: Path) -> list[Entry]:
    files = read_json(folder / MANIFEST).get("files")
    listed: list[Any] = files if is_list(files) else []
    return [entry for each in listed if (entry := _intact(each))]


def own_entry(folder: Path, which: str) -> Entry | None:
    """The record beside a checkpoint; None where there is none, or a damaged one."""
    entry = _intact(read_json(own_path(folder, which)))
    return entry if entry and entry["which"] == which else None


def _intact(record: Any) -> Entry | None:
    """A record without its check sum; None where it does not match. Older records have none."""
    if not is_dict(record):
        return None
    entry = {key: value for key, value in record.items() if key != CHECK}
    whole = all(isinstance(entry.get(key), kind) for key, kind in ENTRY.items())
    return entry if whole and record.get(CHECK, _sum(entry)) == _sum(entry) else None


def _sum(entry: Entry) -> int:
    return crc32(json.dumps(entry, sort_keys=True).encode())


def _checked(entry: Entry) -> Entry:
    return {**entry, CHECK: _sum(entry)}


def _kept_epochs(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("epoch-*.pt") if EPOCH.fullmatch(path.stem))


def recorded(run_dir: Path, which: str) -> Entry | None:
    """The newest record of a checkpoint, whose file is not read; None where there is none.

    A run of an older version has no record of `previous`: it is the one before the newest `last`.
    """
    folder = run_dir / "ckpt"
    if own := own_entry(folder, which):
        return own
    known = entries(run_dir)
    named = [each for each in known if each["which"] == which]
    if named or which != "previous":
        return named[-1] if named else None
    lasts = [each for each in known if each["which"] == "last"]
    return lasts[-2] if len(lasts) > 1 else None


def announce(folder: Path, entry: Entry) -> None:
    """Put the record of a file that is about to be put in place into the manifest."""
    others = [e for e in entries(folder.parent) if not _same(e, entry)]
    epochs = _kept_epochs(folder)
    rest = [e for e in others if not EPOCH.fullmatch(e["which"]) or e["which"] in epochs]
    _write(folder, [*rest, entry])


def withdraw(folder: Path, entry: Entry) -> None:
    """Take the record of a file that could not be put in place out of the manifest again."""
    _write(folder, [e for e in _of_manifest(folder) if not _same(e, entry)])


def confirm(folder: Path, entry: Entry, previous: Entry | None = None) -> None:
    """Write the record beside a file in place; drop those of files that are there no longer.

    previous: the record of the one that became ckpt/previous.pt on the way.
    """
    which = entry["which"]
    before = {**previous, "which": "previous"} if previous else None
    if before:
        write_json(own_path(folder, "previous"), _checked(before), durable=True)
    write_json(own_path(folder, which), _checked(entry), durable=True)
    gone = (*_NEWEST,) if before else (which,)
    rest = [e for e in _of_manifest(folder) if e["which"] not in gone]
    _write(folder, [*rest, *([before] if before else []), entry])


def forget(folder: Path, which: str) -> None:
    """Delete the record beside a checkpoint that is deleted."""
    own_path(folder, which).unlink(missing_ok=True)


def _same(one: Entry, other: Entry) -> bool:
    return (one["which"], one["sha256"]) == (other["which"], other["sha256"])


def _write(folder: Path, files: Iterable[Entry]) -> None:
    write_json(folder / MANIFEST, {"files": [_checked(each) for each in files]}, durable=True)
