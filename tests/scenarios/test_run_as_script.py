"""What a worker does before the first step draws nothing by chance that a script does not."""

from pathlib import Path

import pytest
import torch

from core.analyse import analyse_project
from core.engine.load_module import load_module
from core.prepare.create import prepare
from core.project import open_project
from tests.core.script.alone import run_alone
from tests.core.small_runs import CHANCY_NET, project, train_here

PROJECTS = Path(__file__).parents[2] / "projects"
VARIED = [{"name": "RandomCrop", "padding": 1}, {"name": "GaussianNoise", "sigma": 0.2}]
DIGITS = {"source": "digits", "limit": 60}
DATA = {
    "varied": {**DIGITS, "transform": VARIED},
    "noisy": {**DIGITS, "noise": 0.3},
    "both": {**DIGITS, "transform": VARIED, "noise": 0.3, "normalize": True},
}


def same(run_dir: Path, folder: Path) -> None:
    """Train, run the script that lies in the run folder, and compare to the bit."""
    assert train_here(run_dir).state == "finished"
    run_alone((run_dir / "script.py").read_text(encoding="utf-8"), folder)
    trained = load_module(run_dir, "best").state_dict()
    alone = torch.load(folder / "model.pt", weights_only=True)
    assert [key for key in alone if not torch.equal(alone[key], trained[key])] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", DATA)
def test_a_run_of_varied_samples_ends_as_its_script_does(name: str, tmp_path: Path) -> None:
    found = project(CHANCY_NET, DATA[name], epochs=2, lr=0.01, threads=1, device="cpu")
    same(prepare(found, analyse_project(found), tmp_path / "runs"), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["siamese_digits", "triplet_digits"])
def test_a_limit_counts_samples_before_they_are_paired(name: str, tmp_path: Path) -> None:
    found = open_project(PROJECTS / f"{name}.loom.json")
    changes = {"data.limit": 17, "epochs": 1, "threads": 1, "device": "cpu"}
    same(prepare(found, analyse_project(found), tmp_path / "runs", changes), tmp_path)
