"""A script and a run of the same project end with the same weights, bit for bit."""

from pathlib import Path

import pytest
import torch

from core.analyse import build
from core.data import load
from core.train.chance import seed_all
from core.train.making import engine_of, parts_of
from core.train.resolve import resolve
from tests.core.source.alone import run_alone, script_of
from tests.core.source.hand_made import CASES

pytestmark = pytest.mark.slow


def weights_of_a_run(name: str) -> tuple[dict[str, torch.Tensor], dict[str, float]]:
    """Train with the engine; give the best weights and their metrics."""
    made = CASES[name]()
    info = made.info
    training = resolve(made.project.training, info.task, info.losses)
    data = load(made.project.data, *made.ends, training["seed"])
    seed_all(training["seed"])
    module = build(made.report.source or "", made.report.class_name)
    engine = engine_of(module, training, data, parts_of(data, torch.device("cpu")))
    for _ in engine.go():
        pass
    assert engine.best is not None
    assert engine.best_weights is not None
    return engine.best_weights, engine.best["metrics"]


QUICK = (
    "shares",
    "average",
    "average_muon",
    "warm_muon",
    "cycle",
    "limit",
    "diabetes",
    "mask",
    "patience",
    "decay",
    "weighed",
    "weights",
    "skips",
    "skips_shared",
)
EACH = [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in CASES]


@pytest.mark.parametrize("name", EACH)
def test_a_script_ends_with_the_weights_of_the_run(name: str, tmp_path: Path):
    weights, metrics = weights_of_a_run(name)
    printed = run_alone(script_of(name), tmp_path, "--device", "cpu")
    saved = torch.load(tmp_path / "model.pt", weights_only=True)
    assert saved.keys() == weights.keys()
    different = [key for key in saved if not torch.equal(saved[key], weights[key])]
    assert different == []
    assert f"validation loss {metrics['val_loss']:.4f}" in printed
