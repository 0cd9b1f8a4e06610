"""What all tests share: one thread, a home of their own, and `--golden`."""

import gc
import multiprocessing.util
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests import tiers
from tests.tiers import (  # noqa: F401
    pytest_collection_modifyitems,
    pytest_runtest_logstart,
    pytest_runtest_setup,
    pytest_terminal_summary,
)

# Before anything imports torch: two test processes with all threads each only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["LAYERLOOM_TOKEN"] = ""  # a workbench that is tested lets in whoever reaches it
os.environ["LAYERLOOM_SPARE"] = "0"  # pages that are tested would each warm a process of 0.4 GB

# A shell has what it runs in the background ignore Ctrl-C, as nohup has a terminal's end ignored,
# and children inherit that.
DEFAULTS = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL}
for number, default in DEFAULTS.items():
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, default)


if find_spec("hypothesis"):  # a machine that only runs tests/gpu can do without
    from hypothesis import HealthCheck, settings

    # The same examples each time, however busy the machine is; EXAMPLES in the environment draws
    # anew.
    settings.register_profile(
        "steady", deadline=None, derandomize="EXAMPLES" not in os.environ, database=None,
        suppress_health_check=[HealthCheck.too_slow],
    )  # fmt: skip
    settings.load_profile("steady")


@pytest.hookimpl(trylast=True)  # after pytest has decided where its own folder is
def pytest_configure(config: pytest.Config) -> None:
    """Let what tests and their processes leave lie in the session's own folder, and go with it."""
    folder = config._tmp_path_factory.getbasetemp()  # which has no public name this early
    os.environ["LAYERLOOM_HOME"] = str(folder / "home")
    os.environ["TMPDIR"] = str(folder / "tmp")
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(folder / "tmp" / "compiled"))
    for name in ("home", "tmp"):
        (folder / name).mkdir()
    tempfile.tempdir = None  # it was asked for before
    config.add_cleanup(lambda: shutil.rmtree(folder / "tmp", ignore_errors=True))


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over what stays to the end, and come less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(tryfirst=True)  # before pytest's own folder goes, which this lies in
def pytest_sessionfinish() -> None:
    """Let the folder of a fork server go, and all that was kept from the garbage collector: what
    libraries clean up last, they report as leaked where it is still there.

    Workers end before: without its queue, which goes here, one would be waited for without end.
    """
    if "app.process.pool" in sys.modules:
        sys.modules["app.process.pool"].close()
    multiprocessing.util._run_finalizers()
    gc.unfreeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--golden", action="store_true", help="write golden files anew, to be read as a diff"
    )
    tiers.pytest_addoption(parser)
    parser.addoption("--soak", type=int, default=500, help="how many edits the soak makes")
    parser.addoption("--seed", type=int, default=1, help="the random edits of the soak")


@pytest.fixture(scope="session", autouse=True)
def first_environment() -> dict[str, str]:
    """Variables as the first test has them."""
    return dict(os.environ)


@pytest.fixture(scope="module", autouse=True)
def _environment_of_a_module(first_environment: dict[str, str]) -> None:
    """What fixtures of the module before have set is gone, and what a thread that it left sets."""
    _restore(first_environment)


@pytest.fixture(autouse=True)
def _environment() -> Iterator[None]:
    """Variables that a command sets in this process are gone before the next test."""
    before = dict(os.environ)
    yield
    _restore(before)


def _restore(wanted: dict[str, str]) -> None:
    own = {name: os.environ[name] for name in os.environ if name.startswith("PYTEST_")}
    if dict(os.environ) != wanted | own:
        os.environ.clear()
        os.environ.update(wanted | own)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written instead of compared."""
    return bool(request.config.getoption("--golden"))


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that own data is read from, with no project opened beside it."""
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(tmp_path))
    for name in ("LAYERLOOM_OPEN", "LAYERLOOM_BESIDE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path
