"""The engine trains what a careful person's loop trains, to the bit; so says its benchmark."""

import gc
import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.core.engine.test_compiled_step import as_noted

BENCH = Path(__file__).resolve().parents[2] / "bench"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(BENCH)
    yield importlib.import_module("engine_vs_loop")
    gc.unfreeze()


@pytest.mark.gate
@pytest.mark.parametrize("name", ["mlp_iris", "mlp_breast_cancer", "lenet_digits"])
def test_weights_are_those_of_a_hand_written_loop(bench: Any, name: str) -> None:
    assert bench.same_weights(bench.task_of(name))


def test_no_times_are_measured_of_another_training(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = bench.task_of("mlp_iris")
    plain = bench.plain_loop
    monkeypatch.setattr(bench, "plain_loop", lambda task, net, epochs: plain(task, net, epochs + 1))
    with pytest.raises(SystemExit, match="mlp_iris: engine and loop end with different weights"):
        bench.check_equal(task, "mlp_iris", {}, 3)


@pytest.mark.slow
def test_the_benchmark_writes_its_table(
    bench: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("core.engine.compiled_step.inductor", as_noted)
    monkeypatch.setattr(bench.peers, "installed", dict)
    monkeypatch.setattr(bench.peers, "missing", list)
    monkeypatch.setattr(bench, "TASKS", {"mlp_iris": (2, 12)})
    monkeypatch.setattr(bench.compile_costs, "WHOLE_RUN", 1)
    monkeypatch.setattr(bench.compile_costs, "MOST_TURNS", 1)
    monkeypatch.setattr(bench.engine_table, "FIGURES", tmp_path / "figures.md")
    monkeypatch.setattr("sys.argv", ["engine_vs_loop.py", "1", "--only", "iris", "--write"])
    bench.main()
    rows = [line.split("|")[1].strip() for line in (tmp_path / "figures.md").open() if "|" in line]
    table = bench.engine_table
    costs = [table.COMPILING, table.WHOLE, table.AUTO_RUN]
    assert rows == ["", "---", *bench.CONTENDERS, *costs]
