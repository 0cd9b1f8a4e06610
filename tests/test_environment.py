"""What a test, its fixtures or a thread change in the environment is gone in the next module."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FIRST = """
import os, pytest

@pytest.fixture(scope="module")
def command():
    os.environ["LAYERLOOM_BESIDE"] = "a fixture's"
    del os.environ["LAYERLOOM_TOKEN"]

def test_sets(command):
    assert os.environ["LAYERLOOM_BESIDE"] == "a fixture's"
    os.environ["LAYERLOOM_OPEN"] = "a test's"

def test_of_the_same_module(command):
    assert os.environ["LAYERLOOM_BESIDE"] == "a fixture's"
    assert "LAYERLOOM_OPEN" not in os.environ
"""
NEXT = """
import os

def test_has_what_the_first_test_had():
    assert not {"LAYERLOOM_BESIDE", "LAYERLOOM_OPEN"} & set(os.environ)
    assert os.environ["LAYERLOOM_TOKEN"] == ""
    assert os.environ["PYTEST_CURRENT_TEST"].startswith("test_b.py")
"""


def test_modules_begin_as_the_first_one_did(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(FIRST)
    (tmp_path / "test_b.py").write_text(NEXT)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.conftest", "--tier=all"]
    done = subprocess.run(
        [*command, f"--rootdir={tmp_path}", "-c", str(tmp_path / "pytest.ini"), str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout
