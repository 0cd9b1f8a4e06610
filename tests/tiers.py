"""Which tests run in which check: a mark on the test, and nothing else.

    (no mark)   small: `make check`, `make test` and `make test-all` run it
    gate        `make test` and `make test-all`
    slow        `make test-all` only; slow(keep=["*-lenet"]) keeps such parameters in the gate
    alone       starts, kills or counts processes: runs where nothing else runs, not in `make check`

The mark nearest to the test decides, `slow` before `gate`. A test in tests/browser is a browser
test by its folder: never in `make check`, and in the gate only where it is marked `gate`.
"""

import os
import shutil
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

BROWSER = Path(__file__).parent / "browser"
TIERS = ("check", "gate", "all")
TIER_MARKS = ("gate", "slow")
PARTS = ("any", "together", "alone", "browser")
ALL_PROGRAMS = "LAYERLOOM_ALL_PROGRAMS"
"""Where it is set, a program that is not installed fails the test that needs it."""
RUNNING = "LAYERLOOM_RUNNING_DIR"
"""A folder in which each test process names the test it runs, for who ends it by time."""
FIRST_TRY_CHARACTERS = 1500
"""Of what a test failed of before its second try, from the end."""
ALL_ITEMS = pytest.StashKey[list[pytest.Item]]()
"""Of a session: what was collected, before tests of other tiers were left out."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--tier", choices=TIERS, default="all", help="how much to run")
    parser.addoption("--part", choices=PARTS, default="any", help="which tests of the tier")


def tier_of(item: pytest.Item) -> str:
    """Return the smallest tier that runs a test: check, gate or all."""
    found = [
        (node, mark) for node, mark in item.iter_markers_with_node() if mark.name in TIER_MARKS
    ]
    marks = [mark for node, mark in found if node is found[0][0]]
    marks.sort(key=lambda mark: mark.name, reverse=True)  # a slow parameter of a test of the gate
    if not marks:
        if part_of(item) == "browser":
            return "all"
        return "gate" if part_of(item) == "alone" else "check"
    keep = marks[0].kwargs.get("keep", ())
    kept = any(fnmatchcase(parameter(item), pattern) for pattern in keep)
    return "gate" if kept or marks[0].name == "gate" else "all"


def part_of(item: pytest.Item) -> str:
    """Return together, alone or browser."""
    if item.path.is_relative_to(BROWSER):
        return "browser"
    return "alone" if item.get_closest_marker("alone") else "together"


def parameter(item: pytest.Item) -> str:
    """Return the id of a test's parameters, as in brackets behind its name; "" without any."""
    callspec = getattr(item, "callspec", None)
    return callspec.id if callspec else ""


@pytest.hookimpl(tryfirst=True)  # before -m is looked at
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Leave out what the tier and the part do not run; let what drives processes try twice."""
    twice = config.pluginmanager.hasplugin("rerunfailures")
    for item in items:
        if part_of(item) == "browser":
            item.add_marker(pytest.mark.browser)
        if twice and part_of(item) != "together":
            item.add_marker(pytest.mark.flaky(reruns=1))
    session.stash[ALL_ITEMS] = list(items)
    tier, part = config.getoption("--tier"), config.getoption("--part")
    wanted = TIERS[: TIERS.index(tier) + 1]
    kept = [i for i in items if tier_of(i) in wanted and part in ("any", part_of(i))]
    if len(kept) < len(items):
        chosen = set(map(id, kept))
        config.hook.pytest_deselected(items=[item for item in items if id(item) not in chosen])
        items[:] = kept


def pytest_runtest_logstart(nodeid: str) -> None:
    """Name the test that begins."""
    if folder := os.environ.get(RUNNING):
        process = os.environ.get("PYTEST_XDIST_WORKER", "main")
        Path(folder, process).write_text(nodeid, "utf-8")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose program is not installed, by the program's name."""
    programs = [name for mark in item.iter_markers("needs") for name in mark.args]
    lacking = [name for name in programs if shutil.which(name) is None]
    if lacking:
        stop = pytest.fail if os.environ.get(ALL_PROGRAMS) else pytest.skip
        stop(f"{' and '.join(lacking)} {'is' if len(lacking) == 1 else 'are'} not installed")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell what a test failed of that passed, or failed again, when it was tried once more."""
    for report in terminalreporter.stats.get("rerun", []):
        terminalreporter.section(f"first try of {report.nodeid}", sep="-")
        terminalreporter.line(report.longreprtext[-FIRST_TRY_CHARACTERS:])
