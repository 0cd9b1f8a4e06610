"""A disk without hard links, a record with a flipped bit, a folder that was deleted."""

import errno
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

from core.common.errors import CheckpointError
from core.runs import checkpoint
from core.runs import checkpoint_records as records
from core.runs.files import read_json

REFUSALS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


def save(run_dir: Path, step: int, which: str = "last") -> None:
    state = {"model": {"w": torch.full((50,), float(step))}, "epoch": 1, "step": step}
    checkpoint.save(run_dir, which, state)


def named(run_dir: Path) -> dict[str, int]:
    """What the manifest names: step of each checkpoint."""
    return {e["which"]: e["step"] for e in read_json(run_dir / "ckpt" / "manifest.json")["files"]}


@pytest.fixture(params=REFUSALS)
def no_links(request: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(request.param, os.strerror(request.param))

    for name in ("link", "symlink"):
        monkeypatch.setattr(os, name, refuse)


@pytest.mark.usefixtures("no_links")
def test_a_disk_without_hard_links_keeps_the_last_two_checkpoints(tmp_path: Path) -> None:
    for step in (7, 14, 21):
        save(tmp_path, step)
    assert checkpoint.load(tmp_path, "last")["step"] == 21
    assert checkpoint.load(tmp_path, "previous")["step"] == 14
    files = {path.name for path in (tmp_path / "ckpt").iterdir()}
    assert files == {"last.pt", "last.json", "previous.pt", "previous.json", "manifest.json"}


def test_the_manifest_names_only_what_is_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(tmp_path, 7)

    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, "_keep_previous", refuse)
        for step in range(14, 100, 7):
            with pytest.raises(OSError, match="Input/output"):
                save(tmp_path, step)
    assert named(tmp_path) == {"last": 7}
    assert checkpoint.load(tmp_path, "last")["step"] == 7
    save(tmp_path, 105)
    assert named(tmp_path) == {"previous": 7, "last": 105}


@pytest.mark.parametrize("file", ["manifest.json", "last.json"])
def test_one_flipped_bit_in_a_record_costs_no_checkpoint(tmp_path: Path, file: str) -> None:
    for step, which in ((7, "last"), (10, "best"), (14, "last")):
        save(tmp_path, step, which)
    path = tmp_path / "ckpt" / file
    whole = path.read_bytes()
    for at in range(0, len(whole), 3):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert checkpoint.intact(tmp_path) == ["last", "previous", "best"]
        assert records.recorded(tmp_path, "last")["step"] == 14
    save(tmp_path, 21)
    assert named(tmp_path) == {"best": 10, "previous": 14, "last": 21}


def test_what_is_damaged_is_named(tmp_path: Path) -> None:
    for step in (7, 14):
        save(tmp_path, step)
    folder = tmp_path / "ckpt"
    last, size = folder / "last.pt", (folder / "last.pt").stat().st_size
    last.write_bytes(last.read_bytes()[:-10])
    with pytest.raises(CheckpointError, match=rf"last.pt has {size - 10:,} bytes .* {size:,}\)"):
        checkpoint.verify(tmp_path, "last")
    (folder / "last.json").write_text("{")
    (folder / "manifest.json").write_text("{")
    said = r"manifest.json and ckpt/last.json have no readable record .*previous.*step 7"
    with pytest.raises(CheckpointError, match=said):
        checkpoint.verify(tmp_path, "last")


def test_records_of_an_older_version_are_one_file_and_count(tmp_path: Path) -> None:
    for step in (7, 14):
        save(tmp_path, step)
    folder = tmp_path / "ckpt"
    for path in (folder / "last.json", folder / "previous.json"):
        path.unlink()
    listed = json.loads((folder / "manifest.json").read_text())["files"]
    text = json.dumps(
        {"files": [{k: v for k, v in each.items() if k != "crc32"} for each in listed]}
    )
    (folder / "manifest.json").write_text(text.replace('"previous"', '"last"'))
    found = [records.recorded(tmp_path, which) for which in ("previous", "last")]
    assert [entry and entry["step"] for entry in found] == [7, 14]
    save(tmp_path, 21)
    assert checkpoint.intact(tmp_path) == ["last", "previous"]
    assert named(tmp_path) == {"previous": 14, "last": 21}


def test_a_deleted_folder_is_made_again(tmp_path: Path) -> None:
    save(tmp_path, 7)
    shutil.rmtree(tmp_path / "ckpt")
    save(tmp_path, 14)
    assert checkpoint.intact(tmp_path) == ["last"]
