"""The benchmarks that drive a browser run in their shortest form; no figure is judged."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest

from tests.bench import (
    canvas_drag,
    canvas_edit,
    canvas_figures,
    canvas_memory,
    journeys,
    pages,
    pen_to_prediction,
    start_page,
)
from tests.chromium import chromium_path

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not chromium_path(), reason="there is no Chromium"),
]
T = TypeVar("T")


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


KINDS = ("one block", "every block", "all in view")


def test_edits_of_a_small_canvas_are_measured():
    found = in_a_thread(lambda: canvas_edit.run(20, 2, 1))
    text = canvas_edit.write({20: found}, {}, [])
    assert all(figures(text, f"   20 blocks, {kind}")[0] > 0 for kind in KINDS)


def test_edits_and_motion_of_a_large_canvas_are_measured(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(canvas_drag, "SECONDS", 0.5)
    found = in_a_thread(lambda: canvas_edit.run(200, 2, 1))
    text = canvas_figures.report({200: found}, {}, ("0.1", "0.2"))
    for kind in (*KINDS, "idle ", "drag ", "pan ", "scroll ", "zoom ", "pan, all "):
        assert figures(text, f"  200 blocks, {kind}")[0] > 0
    assert "- dragging at 200 blocks: " in text
    assert "Load before and after: 0.1; 0.2." in text


def test_the_memory_after_many_edits_is_measured():
    found = in_a_thread(lambda: canvas_memory.measure(2))
    assert found["edits"] == 2
    assert found["rss after"] > 50  # MB: a server that has imported torch
    assert "server and its workers" in "\n".join(canvas_memory.table(found))


def figures(text: str, head: str) -> list[float]:
    """The numbers of the first line of the table with this head."""
    line = next(line for line in text.splitlines() if line.startswith(head))
    words = line.removeprefix(head).replace("|", " ").split()
    return [float(word) for word in words if word.replace(".", "", 1).isdigit()]


def test_the_start_page_is_timed_cold_and_warm():
    found = in_a_thread(lambda: start_page.measured(1, warm=1))
    assert list(found) == [
        "server, from its command to its first answer", "cold, first paint", "cold, usable",
        "warm, first paint", "warm, usable",
    ]  # fmt: skip
    assert all(0 < value < 600 for values in found.values() for value in values)
    assert found["cold, first paint"] < found["cold, usable"]
    assert "| warm, usable | " in start_page.table(found, 0.0)


def test_each_page_has_a_mark_beside_its_counts():
    assert pages.JUDGED.keys() == {page.name for page in pages.navigation.PAGES}
    text = pages.table({"train": (10, 57)}, {"train": (15, 118)})
    assert "| Train | 10 / 57 | 15 / 118 | 8.5 | Weights & Biases | one large result" in text


def test_journeys_are_a_table(capsys: pytest.CaptureFixture[str]):
    journeys.main(["tests/browser/test_journeys_counted.py"])
    assert "| two clicks and a key | 2 | 1 | 3 | 0 | 0 |" in capsys.readouterr().out


def test_the_way_from_the_pen_to_the_prediction_is_measured():
    found = in_a_thread(lambda: pen_to_prediction.measured(3, ("LeNet",)))
    assert {part: len(times) for part, times in found["LeNet"].items()} == {
        "pen": 3, "echo": 3, "values": 3,
    }  # fmt: skip
    assert "| LeNet | " in pen_to_prediction.table(found, 0.5)
