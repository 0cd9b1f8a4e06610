"""`layerloom --no-browser` says where it is in one line, and ends calmly with Ctrl-C."""

import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]


def wait_for(address: str, patience_s: float = 600.0) -> None:
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        try:
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
        else:
            return
    raise TimeoutError(address)


@pytest.mark.alone
@pytest.mark.gate
def test_it_names_one_address_and_ends_with_ctrl_c() -> None:
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(
        [sys.executable, "-m", "app.cli", "--no-browser", "--port", str(port)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(address)
    assert process.stderr is not None
    first = process.stderr.readline()
    assert (
        first == f"Layerloom is open at {address}  (Ctrl-C stops it; running trainings continue)\n"
    )
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=900)
    assert (process.returncode, out, err) == (0, "", "")
