"""The process that is ready before an import is asked for: one, taken once, never left behind."""

import time
from collections.abc import Callable

import pytest

from app.wings.importing import spare as import_spare
from tests.wings.importing.test_service import gone

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _close():
    import_spare.close()
    yield
    import_spare.close()


def wait(until: Callable[[], bool]) -> None:
    begin = time.monotonic()
    while not until():
        assert time.monotonic() < begin + 600
        time.sleep(0.02)


def test_one_process_is_ready_and_is_given_to_one_import():
    import_spare.warm()
    import_spare.warm()
    first, second = import_spare.take(), import_spare.take()
    try:
        assert first.pid() != second.pid()
    finally:
        first.close()
        second.close()


def test_one_that_nobody_takes_ends(monkeypatch: pytest.MonkeyPatch):
    import_spare.warm()
    spare = import_spare._ready
    assert spare is not None
    pid = spare.pid()
    monkeypatch.setattr(import_spare, "KEPT_S", 0.0)
    import_spare.warm()
    wait(lambda: import_spare._ready is None)
    wait(lambda: gone(pid))
