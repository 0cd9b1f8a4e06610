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
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

ROOT = Path(__file__).parents[2]
PATIENCE_MS = 60_000  # of a machine that does much else at the same time
START_S = 120
LIMIT_S = 900
POLICY = "Content Security Policy"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test with a browser waits for much: more than one patience must fit into its time."""
    for item in items:
        here = item.path.is_relative_to(Path(__file__).parent)
        if here and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(LIMIT_S))


@dataclass(frozen=True)
class Server:
    """A running workbench: its address, its workspace and its runs."""

    address: str
    workspace: Path
    runs: Path


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]


def wait_for(address: str, process: subprocess.Popen, log: Path) -> None:
    """Wait until the server answers."""
    until = time.monotonic() + START_S
    while time.monotonic() < until and process.poll() is None:
        try:
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
        else:
            return
    raise AssertionError(f"The workbench did not start.\n{log.read_text()[-4000:]}")


@contextmanager
def workbench(
    home: Path, more: Mapping[str, str] = {}, base_path: str = ""
) -> Iterator[Server]:  # fmt: skip
    """A workbench in a folder of its own. more: of its environment."""
    workspace, runs = home / "workspace", home / "runs"
    workspace.mkdir(parents=True)
    port = free_port()
    address = f"http://localhost:{port}" + base_path
    command = [sys.executable, "-m", "app.cli", "open", "--no-browser", "--port", str(port)]
    command += ["--base-path", base_path] if base_path else []
    given = {"LAYERLOOM_HOME": str(home / "home"), "PYTHONPATH": str(ROOT), **more}
    log = home / "server.log"
    with log.open("w") as file:
        process = subprocess.Popen(
            [*command, "--runs", str(runs)],
            cwd=workspace,
            env=os.environ | given,
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_for(address, process, log)
        yield Server(address, workspace, runs)
    finally:
        end(process)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory):
    with workbench(tmp_path_factory.mktemp("workbench")) as found:
        yield found


def end(process: subprocess.Popen) -> None:
    process.terminate()
    try:
        process.wait(30)
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
    """A page of a fresh browser profile. An error of a script on it fails the test, and so does
    what the server's Content-Security-Policy keeps it from.

    What was last seen is left as last-seen.png in the test's temporary folder.
    """
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, reduced_motion="reduce", accept_downloads=True
    )
    context.set_default_timeout(PATIENCE_MS)
    page: Page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if POLICY in said.text else None)
    yield page
    page.screenshot(path=tmp_path / "last-seen.png")
    context.close()
    assert errors == []
