"""The best result of a run in lists: the verdict's metric, of few samples with its uncertainty."""

import json
from pathlib import Path

from app.pages.shared.runs import best_result
from core.runs.listing import RunView


def result(folder: Path, accuracy: float, **baseline: object) -> str:
    """What lists show of a run with this accuracy and this baseline.json."""
    (folder / "baseline.json").write_text(json.dumps(baseline))
    return best_result(
        RunView(folder, "it", "finished", best={"metrics": {"val_accuracy": accuracy}})
    )


def test_an_accuracy_of_60_samples_comes_with_its_uncertainty(tmp_path: Path) -> None:
    assert result(tmp_path, 0.85, samples=60) == "85.0% ± 9"


def test_one_of_many_samples_stands_alone_and_so_does_one_of_unknown_samples(
    tmp_path: Path,
) -> None:
    assert result(tmp_path, 0.986, samples=1000) == "98.6%"
    assert result(tmp_path, 0.85) == "85.0%"
    assert result(tmp_path, 0.85, samples="60") == "85.0%"


def test_a_regression_is_listed_by_the_metric_of_its_verdict(tmp_path: Path) -> None:
    best = {"metrics": {"val_loss": 0.04326, "val_mae": 54.21, "val_r2": 0.95512}}
    view = RunView(tmp_path, "it", "finished", best=best)
    assert best_result(view) == "loss 0.04326"
    (tmp_path / "baseline.json").write_text(json.dumps({"metric": "val_r2", "value": -0.04}))
    assert best_result(view) == "R² 0.955"
