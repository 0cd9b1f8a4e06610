"""A script prints the metrics of its task, and those are the run's."""

from pathlib import Path

import pytest
import torch

from core.analyse import analyse_project
from core.engine.load_module import load_module
from core.prepare.create import prepare
from core.project import open_project
from core.runs.listing import view_run
from core.worker import main
from tests.core.script.alone import run_like_many

PROJECTS = Path(__file__).parents[3] / "projects"
TASKS = {
    "rnn_letter_names": ("accuracy",),
    "multilabel_digits": ("accuracy", "f1"),
    "siamese_digits": ("accuracy",),
    "triplet_digits": ("accuracy",),
    "seq2seq_dates": ("accuracy", "perplexity"),
    "ctc_digit_rows": ("accuracy", "ler"),
    "lstm_waves": ("mae", "r2"),
    "two_inputs_diabetes": ("mae", "r2"),
}
SEVERAL = {
    "two_heads_digits": {
        "accuracy": "accuracy of digit",
        "picture_mae": "mean absolute error of picture",
        "digit_loss": "loss of digit",
        "picture_loss": "loss of picture",
    },
    "vae_digits": {
        "mae": "mean absolute error of picture",
        "picture_loss": "loss of picture",
        "kl_loss": "loss of kl",
    },
    "dcgan_digits": {
        "real_score_1_accuracy": "accuracy of real_score against 1",
        "made_score_0_accuracy": "accuracy of made_score against 0",
        "made_score_1_accuracy": "accuracy of made_score against 1",
        "real_score_1_loss": "loss of real_score against 1",
        "made_score_0_loss": "loss of made_score against 0",
        "made_score_1_loss": "loss of made_score against 1",
    },
}
"""Projects with several losses: every one of them is told, and what is measured of each Output."""


@pytest.mark.slow
@pytest.mark.parametrize("name", TASKS)
def test_what_a_script_prints_is_what_the_run_measured(name: str, tmp_path: Path) -> None:
    project = open_project(PROJECTS / f"{name}.loom.json")
    settings = {"epochs": 2, "threads": 1, "device": "cpu"}
    run_dir = prepare(project, analyse_project(project), tmp_path / "runs", settings)
    printed = run_like_many((run_dir / "script.py").read_text("utf-8"), tmp_path)
    assert main.main(run_dir) == 0
    metrics = view_run(run_dir).metrics
    found = [f"validation loss {metrics['val_loss']:.4f}"]
    for metric in TASKS[name]:
        form = ".2%" if metric == "accuracy" else ".4g"
        found.append(f"{metric} {metrics[f'val_{metric}']:{form}}")
    assert ", ".join(found) in printed.splitlines()[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", SEVERAL)
def test_a_script_with_several_losses_tells_all_that_the_run_tells_and_keeps_its_best(
    name: str, tmp_path: Path
) -> None:
    project = open_project(PROJECTS / f"{name}.loom.json")
    settings = {"epochs": 4, "threads": 1, "device": "cpu"}
    run_dir = prepare(project, analyse_project(project), tmp_path / "runs", settings)
    printed = run_like_many((run_dir / "script.py").read_text("utf-8"), tmp_path)
    assert main.main(run_dir) == 0
    measured = {
        k.removeprefix("val_"): v for k, v in view_run(run_dir).metrics.items() if "val_" in k
    }
    found = ", ".join(f"{words} {measured[key]:.4g}" for key, words in SEVERAL[name].items())
    assert set(measured) == {"loss", *SEVERAL[name]}
    assert printed.splitlines()[3].endswith(f"validation loss {measured['loss']:.4f}, {found}")
    saved = torch.load(tmp_path / "model.pt", weights_only=True)
    best = load_module(run_dir, "best").state_dict()
    assert [key for key in best if not torch.equal(best[key], saved[key])] == []
