"""A workbench of its own for the browser tests, and a real Chromium to drive it.

LAYERLOOM_CHROMIUM names the browser; else /usr/bin/chromium, else the one Playwright brings.
"""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

ROOT = Path(__file__).parents[2]
PATIENCE_MS = 15_000
START_S = 60


@dataclass(frozen=True)
class Server:
    """A running workbench: its address, its workspace, its runs, and how long it took to start."""

    address: str
    workspace: Path
    runs: Path
    start_s: float


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]


def wait_for(address: str, process: subprocess.Popen, log: Path) -> float:
    """Wait until the server answers; return the seconds that took."""
    begin = time.monotonic()
    while time.monotonic() < begin + START_S and process.poll() is None:
        try:
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
        else:
            return time.monotonic() - begin
    raise AssertionError(f"The workbench did not start.\n{log.read_text()[-4000:]}")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory):
    home = tmp_path_factory.mktemp("workbench")
    workspace, runs = home / "workspace", home / "runs"
    workspace.mkdir()
    port = free_port()
    address = f"http://localhost:{port}"
    command = [sys.executable, "-m", "app.cli", "open", "--no-browser", "--port", str(port)]
    environment = os.environ | {"LAYERLOOM_HOME": str(home / "home"), "PYTHONPATH": str(ROOT)}
    log = home / "server.log"
    with log.open("w") as file:
        process = subprocess.Popen(
            [*command, "--runs", str(runs)],
            cwd=workspace,
            env=environment,
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    try:
        yield Server(address, workspace, runs, wait_for(address, process, log))
    finally:
        end(process)


def end(process: subprocess.Popen) -> None:
    process.terminate()
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def executable() -> str | None:
    named = os.environ.get("LAYERLOOM_CHROMIUM")
    installed = Path("/usr/bin/chromium")
    return named or (str(installed) if installed.exists() else None)


@pytest.fixture(scope="session")
def browser():
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable(), args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser, tmp_path: Path):
    """A page of a fresh browser profile. An error of a script on it fails the test.

    What was last seen is left as last-seen.png in the test's temporary folder.
    """
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, reduced_motion="reduce", accept_downloads=True
    )
    context.set_default_timeout(PATIENCE_MS)
    page: Page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    page.screenshot(path=tmp_path / "last-seen.png")
    context.close()
    assert errors == []
