"""Run all GPU tests, then measure the engine on the GPU: `python -m tests.gpu.all [OUT]`.

Writes tests_*.txt and engine_modes_cuda.md (engine_modes.md on a processor) into OUT. Needs
Python 3.11, torch, torchvision, networkx, safetensors, scikit-learn and pytest; neither Streamlit
nor Layerloom itself has to be installed. At most 8 minutes on one GPU. Where torch sees no GPU, the
tests run on torch's fake devices and on recordings, and the table is one short row of each mode.
"""
# ruff: noqa: T201

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
ALONE = "tests/gpu/test_runs.py"
"""Measures the free memory of the GPU, so nothing else may use it meanwhile."""
LIMITS_S = {"together": 200.0, "alone": 110.0}
TABLE_MINUTES = 3.5
TASKS = ["--tasks", "resnet18", "lenet_digits", "mlp_breast_cancer"]
BATCHES = ["--batches", "64", "512", "--rounds", "5"]
SHORT = ["--tasks", "mlp_breast_cancer", "--batches", "64", "--rounds", "1", "--minutes", "0.3"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 where every test passed and the table was written."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", nargs="?", type=Path, default=Path("out/gpu"))
    parser.add_argument("--minutes", type=float, default=TABLE_MINUTES, help="for the table")
    args = parser.parse_args(arguments)
    args.out.mkdir(parents=True, exist_ok=True)
    out = args.out.resolve()
    gpu = torch.cuda.is_available()
    print(torch.cuda.get_device_name() if gpu else "no GPU: fake devices, recordings", flush=True)
    statuses = [
        _tests(out, "together", ["tests/gpu", f"--ignore={ALONE}", *_processes(6 if gpu else 2)]),
        _tests(out, "alone", [ALONE]),
        _table(out, gpu, args.minutes),
    ]
    return max(statuses)


def _processes(count: int) -> list[str]:
    return ["-n", str(count), "--dist=worksteal"] if find_spec("xdist") else []


def _tests(out: Path, name: str, arguments: list[str]) -> int:
    command = ["-m", "pytest", *arguments, "-rfEs", "--durations=10"]
    command += [f"--junitxml={out / f'{name}.xml'}"]
    return _run(command, out / f"tests_{name}.txt", LIMITS_S[name])


def _table(out: Path, gpu: bool, minutes: float) -> int:
    name = "engine_modes_cuda.md" if gpu else "engine_modes.md"
    how = ["--minutes", str(minutes), *TASKS, *BATCHES] if gpu else SHORT
    command = ["-m", "tests.bench.engine_modes", "--write", str(out / name), *how]
    return _run(command, out / "engine_modes.txt", 60 * minutes + 60)


def _run(command: list[str], log: Path, limit_s: float) -> int:
    """Keep what a command prints in a file; end it after its time, and say so."""
    begin = time.monotonic()
    with log.open("w", encoding="utf-8") as file:
        try:
            status = subprocess.run(
                [sys.executable, *command], cwd=ROOT, stdout=file, stderr=subprocess.STDOUT,
                timeout=limit_s,
            ).returncode  # fmt: skip
        except subprocess.TimeoutExpired:
            status = 1
            file.write(f"\nended after its {limit_s:.0f} s\n")
    print(log.read_text("utf-8")[-3000:])
    print(f"{log.name}: status {status}, {time.monotonic() - begin:.0f} s", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
