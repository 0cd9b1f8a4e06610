"""A session of tests leaves nothing behind in the temporary folder of this machine."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
INSIDE = """
import os, tempfile
from pathlib import Path
import torch._inductor.runtime.runtime_utils as compiled
from core.files.home import home, private_folder

def test_it_leaves_things_everywhere(tmp_path):
    mine = Path(os.environ["SEEN"])
    left = [private_folder(home()) / "a", Path(tempfile.mkdtemp()) / "b"]
    left.append(Path(compiled.cache_dir()) / "c")
    for path in (*left, tmp_path / "d"):
        assert mine in path.parents
        path.write_text("left")
"""


@pytest.mark.slow
def test_what_tests_leave_goes_with_their_session(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import *\n")
    (tmp_path / "test_inside.py").write_text(INSIDE)
    seen = tmp_path / "temporary"
    seen.mkdir()
    env = {k: v for k, v in os.environ.items() if "PYTEST" not in k and "INDUCTOR" not in k}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), str(tmp_path)],
        cwd=ROOT,
        env={**env, "TMPDIR": str(seen), "SEEN": str(seen), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert "1 passed" in done.stdout, done.stdout + done.stderr
    assert [path.name for path in seen.rglob("*") if path.is_file()] == []
