"""What a network says of masks, series and numbers is kept beside what is right."""

from pathlib import Path

import numpy as np
import pytest
import torch

from core.analyse import analyse_project
from core.engine.load_module import load_module
from core.insight import samples
from core.prepare.create import prepare
from core.project import open_project
from tests.core.small_runs import train_here

PROJECTS = Path(__file__).parents[3] / "projects"


def trained(name: str, folder: Path) -> tuple[Path, dict[str, np.ndarray]]:
    project = open_project(PROJECTS / f"{name}.loom.json")
    settings = {"epochs": 1, "threads": 1, "device": "cpu"}
    run = prepare(project, analyse_project(project), folder, settings)
    assert train_here(run).state == "finished"
    with np.load(run / "live" / "made" / "000001.npz", allow_pickle=False) as file:
        return run, {name: file[name] for name in file.files}


@pytest.mark.slow
def test_masks_are_what_the_network_says_of_the_pictures_beside_them(tmp_path: Path) -> None:
    run, found = trained("unet_digits", tmp_path)
    assert {k: v.shape for k, v in found.items()} == {
        "seen": (6, 1, 16, 16), "true": (6, 16, 16), "said": (6, 16, 16),
    }  # fmt: skip
    assert set(np.unique(found["true"])) == {0.0, 1.0}
    with torch.inference_mode():
        wanted = load_module(run, "last")(torch.from_numpy(found["seen"])).sigmoid()
    assert np.allclose(found["said"], wanted.reshape(6, 16, 16).numpy(), atol=1e-5)
    shown = samples.read_samples(run, 1)
    assert shown is not None
    assert [len(row) for row in shown.masks] == [3] * 6
    assert len({png for row in shown.masks for png in row}) == 18


@pytest.mark.slow
def test_series_are_kept_with_what_came(tmp_path: Path) -> None:
    run, found = trained("lstm_waves", tmp_path)
    assert found["lines_true"].shape == found["lines_said"].shape == (3, 64)
    shown = samples.read_samples(run, 1)
    assert shown is not None
    assert shown.lines[0][0] == found["lines_true"][0].tolist()
    assert abs(found["lines_true"]).max() > 0.5


@pytest.mark.slow
def test_numbers_are_in_their_own_unit(tmp_path: Path) -> None:
    """The progression of diabetes goes from 25 to 346, its mean is 152: it learns normalised."""
    run, found = trained("regression_diabetes", tmp_path)
    true, predicted = found["numbers_true"], found["numbers_said"]
    assert len(true) == len(predicted) == 88
    assert np.allclose(true, np.round(true), atol=1e-3)
    assert 25 <= true.min() < 60
    assert 250 < true.max() <= 346.001
    assert 60 < predicted.mean() < 250
    shown = samples.read_samples(run, 1)
    assert shown is not None
    assert shown.numbers is not None
    assert shown.numbers[0] == true.tolist()
