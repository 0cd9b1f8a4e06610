"""A spare leaves the driver alone: that reads only once which GPUs its process may see."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).resolve().parents[2]
LOOKED_FOR = """
import os, sys
from pathlib import Path
import torch
from core.worker import preload, setup

def count():
    return Path(f"{sys.argv[1]}.{os.getpid()}").read_text().count("find library=libcuda.so")

before = count()
preload.preload()
assert count() == before
torch.ones(1, requires_grad=True).sum().backward()  # what a spare must not do
assert count() == before + 1
"""


@pytest.mark.slow
@pytest.mark.skipif(
    sys.platform != "linux" or not torch.version.cuda or torch.cuda.is_available(),
    reason="seen by the loader of Linux, looking for a driver that is not there",
)
def test_a_spare_does_not_ask_the_driver_before_a_gpu_is_granted(tmp_path: Path) -> None:
    """The first backward pass of a process does, even on the processor."""
    log = str(tmp_path / "loader")
    env = {**os.environ, "PYTHONPATH": str(ROOT), "LD_DEBUG": "libs", "LD_DEBUG_OUTPUT": log}
    subprocess.run([sys.executable, "-c", LOOKED_FOR, log], check=True, env=env, timeout=600)
