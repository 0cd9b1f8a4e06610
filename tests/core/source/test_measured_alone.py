"""A script prints the metrics of its task, and those are the run's."""

from pathlib import Path

import pytest

from core.analyse import analyse_project
from core.project import open_project
from core.train import prepare, view_run, worker
from tests.core.source.alone import run_alone

PROJECTS = Path(__file__).parents[3] / "projects"
TASKS = {
    "rnn_letter_names": ("accuracy",),
    "multilabel_digits": ("accuracy", "f1"),
    "siamese_digits": ("accuracy",),
    "triplet_digits": ("accuracy",),
    "seq2seq_dates": ("accuracy", "perplexity"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TASKS)
def test_what_a_script_prints_is_what_the_run_measured(name: str, tmp_path: Path) -> None:
    project = open_project(PROJECTS / f"{name}.loom.json")
    settings = {"epochs": 2, "threads": 1, "device": "cpu"}
    run_dir = prepare(project, analyse_project(project), tmp_path / "runs", settings)
    printed = run_alone((run_dir / "script.py").read_text("utf-8"), tmp_path)
    assert worker.main(run_dir) == 0
    metrics = view_run(run_dir).metrics
    found = [f"validation loss {metrics['val_loss']:.4f}"]
    for metric in TASKS[name]:
        form = ".2%" if metric == "accuracy" else ".4g"
        found.append(f"{metric} {metrics[f'val_{metric}']:{form}}")
    assert ", ".join(found) in printed.splitlines()[1]
