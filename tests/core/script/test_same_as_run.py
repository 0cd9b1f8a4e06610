"""A script and a run of the same project end with the same weights, bit for bit."""

import os
from pathlib import Path

import pytest
import torch

from core.analyse import build
from core.data import load
from core.engine.rng import seed_all
from core.engine.trainer_factory import split_on_device, trainer_from_settings
from core.script.script import write_script
from core.settings.validate import resolve
from tests.core.script.alone import run_alone, run_like_many, script_of
from tests.core.script.hand_made import CASES, Case, lenet

pytestmark = pytest.mark.slow


def weights_of_a_run(made: Case) -> tuple[dict[str, torch.Tensor], dict[str, float]]:
    """Train with the engine; give the best weights and their metrics."""
    info = made.info
    training = resolve(made.project.training, info.task, info.losses)
    data = load(made.project.data, *made.ends, training["seed"])
    seed_all(training["seed"])
    module = build(made.report.source or "", made.report.class_name)
    engine = trainer_from_settings(
        module, training, data, split_on_device(data, torch.device("cpu"))
    )
    for _ in engine.fit():
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
    "progress",
    "progress_of_loss",
    "cut",
    "cut_skips",
    "cut_half",
    "noisy",
    "noisy_half",
    "decay",
    "weighed",
    "weights",
    "counts",
    "skips",
    "skips_shared",
    "half",
    "half_scaled",
    "half_muon",
    "drops_last",
    "in_order",
    "drawn_limited",
)


@pytest.mark.slow
@pytest.mark.needs("g++")
def test_a_compiled_script_ends_where_the_compiled_run_ends(tmp_path: Path) -> None:
    made = lenet(compile="on", epochs=1, optimizer="SGD", lr=0.01)
    weights, _ = weights_of_a_run(made)
    script = write_script(made.project, made.report, made.info)
    assert "compiled = torch.compile(model, dynamic=False)  # shares the weights" in script
    assert "loss = criterion(compiled(x), y)" in script
    assert "evaluate(model, criterion, val_x, val_y)" in script
    run_alone(script, tmp_path, "--device", "cpu", path=os.environ["PATH"])
    saved = torch.load(tmp_path / "model.pt", weights_only=True)
    assert saved.keys() == weights.keys()
    for key, value in saved.items():
        assert torch.allclose(value, weights[key], rtol=1e-3, atol=1e-4), key


EACH = [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in CASES]


@pytest.mark.slow(keep=["lenet", "cut_half"])
@pytest.mark.parametrize("name", EACH)
def test_a_script_ends_with_the_weights_of_the_run(name: str, tmp_path: Path):
    weights, metrics = weights_of_a_run(CASES[name]())
    printed = run_like_many(script_of(name), tmp_path, "--device", "cpu")
    saved = torch.load(tmp_path / "model.pt", weights_only=True)
    assert saved.keys() == weights.keys()
    different = [key for key in saved if not torch.equal(saved[key], weights[key])]
    assert different == []
    assert f"validation loss {metrics['val_loss']:.4f}" in printed
