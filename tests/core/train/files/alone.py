"""Running a script where nothing of this project can be imported."""

import os
import subprocess
import sys
from pathlib import Path

from core.train.files.script import write_script
from tests.core.train.files.hand_made import CASES, VISION


def script_of(name: str) -> str:
    made = {**CASES, **VISION}[name]()
    return write_script(made.project, made.report, made.info)


def run_alone(script: str, folder: Path, *arguments: str, path: str = "") -> str:
    """Run a script from an empty folder, where nothing of this project can be imported.

    path: where programs are found; usually none are.
    """
    file = folder / "train.py"
    file.write_text(script, encoding="utf-8")
    environment = {"PATH": path, "OMP_NUM_THREADS": "1", "HOME": str(folder)}
    environment |= {name: os.environ[name] for name in ("TMPDIR", "TORCHINDUCTOR_CACHE_DIR")}
    done = subprocess.run(
        [sys.executable, "-I", str(file), *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
