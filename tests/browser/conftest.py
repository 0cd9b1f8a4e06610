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
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, expect, sync_playwright

from tests.browser.browser_profile import Profile

ROOT = Path(__file__).parents[2]
PATIENCE_MS = 360_000  # of a machine that does much else at the same time
START_S = 360
LIMIT_S = 1500
POLICY = "Content Security Policy"
FAILED = pytest.StashKey[bool]()
"""Of a test: whether its own lines failed."""


@pytest.hookimpl(tryfirst=True)  # before -m is looked at
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests of this folder drive a browser. Such a test waits for much: more than one patience
    must fit into its time.
    """
    for item in items:
        if not item.path.is_relative_to(Path(__file__).parent):
            continue
        item.add_marker(pytest.mark.browser)
        if not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(LIMIT_S))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note what a test came to before its fixtures end."""
    report = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
    return report


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
        except urllib.error.HTTPError:  # it answers, if only that a token is wanted
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
        else:
            return
    raise AssertionError(f"The workbench did not start.\n{log.read_text()[-4000:]}")


@contextmanager
def workbench(
    home: Path, more: Mapping[str, str] = {}, base_path: str = "",
    program: Sequence[str] = ("-m", "app.cli"),
) -> Iterator[Server]:  # fmt: skip
    """A workbench in a folder of its own. more: of its environment; program: `layerloom`."""
    workspace, runs = home / "workspace", home / "runs"
    workspace.mkdir(parents=True)
    port = free_port()
    address = f"http://localhost:{port}" + base_path
    command = [sys.executable, *program, "open", "--no-browser", "--port", str(port)]
    command += ["--base-path", base_path] if base_path else []
    given = {"LAYERLOOM_HOME": str(home / "home"), "PYTHONPATH": str(ROOT), "LAYERLOOM_TOKEN": "",
             **more}  # fmt: skip
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


@pytest.fixture(scope="session")
def profile(browser: Browser):
    profile = Profile(browser, PATIENCE_MS)
    yield profile
    profile.close()


@pytest.fixture
def fresh_profile(profile: Profile):
    """For a test that changes what cannot be cleaned, or looks at a first visit."""
    profile.close()
    yield
    profile.close()


@pytest.fixture
def page(request: pytest.FixtureRequest, profile: Profile, tmp_path: Path):
    """A page of an empty browser profile. An error of a script on it fails the test, and so does
    what the server's Content-Security-Policy keeps it from.

    What a test saw as it failed is left as last-seen.png in its temporary folder.
    """
    page = profile.page()
    errors: list[str] = []

    def on_error(error: object) -> None:
        errors.append(str(error))

    def on_console(message: ConsoleMessage) -> None:
        if POLICY in message.text:
            errors.append(message.text)

    page.on("pageerror", on_error)
    page.on("console", on_console)
    yield page
    failed = errors or request.node.stash.get(FAILED, True)
    if failed:
        page.screenshot(path=tmp_path / "last-seen.png")
        profile.close()
    else:
        profile.clean()
        page.remove_listener("pageerror", on_error)
        page.remove_listener("console", on_console)
    assert errors == []
