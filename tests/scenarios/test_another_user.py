"""Another user of this machine, a real one, gets nothing of a workbench that runs."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import free_port

ROOT = Path(__file__).parents[2]
OTHER = 65534  # nobody
TOKEN = "a-token-of-this-test"
PATHS = ("/", "/build", "/_stcore/health", "/_stcore/host-config", "/_stcore/script-health-check",
         "/static/js/index.js", "/app/static/canvas/index.js", "/component/x/y",
         "/api/ll/ask/curve", "/api/ll/canvas", "/api/ll/drop", "/api/ll/runs/x",
         "/api/ll/sample/look", "/api/ll/sweeps/x")  # fmt: skip
PATIENCE_S = 600
ASK = """
import os, socket, sys, urllib.error, urllib.request
home, port, *paths = sys.argv[1:]
for path in paths:
    for method in ("GET", "POST"):
        asked = urllib.request.Request(f"http://localhost:{port}{path}", method=method)
        try:
            print(urllib.request.urlopen(asked, timeout=300).status)
        except urllib.error.HTTPError as error:
            print(error.code)
with socket.create_connection(("127.0.0.1", int(port))) as line:
    line.sendall(f"GET /_stcore/stream HTTP/1.1\\r\\nHost: localhost:{port}\\r\\n"
        "Upgrade: websocket\\r\\n"
        "Connection: Upgrade\\r\\nSec-WebSocket-Version: 13\\r\\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\\r\\n\\r\\n".encode())
    print(line.recv(64).split()[1].decode())
try:
    os.listdir(home)
    print("read")
except PermissionError:
    print("closed")
"""


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """The port of a workbench of ours, with a fixed token."""
    port = free_port()
    command = [sys.executable, "-m", "app.cli", "open", "--no-browser", "--port", str(port)]
    given = {"LAYERLOOM_TOKEN": TOKEN, "LAYERLOOM_HOME": str(tmp_path / "home")}
    process = subprocess.Popen(command, cwd=ROOT, env=os.environ | given)
    try:
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


@pytest.mark.slow
@pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can be another user, too"
)
def test_another_user_of_the_machine_gets_403_from_every_route_and_the_channel(
    port: int, tmp_path: Path
) -> None:
    python = shutil.which("python3", path="/usr/bin:/usr/local/bin")
    if python is None:
        pytest.skip("no Python here that another user can start")
    home = tmp_path / "home"
    home.mkdir(mode=0o700, exist_ok=True)
    done = subprocess.run(
        [python, "-I", "-c", ASK, str(home), str(port), *PATHS],
        user=OTHER, group=OTHER, extra_groups=[], cwd="/", text=True, capture_output=True,
        timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    *answers, listed = done.stdout.split()
    assert answers == ["403"] * (2 * len(PATHS) + 1)
    assert listed == "closed"
    asked = urllib.request.Request(
        f"http://localhost:{port}/_stcore/health", headers={"Authorization": f"Bearer {TOKEN}"}
    )
    assert urllib.request.urlopen(asked, timeout=PATIENCE_S).status == 200
