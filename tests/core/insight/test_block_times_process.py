"""Blocks are measured on a GPU only where no run holds it, and nothing of it is kept."""

import os
import signal
from pathlib import Path

import pytest
import torch

from core.insight import block_times_process
from core.insight.canvas_queries import timed
from core.project.graph_json import graph_to_json
from core.worker import job_queue
from core.worker.machine import queue_folder
from tests.core.drawing import END, chain

DRAWING = chain(("data", ("Input", {"shape": (4,)})), ("fc1", ("Linear", {"out_features": 3})), END)


@pytest.fixture
def queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A queue of its own on a machine with one GPU."""
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(job_queue, "gpus", lambda: ["0"])
    return Path(queue_folder())


def test_where_runs_hold_every_gpu_blocks_are_measured_on_the_processor_which_is_named(
    queue: Path,
) -> None:
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        ticket = job_queue.enqueue(queue, job_queue.ResourceRequest("run", gpu=True))
        job_queue.position(ticket)
        os.write(writer, b"1")
        signal.pause()
    os.read(reader, 1)
    found = timed(graph_to_json(DRAWING), "Small", 8)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    assert found["device"] == "CPU, because runs use every GPU"
    assert list(found["ms"]) == ["fc1"]


@pytest.mark.slow
def test_a_free_gpu_is_held_while_another_process_measures_on_it(
    queue: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[str] = []
    apart = block_times_process._apart  # pyright: ignore[reportPrivateUsage]

    def noted(graph: dict, name: str, batch: int, gpu: str) -> dict:
        held.extend(path.read_text() for path in queue.glob("*.json"))
        return apart(graph, name, batch, gpu)

    monkeypatch.setattr(block_times_process, "_apart", noted)
    found = timed(graph_to_json(DRAWING), "Small", 8)
    assert list(found["ms"]) == ["fc1"]
    assert '"granted": true, "threads": 1, "gpu": "0"' in held[0]
    assert list(queue.glob("*.json")) == []
    assert not torch.cuda.is_initialized()


@pytest.mark.slow
def test_what_is_wrong_with_a_drawing_is_raised_from_the_other_process(queue: Path) -> None:
    drawing = chain(("data", ("Input", {"shape": (4,)})), ("fc1", "Linear"), END)
    with pytest.raises(ValueError, match="Measuring needs a network without errors"):
        timed(graph_to_json(drawing), "Small", 8)
