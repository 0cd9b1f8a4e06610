"""The Chromium of tests and benches: LAYERLOOM_CHROMIUM, else what `.ci/chromium` has on this
machine."""

import os
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VARIABLE = "LAYERLOOM_CHROMIUM"


def chromium_path() -> str:
    """The path of a Chromium; "" where there is none."""
    return os.environ.get(VARIABLE) or _installed()


@cache
def _installed() -> str:
    looked = subprocess.run(
        [ROOT / ".ci" / "chromium", "--here"], capture_output=True, text=True, check=False
    )
    return looked.stdout.strip()
