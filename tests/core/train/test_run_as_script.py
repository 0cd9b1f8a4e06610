"""What a worker does before the first step draws nothing by chance that a script does not."""

from pathlib import Path

import pytest
import torch
from small_runs import CHANCY_NET, project, train_here

from core.analyse import analyse_project
from core.train import load_module, prepare
from tests.core.source.alone import run_alone

VARIED = [{"name": "RandomCrop", "padding": 1}, {"name": "GaussianNoise", "sigma": 0.2}]
DATA = {
    "varied": {"source": "digits", "limit": 60, "transform": VARIED},
    "noisy": {"source": "digits", "limit": 60, "noise": 0.3},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DATA)
def test_a_run_of_varied_samples_ends_as_its_script_does(name: str, tmp_path: Path) -> None:
    found = project(CHANCY_NET, DATA[name], epochs=2, lr=0.01, threads=1, device="cpu")
    run_dir = prepare(found, analyse_project(found), tmp_path / "runs")
    assert train_here(run_dir).state == "finished"
    run_alone((run_dir / "script.py").read_text(encoding="utf-8"), tmp_path)
    trained = load_module(run_dir, "best").state_dict()
    alone = torch.load(tmp_path / "model.pt", weights_only=True)
    assert [key for key in alone if not torch.equal(alone[key], trained[key])] == []
