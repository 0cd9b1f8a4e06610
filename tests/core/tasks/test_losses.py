"""Several losses of one Output: each has metrics of its own, in the run and in its script."""

from pathlib import Path

import pytest
import torch

from core.analyse import analyse_project
from core.engine.load_module import load_module
from core.prepare.create import prepare
from core.tasks.metric_labels import quantity
from tests.core.script.alone import run_alone
from tests.core.small_runs import project, train_here

PAINTER = {
    "nodes": {
        "noisy": {"block": "Input", "settings": {"shape": [1, 8, 8]}},
        "paint": {
            "block": "Conv2d",
            "settings": {"out_channels": 1, "kernel_size": 3, "padding": 1},
        },
        "picture": {"block": "Output"},
    },
    "edges": ["noisy -> paint", "paint -> picture"],
}
LOSSES = [
    {"output": "picture", "target": "input", "loss": "MSELoss"},
    {"output": "picture", "target": "input", "loss": "L1Loss", "weight": 0.5},
    {"output": "picture", "target": "input", "loss": "HuberLoss"},
]


@pytest.mark.slow
def test_each_of_them_is_reported(tmp_path: Path) -> None:
    data = {"source": "digits", "limit": 60, "noise": 0.3}
    found = project(PAINTER, data, losses=LOSSES, epochs=2, threads=1, device="cpu")
    run_dir = prepare(found, analyse_project(found), tmp_path / "runs")
    view = train_here(run_dir)
    assert view.state == "finished"
    each = [view.metrics[f"val_{name}_loss"] for name in ("picture", "picture_2", "picture_3")]
    assert len(set(each)) == 3
    assert view.metrics["val_loss"] == pytest.approx(each[0] + 0.5 * each[1] + each[2], rel=1e-5)
    assert each[1] == pytest.approx(view.metrics["val_mae"], rel=1e-5)  # L1Loss is that
    assert [quantity(f"{name}_loss", view.aims) for name in ("picture", "picture_2")] == [
        "loss of picture",
        "loss of picture by L1Loss",
    ]
    printed = run_alone((run_dir / "script.py").read_text(encoding="utf-8"), tmp_path)
    assert "loss of picture by HuberLoss" in printed
    alone = torch.load(tmp_path / "model.pt", weights_only=True)
    trained = load_module(run_dir, "best").state_dict()
    assert [key for key in alone if not torch.equal(alone[key], trained[key])] == []
