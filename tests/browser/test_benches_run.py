"""The benchmarks that drive a browser run in their shortest form; no figure is judged."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import pytest

from tests.bench import (
    canvas_drag,
    canvas_figures,
    journeys,
    pen_to_prediction,
    product,
    start_page,
)
from tests.bench.workbench import CHROMIUM

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path(CHROMIUM).exists(), reason=f"there is no {CHROMIUM}"),
]
T = TypeVar("T")
SHORT = canvas_figures.Effort(
    sizes=(20, 200), edits=2, models=("squeezenet1_1",), model_edits=2, memory_edits=2
)


@pytest.fixture(autouse=True)
def _as_it_was(monkeypatch: pytest.MonkeyPatch):
    """A benchmark has its process to itself: what it sets there is set back."""
    for name in ("LAYERLOOM_HOME", "LAYERLOOM_RUNS", "LAYERLOOM_WORKSPACE"):
        monkeypatch.setenv(name, "")  # so that it is known what was there before
        monkeypatch.delenv(name)
    monkeypatch.delenv("LAYERLOOM_SPARE", raising=False)


def in_a_thread(measure: Callable[[], T]) -> T:
    """Playwright runs once in a thread, and the tests before may have begun it in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(measure).result()


@pytest.mark.timeout(600, func_only=True)  # three browsers, one after the other
def test_the_figures_of_the_canvas_are_measured(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(canvas_drag, "SECONDS", 0.5)
    text = in_a_thread(lambda: canvas_figures.measured(SHORT))
    for kind in ("one block", "every block", "all in view"):
        assert figures(text, f"   20 blocks, {kind}")[0] > 0
        assert figures(text, f"  200 blocks, {kind}")[0] > 0
    for kind in ("idle", "drag", "pan", "scroll", "zoom", "pan, all"):
        assert figures(text, f"  200 blocks, {kind} ")[0] > 0
    assert figures(text, "squeezenet1_1")[1] > 0
    assert "server and its workers" in text
    assert "- dragging at 200 blocks: " in text


def figures(text: str, head: str) -> list[float]:
    """The numbers of the first line of the table with this head."""
    line = next(line for line in text.splitlines() if line.startswith(head))
    words = line.removeprefix(head).replace("|", " ").split()
    return [float(word) for word in words if word.replace(".", "", 1).isdigit()]


def test_what_a_student_waits_for_is_measured(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(product, "POINTS", 2000)
    found = in_a_thread(lambda: product.measured(1, watched_s=2.0))
    assert list(found) == [
        "click to first point, cold", "click to first point, with the spare",
        "click on Stop to stopped", "memory of a worker, MB",
        f"page with {product.POINTS:,} points to its curve", "poll of 20 viewers on 10 runs",
    ]  # fmt: skip
    assert all(value > 0 for values in found.values() for value in values)


def test_the_start_page_is_timed_cold_and_warm():
    found = in_a_thread(lambda: start_page.measured(1, warm=1))
    assert list(found) == [
        "server, from its command to its first answer", "cold, first paint", "cold, usable",
        "warm, first paint", "warm, usable",
    ]  # fmt: skip
    assert all(0 < value < 600 for values in found.values() for value in values)
    assert found["cold, first paint"] < found["cold, usable"]
    assert "| warm, usable | " in start_page.table(found, 0.0)


def test_journeys_are_a_table(capsys: pytest.CaptureFixture[str]):
    journeys.main(["tests/browser/test_journeys_counted.py"])
    assert "| two clicks and a key | 2 | 1 | 3 | 0 | 0 |" in capsys.readouterr().out


def test_the_way_from_the_pen_to_the_prediction_is_measured():
    found = in_a_thread(lambda: pen_to_prediction.measured(3, ("LeNet",)))
    assert {part: len(times) for part, times in found["LeNet"].items()} == {
        "pen": 3, "echo": 3, "values": 3,
    }  # fmt: skip
    assert "| LeNet | " in pen_to_prediction.table(found, 0.5)
