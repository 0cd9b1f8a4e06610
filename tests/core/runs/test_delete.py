"""A deleted run is gone with its files, and nothing else is."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.common.errors import RunError
from core.prepare.create import new_folder
from core.runs import delete, listing

HOLD = (
    "import fcntl, sys\n"
    "lock = open(sys.argv[1], 'wb')\n"
    "fcntl.lockf(lock, fcntl.LOCK_EX)\n"
    "print('held', flush=True)\n"
    "sys.stdin.read()\n"
)


def made(runs_dir: Path, name: str, state: str = "finished") -> Path:
    folder = runs_dir / name
    (folder / "ckpt").mkdir(parents=True)
    (folder / "spec.json").write_text(json.dumps({"project": "LeNet", "training": {"epochs": 1}}))
    (folder / "status.json").write_text(json.dumps({"state": state, "attempt": 1}))
    (folder / "ckpt" / "best.pt").write_bytes(b"x" * 1000)
    return folder


def listed(runs_dir: Path) -> list[str]:
    return sorted(view.name for view in listing.list_runs(runs_dir))


def test_a_run_goes_with_its_files_and_the_others_stay(tmp_path: Path) -> None:
    for name in ("lenet-001", "lenet-002", "vae-001"):
        made(tmp_path, name)
    assert delete.size_bytes(tmp_path / "lenet-001") > 1000
    delete.delete_run(tmp_path / "lenet-001")
    assert listed(tmp_path) == ["lenet-002", "vae-001"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lenet-002", "vae-001"]


def test_the_name_of_the_newest_run_is_not_given_again(tmp_path: Path) -> None:
    for name in ("lenet-001", "lenet-002"):
        made(tmp_path, name)
    delete.delete_run(tmp_path / "lenet-002")
    assert listed(tmp_path) == ["lenet-001"]
    assert new_folder(tmp_path, "lenet").name == "lenet-003"


def test_a_deletion_that_was_cut_short_is_taken_up_again(tmp_path: Path) -> None:
    rest = tmp_path / ".lenet-001.deleted"
    rest.mkdir()
    (rest / "log.txt").write_text("left over")
    delete.delete_run(made(tmp_path, "lenet-001"))
    assert not rest.exists()
    assert listed(tmp_path) == []


@pytest.mark.parametrize("state", ["running", "paused"])
def test_a_run_that_has_not_ended_stays(tmp_path: Path, state: str) -> None:
    folder = made(tmp_path, "lenet-001", state)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder / "worker.lock")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    with holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(RunError, match=r"^lenet-001 has not ended\. Stop it first\.$"):
            delete.delete_run(folder)
        holder.stdin.close()
    assert (folder / "ckpt" / "best.pt").is_file()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch) -> None:
    folder = made(tmp_path, "lenet-001")

    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(RunError, match=r"^lenet-001 cannot be deleted: Permission denied\."):
        delete.delete_run(folder)
    assert listed(tmp_path) == ["lenet-001"]


def test_a_run_that_was_set_aside_comes_back_whole(tmp_path: Path) -> None:
    for name in ("lenet-001", "lenet-002"):
        made(tmp_path, name)
    kept = delete.set_aside(tmp_path / "lenet-002")
    assert listed(tmp_path) == ["lenet-001"]
    assert delete.list_aside(tmp_path, 30) == [kept]
    assert new_folder(tmp_path, "lenet").name == "lenet-003"
    assert delete.put_back(kept) == tmp_path / "lenet-002"
    assert listed(tmp_path) == ["lenet-001", "lenet-002"]
    assert (tmp_path / "lenet-002" / "ckpt" / "best.pt").read_bytes() == b"x" * 1000
    assert delete.list_aside(tmp_path, 30) == []


def test_a_run_that_was_set_aside_long_ago_is_gone(tmp_path: Path) -> None:
    kept = delete.set_aside(made(tmp_path, "lenet-001"))
    long_ago = time.time() - 31 * 86_400
    os.utime(kept, (long_ago, long_ago))
    assert delete.list_aside(tmp_path, 30) == []
    assert not kept.exists()


def test_another_run_of_the_name_is_not_written_over(tmp_path: Path) -> None:
    kept = delete.set_aside(made(tmp_path, "lenet-001"))
    (tmp_path / "lenet-001").unlink()
    made(tmp_path, "lenet-001")
    with pytest.raises(RunError, match="There is another run called lenet-001"):
        delete.put_back(kept)
