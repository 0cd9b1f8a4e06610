"""Measuring blocks on a GPU that no run holds, in a process of its own.

A process that has used a GPU keeps some hundred MB of its memory until it ends, and whoever
computes beside a run falsifies both. So a ticket of the queue is taken, and the process ends.
"""

import json
import sys
from pathlib import Path
from typing import Any

import torch

from core.analyse import analyse_project
from core.common.device import CPU, usual
from core.insight.block_times import time_blocks
from core.project import Project, graph_from_json
from core.worker import child_process, job_queue
from core.worker.machine import queue_folder
from core.worker.warm_worker import environment

Json = dict[str, Any]
BUSY = "CPU, because runs use every GPU"
TIME_S = 50.0


def measured(graph: Json, name: str, batch: int) -> Json:
    """Measure every block, on a free GPU where there is one.

    Raises ValueError for a drawing with errors.
    """
    if not torch.cuda.is_available():
        return here(graph, name, batch, CPU)
    ticket = _free_gpu()
    if ticket is None:
        return here(graph, name, batch, CPU) | {"device": BUSY}
    try:
        return _apart(graph, name, batch, ticket.gpu)
    finally:
        ticket.leave()


def here(graph: Json, name: str, batch: int, device: str) -> Json:
    """Measure in this process."""
    report = analyse_project(Project(name, "", graph_from_json(graph), {}, {}))
    return time_blocks(report, batch, device)


def _free_gpu() -> job_queue.Ticket | None:
    """A ticket for a GPU, None where all are held; nobody is kept waiting by it for long."""
    queue = Path(queue_folder() or "/nowhere")
    try:
        ticket = job_queue.enqueue(
            queue, job_queue.ResourceRequest(str(queue / "measuring"), gpu=True)
        )
    except OSError:
        return None
    if job_queue.position(ticket) == 0 and ticket.gpu:
        return ticket
    ticket.leave()
    return None


def _apart(graph: Json, name: str, batch: int, gpu: str) -> Json:
    done = child_process.run(
        child_process.module("core.insight.block_times_process"),
        content=json.dumps([graph, name, batch]),
        more=environment(1) | {"CUDA_VISIBLE_DEVICES": gpu},
        text=True,
        timeout_s=TIME_S,
    )
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["the process ended without an error message"])[
            -1
        ]
        raise ValueError(f"Measuring on the GPU failed: {why.removeprefix('ValueError: ')}")
    return json.loads(done.stdout)


if __name__ == "__main__":
    asked = json.loads(sys.stdin.read())
    sys.stdout.write(json.dumps(here(*asked, device=usual())))
