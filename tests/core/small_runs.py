"""Small projects on real data, run folders of them, and the wait for what a worker does."""

import json
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.project import Project, read_text
from core.runs.listing import RunView, view_run
from core.worker import child_process, main, warm_worker

HELD = Path(__file__).with_name("held_worker.py")
CHANGING = Path(__file__).with_name("changing_worker.py")
GROUP = Path(__file__).with_name("held_group.py")
LIGHT = Path(__file__).with_name("light_warm_worker.py")

CHANCY_NET = {
    "nodes": {
        "image": {"block": "Input", "settings": {"shape": [1, 8, 8]}},
        "conv1": {"block": "Conv2d", "settings": {"out_channels": 4, "kernel_size": 3}},
        "norm1": {"block": "BatchNorm2d"},
        "relu1": {"block": "ReLU"},
        "drop1": {"block": "Dropout", "settings": {"p": 0.3}},
        "flat": {"block": "flatten", "settings": {"start_dim": 1}},
        "fc1": {"block": "Linear", "settings": {"out_features": 10}},
        "logits": {"block": "Output"},
    },
    "edges": [
        "image -> conv1",
        "conv1 -> norm1",
        "norm1 -> relu1",
        "relu1 -> drop1",
        "drop1 -> flat",
        "flat -> fc1",
        "fc1 -> logits",
    ],
}
"""Dropout draws random numbers each step, batch norm keeps buffers: both must come back."""


def project(graph: dict[str, Any], data: dict[str, Any], **training: Any) -> Project:
    """A project as it would stand in a file."""
    layout: dict[str, Any] = {}
    file = {"layerloom": 1, "name": "Small net", "graph": graph, "data": data}
    return read_text(json.dumps({**file, "training": training, "layout": layout}))


def table_net(inputs: int, outputs: int, hidden: int = 16) -> dict[str, Any]:
    """A graph with one hidden layer for a table."""
    return {
        "nodes": {
            "row": {"block": "Input", "settings": {"shape": [inputs]}},
            "fc1": {"block": "Linear", "settings": {"out_features": hidden}},
            "relu1": {"block": "ReLU"},
            "fc2": {"block": "Linear", "settings": {"out_features": outputs}},
            "result": {"block": "Output"},
        },
        "edges": ["row -> fc1", "fc1 -> relu1", "relu1 -> fc2", "fc2 -> result"],
    }


def table_project(path: str = "data/kinds.csv", **training: Any) -> Project:
    """A project that learns from a table of its own."""
    data = {"source": "CSV", "file": path, "target_column": "kind"}
    settings = {"epochs": 2, "threads": 1, **training}
    return project(table_net(2, 2, hidden=4), data, **settings)


def train_here(run_dir: Path) -> RunView:
    """Train in this process instead of a worker's; returns how the run stands afterwards."""
    handler = signal.getsignal(signal.SIGTERM)
    try:
        main.main(run_dir)
    finally:
        signal.signal(signal.SIGTERM, handler)
    return view_run(run_dir)


def until(run_dir: Path, good: Callable[[RunView], bool], timeout_s: float = 800.0) -> RunView:
    """Wait until a run is as wanted."""
    deadline = time.monotonic() + timeout_s
    while True:
        view = view_run(run_dir)
        if good(view):
            return view
        assert time.monotonic() < deadline, view
        time.sleep(0.02)


def ended(view: RunView) -> bool:
    """Whether nothing more will come of this attempt."""
    return view.state not in ("queued", "running")


def hold_workers(patch: pytest.MonkeyPatch, after: int, *file: Path) -> None:
    """Let workers started from here be killed before the step after `after`.

    With a file they stand still there instead, until it is made.
    """
    words = (str(after), *map(str, file))
    command = child_process.module(str(HELD))
    patch.setattr(warm_worker, "worker_command", lambda run_dir: [*command, run_dir, *words])


def change_workers(patch: pytest.MonkeyPatch, change: int, *kill: int) -> None:
    """Let workers started from here change over after `change` steps, killed after `kill`."""
    command, words = child_process.module(str(CHANGING)), [str(n) for n in (change, *kill)]
    patch.setattr(warm_worker, "worker_command", lambda run_dir: [*command, run_dir, *words])


def hold_groups(patch: pytest.MonkeyPatch, event: str, number: int) -> None:
    """Let workers of several runs be killed before an event, counted over their runs."""
    command = child_process.module(str(GROUP), event, str(number))
    patch.setattr(warm_worker, "together_command", lambda run_dirs, how: [*command, how, *run_dirs])


def light_spares(patch: pytest.MonkeyPatch, *step: str) -> list[str]:
    """Let spares import nothing ahead, which is ready at once; with a step, be killed there."""
    light, cold = child_process.module(str(LIGHT), *step, "--spare"), warm_worker.worker_command
    patch.setattr(
        warm_worker, "worker_command", lambda what: light if what == "--spare" else cold(what)
    )
    return light


def warmed(**more: float) -> None:
    """Ask for a spare, and wait until whoever was started for it listens or has given way."""
    warm_worker.warm(**more)
    for thread in threading.enumerate():
        if thread.name == "spare":
            thread.join()
