"""A block of own Python that loops delays nobody else, and is not tried again until it changes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from app.process import custom_code, pool
from app.process.custom_code import Overrun, OwnPython, concerned, own_blocks
from app.process.pool import PoolError
from core.common.network_ref import (
    CheckpointRef,
    DrawnRef,
    ImportedRef,
    PartRef,
    ProjectRef,
    RunRef,
)

LOOPS, FINE, ALSO_FINE = "while True: pass", "y = x", "y = 2 * x"


class Worker:
    """Counts calls; one with a text that loops runs out of time."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.busy = False

    def submit(self, timeout_s: float, function: Any, *args: Any) -> str:
        self.calls.append(args[0])
        if "while True" in args[0]:
            raise Overrun(f"The check took longer than {timeout_s:g} s.", "Smaller.", self.busy)
        return "report"


@pytest.fixture
def workers() -> list[Worker]:
    return []


@pytest.fixture
def own(workers: list[Worker]) -> OwnPython:
    def make() -> Worker:
        workers.append(Worker())
        return workers[-1]

    return OwnPython(make)


def ask(own: OwnPython, text: str, graph: str = "") -> str:
    return own.submit({"Gate": text}, 10, len, text + graph)


def test_a_graph_that_loops_is_not_analysed_again_until_it_changes(
    own: OwnPython, workers: list[Worker]
) -> None:
    for _ in range(3):
        with pytest.raises(Overrun, match=r"longer than 10 s\. Its own Python .* \(Gate\)\. It is"):
            ask(own, LOOPS)
    assert len(workers[0].calls) == 1
    with pytest.raises(Overrun):
        ask(own, LOOPS, " # another wire")
    assert len(workers[0].calls) == 2


def test_what_was_analysed_before_never_waits_for_what_was_not(
    own: OwnPython, workers: list[Worker]
) -> None:
    assert ask(own, FINE) == "report"
    with pytest.raises(Overrun):
        ask(own, LOOPS)
    assert ask(own, FINE, " # edited") == "report"
    assert ask(own, ALSO_FINE) == "report"
    assert ask(own, ALSO_FINE, " # edited") == "report"
    first, second = workers
    assert first.calls == [FINE, f"{FINE} # edited", f"{ALSO_FINE} # edited"]
    assert second.calls == [LOOPS, ALSO_FINE]


def test_on_a_busy_machine_it_is_tried_again_after_a_minute(
    own: OwnPython, workers: list[Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(own, FINE)
    workers[0].busy = True
    own._good.add(LOOPS)
    now = [100.0]
    monkeypatch.setattr(custom_code.time, "monotonic", lambda: now[0])
    for _ in range(2):
        with pytest.raises(Overrun, match=r"longer than 10 s\. Smaller\."):
            ask(own, LOOPS)
    now[0] += 61.0
    with pytest.raises(Overrun):
        ask(own, LOOPS)
    assert sum("while" in call for worker in workers for call in worker.calls) == 2


def test_only_trusted_python_counts_and_only_it_leaves_the_shared_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(custom_code, "trusted", lambda text: text == FINE)
    graph = {"composites": {"Gate": {"python": [FINE]}, "Other": {"python": [LOOPS]}, "Plain": {}}}
    assert own_blocks(graph) == {"Gate": FINE}
    asked: list[Mapping[str, str]] = []

    class Refusing:
        def submit(self, blocks: Mapping[str, str], *_: Any) -> None:
            asked.append(blocks)
            raise Overrun("The check took longer than 10 s.", "Change it.")

    class Shared:
        def submit(self, *_: Any) -> str:
            return "shared"

    monkeypatch.setattr(pool, "_own_analysis", Refusing())
    monkeypatch.setattr(pool, "_analysis", Shared())
    assert pool.analyse({"nodes": {}}) == "shared"
    with pytest.raises(PoolError, match=r"10 s\. Change it\."):
        pool.analyse(graph)
    assert asked == [{"Gate": FINE}]


def test_a_call_about_a_network_of_own_python_leaves_the_shared_process(tmp_path: Path) -> None:
    (tmp_path / "project.loom.json").write_text('{"graph": {"composites": {"A": {"python": []}}}}')
    text = (tmp_path / "project.loom.json").read_text()
    assert concerned((RunRef(tmp_path, "1"),))
    assert concerned((ProjectRef(text), 3))
    assert concerned((CheckpointRef(tmp_path, "last"),))
    weights = tmp_path / "weights.safetensors"
    assert all(map(concerned, ([ImportedRef(text, weights)], [DrawnRef(text, tmp_path)])))
    assert concerned((1, [PartRef(text)]))
    assert concerned((text, "runs"))
    assert not concerned((RunRef(tmp_path / "none", "1"), ProjectRef("{}"), None))
    assert pool._worker_for((text,)) is pool._own_work
    assert pool._worker_for(("{}",)) is pool._work
