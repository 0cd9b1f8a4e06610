"""`--nproc 2` and the training script for torchrun: one validation, for each kind of norm."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.analyse import analyse_project
from core.files import trust
from core.prepare.create import prepare
from core.project import Project, read_text
from core.runs.listing import read_metrics
from core.settings.launcher import Launcher
from tests.core.script.test_ranks import in_two_processes
from tests.core.small_runs import CHANCY_NET
from tests.wings.launch.worker.forked_workers import train_on_ranks

TWICE = """\
class Twice(nn.Module):
    \"\"\"A norm that a forward pass uses twice.\"\"\"

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm2d(channels, momentum=0.3)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(self.norm(x) * 2 + 1)
"""
TABLE = ["row -> fc1", "fc1 -> norm", "norm -> act", "act -> fc2", "fc2 -> result"]
PICTURE = ["image -> conv", "conv -> norm", "norm -> act", "act -> flat", "flat -> fc", "fc -> y"]
RESIDUAL = [
    *PICTURE[:2],
    "norm -> sum.input",
    "conv -> sum.other",
    "sum -> act",
    *PICTURE[3:],
]


def picture(norm: dict[str, Any], edges: list[str] | None = None) -> dict[str, Any]:
    """A graph on the digits with this norm."""
    nodes = {
        "image": {"block": "Input", "settings": {"shape": [1, 8, 8]}},
        "conv": {"block": "Conv2d", "settings": {"out_channels": 4, "kernel_size": 3}},
        "norm": norm,
        "act": {"block": "ReLU"},
        "flat": {"block": "flatten", "settings": {"start_dim": 1}},
        "fc": {"block": "Linear", "settings": {"out_features": 10}},
        "y": {"block": "Output"},
    }
    more = {"sum": {"block": "add"}} if edges else {}
    return {"nodes": nodes | more, "edges": edges or PICTURE}


def table() -> dict[str, Any]:
    """A graph on the iris table with a norm of rows."""
    nodes = {
        "row": {"block": "Input", "settings": {"shape": [4]}},
        "fc1": {"block": "Linear", "settings": {"out_features": 16}},
        "norm": {"block": "BatchNorm1d"},
        "act": {"block": "ReLU"},
        "fc2": {"block": "Linear", "settings": {"out_features": 3}},
        "result": {"block": "Output"},
    }
    return {"nodes": nodes, "edges": TABLE}


PRINTED = 6e-5  # half of the last digit that a script prints, and the rounding of sums
BATCH_NORM = {"block": "BatchNorm2d"}
TRACKED = {"block": "InstanceNorm2d", "settings": {"track_running_stats": True}}
GRAPHS: dict[str, dict[str, Any]] = {
    "cnn": picture(BATCH_NORM),
    "residual": picture(BATCH_NORM, RESIDUAL),
    "table": table(),
    "tracked instance norm": picture(TRACKED),
    "twice": picture({"block": "Twice", "settings": {"channels": 4}}),
    "momentum none": picture({"block": "BatchNorm2d", "settings": {"momentum": None}}),
    "dropout": CHANCY_NET,
}


def made(name: str, **training: Any) -> Project:
    """A project that has one of the graphs."""
    source = "iris" if name == "table" else "digits"
    own = {"Twice": {"python": TWICE.splitlines()}} if name == "twice" else {}
    settings = {"epochs": 2, "batch_size": 16 if name == "table" else 64, "lr": 0.01, "threads": 1}
    file = {
        "layerloom": 1,
        "name": "Norms",
        "graph": GRAPHS[name],
        "data": {"source": source},
        "training": settings | training,
        "layout": {},
        **({"composites": own} if own else {}),
    }
    return read_text(json.dumps(file))


@pytest.mark.alone
@pytest.mark.slow(keep=["cnn-False"])
@pytest.mark.parametrize("synced", [False, True])
@pytest.mark.parametrize("name", GRAPHS)
def test_a_run_and_its_script_on_two_processes_have_one_validation(
    name: str, synced: bool, run_folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
    trust.trust(TWICE.rstrip("\n"), "Twice")
    found = made(name, sync_batchnorm=synced)
    folder = prepare(found, analyse_project(found), run_folders, launcher=Launcher("torchrun", 2))
    printed = in_two_processes(folder)
    code, _ = train_on_ranks(folder, 2)
    assert code == 0
    epochs = [line for line in read_metrics(folder)[0] if line["kind"] == "epoch"]
    told = [loss for epoch in epochs for loss in epoch["val_loss"]]
    words = [line.split(", ")[1] for line in printed.splitlines() if line.startswith("epoch ")]
    shown = [float(each.removeprefix("validation loss ")) for each in words]
    assert shown == pytest.approx(told, abs=PRINTED)
