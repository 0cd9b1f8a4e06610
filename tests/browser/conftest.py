"""A workbench of its own for the browser tests, and a real Chromium to drive it.

`tests/chromium.py` finds the browser; where it has none, Playwright takes its own.
"""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Playwright, expect, sync_playwright

from tests.browser.browser_profile import Profile
from tests.browser.patience import LIMIT_S, PATIENCE_MS, START_S
from tests.chromium import chromium_path

ROOT = Path(__file__).parents[2]
POLICY = "Content Security Policy"
FAILED = pytest.StashKey[bool]()
"""Of a test: whether its own lines failed."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Bound each test of this folder; the making of its server and browser has its own bounds."""
    for item in items:
        here = item.path.is_relative_to(Path(__file__).parent)
        if here and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(LIMIT_S, func_only=True))


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


@dataclass(frozen=True)
class Workbench:
    """A running workbench, its process and what that writes."""

    server: Server
    process: subprocess.Popen[bytes]
    log: Path


@contextmanager
def workbench(
    home: Path, more: Mapping[str, str] = {}, base_path: str = "",
    program: Sequence[str] = ("-m", "app.cli"),
) -> Iterator[Server]:  # fmt: skip
    """A workbench in a folder of its own. more: of its environment; program: `layerloom`."""
    with started(home, more, base_path, program) as found:
        yield found.server


@contextmanager
def started(
    home: Path, more: Mapping[str, str] = {}, base_path: str = "",
    program: Sequence[str] = ("-m", "app.cli"),
) -> Iterator[Workbench]:  # fmt: skip
    """Start a workbench, wait until it answers, and end it."""
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
        yield Workbench(Server(address, workspace, runs), process, log)
    finally:
        end(process)


class Servers:
    """One workbench for the whole session, and another where that one has died."""

    def __init__(self, make_home: Callable[[], Path]) -> None:
        self.make_home, self.stack = make_home, ExitStack()
        self.current: Workbench | None = None

    def alive(self) -> "Workbench":
        if self.current is None or self.current.process.poll() is not None:
            self.stack.close()
            self.current = self.stack.enter_context(started(self.make_home()))
        return self.current


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    held = Servers(lambda: tmp_path_factory.mktemp("workbench"))
    with held.stack:
        yield held


@pytest.fixture
def server(servers: Servers) -> Iterator[Server]:
    """A workbench that many tests share. Where it ended, the test in which it did fails."""
    bench = servers.alive()
    yield bench.server
    status = bench.process.poll()
    if status is not None:
        pytest.fail(f"The workbench ended with {status}.\n{bench.log.read_text()[-4000:]}")


def end(process: subprocess.Popen) -> None:
    process.terminate()
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Browsers:
    """One Chromium for the whole session, and another where that one has died."""

    def __init__(self, playwright: Playwright) -> None:
        self.playwright = playwright
        self.current: Browser | None = None
        self.profile: Profile | None = None

    def alive(self) -> Browser:
        if self.current is None or not self.current.is_connected():
            self.current = self.playwright.chromium.launch(
                executable_path=chromium_path() or None, args=["--no-sandbox", "--disable-gpu"]
            )
            self.profile = Profile(self.current, PATIENCE_MS)
        return self.current

    def close(self) -> None:
        if self.current is not None and self.current.is_connected():
            self.current.close()


@pytest.fixture(scope="session")
def browsers() -> Iterator[Browsers]:
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        held = Browsers(playwright)
        yield held
        held.close()


@pytest.fixture
def browser(browsers: Browsers) -> Iterator[Browser]:
    """A Chromium that many tests share. Where it died, the test in which it did fails."""
    browser = browsers.alive()
    yield browser
    if not browser.is_connected():
        pytest.fail("Chromium ended.")


@pytest.fixture
def profile(browser: Browser, browsers: Browsers) -> Profile:
    assert browsers.profile is not None
    return browsers.profile


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
