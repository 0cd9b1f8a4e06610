"""What does not fit into the free memory is refused before the system must end a process."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from core.analyse import analyse_project
from core.common import memory
from core.insight.load_model import NotReady, open_untrained
from core.worker.error_messages import explain
from tests.core.small_runs import project, table_net, train_here

MIB = 1 << 20
linux = pytest.mark.skipif(sys.platform != "linux", reason="the system tells it on Linux only")


def test_sizes_are_said_in_decimal_units() -> None:
    told = [memory.size(count) for count in (999, 58_000, 1_500_000, 57_608_000_000, 5e12)]
    assert told == ["999 bytes", "58 kB", "1.5 MB", "57.6 GB", "5 TB"]


@linux
def test_what_is_free_is_less_than_what_there_is() -> None:
    found = memory.available_bytes()
    total = int(Path("/proc/meminfo").read_text().split()[1]) * 1024
    assert found is not None
    assert 100 * MIB < found < 2 * total


@pytest.mark.gate
@linux
def test_a_process_that_holds_is_refused_what_is_not_free_and_goes_on() -> None:
    code = f"""
import torch
from core.common import memory
memory.available_bytes = lambda: {256 * MIB}
for _ in range(2):  # holding again counts anew
    memory.reserve_limit()
    kept = torch.ones({128 * MIB}, dtype=torch.uint8)
    try:
        torch.empty({512 * MIB}, dtype=torch.uint8)
    except RuntimeError as error:
        from core.engine.step_errors import is_memory
        from core.worker.error_messages import out_of_memory_message
        print(is_memory(error), out_of_memory_message(error))
print(open("/proc/self/oom_score_adj").read().strip())
"""
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    said = "True Memory ran out, requesting 512 MB more.\n".replace("512", "537")
    assert done.stdout == said * 2 + "500\n"


def test_a_limit_that_was_there_is_never_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[int, int]] = []
    monkeypatch.setattr(memory, "available_bytes", lambda: 1 << 50)
    monkeypatch.setattr(memory, "_original_limit", [])
    monkeypatch.setattr(memory.resource, "getrlimit", lambda _: (3 << 30, 4 << 30))
    monkeypatch.setattr(memory.resource, "setrlimit", lambda _, pair: given.append(pair))
    monkeypatch.setattr(memory, "_step_aside", lambda: None)
    memory.reserve_limit()
    assert given == [(3 << 30, 4 << 30)]


def test_a_process_that_would_go_before_others_already_stays_so(tmp_path: Path) -> None:
    for before, after in (("0\n", "500"), ("1000\n", "1000\n")):
        file = tmp_path / "oom_score_adj"
        file.write_text(before)
        memory._step_aside(file)
        assert file.read_text() == after
    memory._step_aside(tmp_path / "no such file")


def test_a_network_that_cannot_fit_is_refused_before_it_is_built(
    iris_run: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    run_dir = iris_run()
    monkeypatch.setattr(memory, "available_bytes", lambda: 500)
    view = train_here(run_dir)
    assert view.state == "failed"
    assert view.message == (
        "Weights, gradients and the best weights of 131 parameters need at least 1.57 kB of memory,"
        " and 500 bytes are free."
    )
    assert view.hint == "Make fc1 smaller: it has 80 of them."
    monkeypatch.undo()


def test_looking_inside_refuses_what_cannot_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    net = project(table_net(4, 3), {"source": "iris"})
    assert open_untrained(net).module is not None
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    with pytest.raises(NotReady, match=r"The weights and one copy of 131 parameters need at least"):
        open_untrained(net)


def test_what_no_system_tells_forbids_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: None)
    report = analyse_project(project(table_net(4, 3), {"source": "iris"}))
    assert memory.shortage(report.params, 3, "Weights") is None
    memory.reserve_limit()


def test_where_weights_are_the_load_a_smaller_batch_is_not_offered() -> None:
    error = torch.OutOfMemoryError("out of memory")
    said = explain(error, {}, 64, need=58_000_000_000, fixed=57_600_000_000)
    assert said.hint == "Make the network smaller: it needs 57.6 GB even without a batch."
    assert explain(error, {}, 64, need=58_000_000_000, fixed=600_000).hint == (
        "Set batch_size to 32 or less."
    )
