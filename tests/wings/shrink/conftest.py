"""A small trained network that every way can take, and its tries, made once."""

from pathlib import Path

import pytest

from core.analyse import analyse_project
from core.prepare.create import prepare
from core.wings.shrink.catalogue import tries_of
from core.wings.shrink.rows import Row
from core.wings.shrink.run import shrink
from tests.core.small_runs import project, train_here

NET = {
    "nodes": {
        "image": {"block": "Input", "settings": {"shape": [1, 8, 8]}},
        "conv1": {"block": "Conv2d", "settings": {"out_channels": 8, "kernel_size": 3}},
        "norm1": {"block": "BatchNorm2d"},
        "relu1": {"block": "ReLU"},
        "flat": {"block": "flatten", "settings": {"start_dim": 1}},
        "fc1": {"block": "Linear", "settings": {"out_features": 64}},
        "relu2": {"block": "ReLU"},
        "fc2": {"block": "Linear", "settings": {"out_features": 10}},
        "logits": {"block": "Output"},
    },
    "edges": [
        "image -> conv1", "conv1 -> norm1", "norm1 -> relu1", "relu1 -> flat", "flat -> fc1",
        "fc1 -> relu2", "relu2 -> fc2", "fc2 -> logits",
    ],
}  # fmt: skip


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of that network on the digits, trained once for all tests of the room."""
    found = project(NET, {"source": "digits"}, epochs=6, lr=0.01, threads=1)
    run = prepare(found, analyse_project(found), tmp_path_factory.mktemp("shrink") / "runs")
    train_here(run)
    return run


WAYS = ("onnx-int8-dynamic", "structured:0.5", "low-rank:0.5", "unstructured:0.5", "fuse")


@pytest.fixture(scope="session")
def rows(trained: Path) -> dict[str, Row]:
    """The rows of the ways that take little time, without training after them."""
    return {row.name: row for row in shrink(trained, tries_of(WAYS, epochs=0))}
