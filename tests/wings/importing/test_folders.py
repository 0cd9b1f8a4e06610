"""What a killed server left among the temporary files is cleared, and nothing else."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from app.wings.importing import folders as import_folders
from tests.app.cli.test_workbench_start import ROOT, free_port, wait_for


def gone() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def left(home: Path, name: str, hours: float) -> Path:
    folder = home / name
    folder.mkdir()
    (folder / "weights.safetensors").write_bytes(b"1")
    then = time.time() - hours * 3600
    os.utime(folder, (then, then))
    return folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_folders_of_processes_that_are_gone_are_cleared_after_an_hour(home: Path):
    pid = gone()
    old = left(home, f"layerloom-import-{pid}-a", 2)
    new = left(home, f"layerloom-import-{pid}-b", 0.5)
    mine = left(home, f"layerloom-import-{os.getpid()}-c", 2)
    import_folders.clear()
    assert [old.exists(), new.exists(), mine.exists()] == [False, True, True]


def test_folders_that_name_no_process_are_cleared_after_a_day(home: Path):
    old, new = left(home, "layerloom-import-x1", 25), left(home, "layerloom-import-x2", 23)
    import_folders.clear()
    assert [old.exists(), new.exists()] == [False, True]


def test_links_and_folders_of_other_names_stay_with_what_is_in_them(home: Path):
    other = left(home, "another", 99)
    link = home / f"layerloom-import-{gone()}-d"
    link.symlink_to(other)
    os.utime(link, (0, 0), follow_symlinks=False)
    inside = left(home, f"layerloom-import-{gone()}-e", 2)
    (inside / "link").symlink_to(other)
    os.utime(inside, (0, 0))
    import_folders.clear()
    assert link.is_symlink()
    assert (other / "weights.safetensors").exists()
    assert not inside.exists()


def test_a_new_folder_names_its_process(home: Path):
    with import_folders.new() as folder:
        assert Path(folder).name.startswith(f"layerloom-import-{os.getpid()}-")


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_what_pages_kept_for_a_while_is_gone_however_it_was_ended(
    number: signal.Signals, tmp_path: Path
) -> None:
    port = free_port()
    code = "from app.wings.importing import folders; kept = folders.new(); "
    code += "from app.cli import main; "
    code += f"raise SystemExit(main(['open', '--no-browser', '--port', '{port}']))"
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, env=os.environ | {"TMPDIR": str(tmp_path)}
    )
    wait_for(f"http://localhost:{port}")
    assert len(list(tmp_path.glob("layerloom-import-*"))) == 1
    process.send_signal(number)
    assert process.wait(600) == 0
    assert list(tmp_path.glob("layerloom-import-*")) == []
