"""Processes that the server starts import Layerloom, whatever lies in the folder it is in."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.services import module_process

SCRIPT = """
import contextlib, sys
from app.cli import entry

if __name__ == "__main__":
    sys.argv = ["layerloom", "--version"]
    with contextlib.suppress(SystemExit):
        entry()
    from app.process import pool

    print(pool.run(abs, -3, timeout_s=600))
    pool.close()
"""
"""What pip installs as `layerloom`, and then what the server does."""


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with files that have names of modules and leave a mark when imported."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    for name in ("app", "core", "torch", "json", "multiprocessing", "socket"):
        (workspace / f"{name}.py").write_text("open('imported', 'w').close()\n", "utf-8")
    monkeypatch.chdir(workspace)
    return workspace


@pytest.mark.slow
def test_a_process_of_the_pool_imports_no_module_of_the_folder_the_server_is_in(
    workspace: Path, tmp_path: Path
) -> None:
    script = tmp_path / "bin" / "layerloom"
    script.parent.mkdir()
    script.write_text(SCRIPT, "utf-8")
    command = [sys.executable, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "3"
    assert not (workspace / "imported").exists()


@pytest.mark.slow
def test_a_command_that_a_page_starts_imports_no_module_of_the_folder_the_server_is_in(
    workspace: Path, tmp_path: Path
) -> None:
    process = module_process.start_layerloom(["check", "absent.loom.json"], tmp_path / "log.txt")
    assert process.wait() == 2
    assert "absent.loom.json" in (tmp_path / "log.txt").read_text("utf-8")
    assert not (workspace / "imported").exists()
