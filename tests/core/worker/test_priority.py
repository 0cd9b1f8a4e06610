"""How much of the processors a run takes from those who edit beside it."""

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.files.home import PERSON
from core.worker import main

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="threads have no priority here")


@pytest.mark.parametrize(("person", "nice"), [("", -20), ("ann", 10)])
def test_a_run_of_a_class_works_behind_those_who_edit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, person: str, nice: int
) -> None:
    """Another process has the run, so that this one ends before it trains. Outside of a class it
    keeps the priority that it was started with."""
    monkeypatch.setenv(PERSON, person)
    monkeypatch.setattr(main, "take_lock", lambda *_, **__: None)
    before = os.getpriority(os.PRIO_PROCESS, 0)
    with ThreadPoolExecutor(1) as aside:
        assert aside.submit(main.main, tmp_path).result() == main.BUSY
        number = aside.submit(threading.get_native_id).result()
        assert os.getpriority(os.PRIO_PROCESS, number) == max(before, nice)
