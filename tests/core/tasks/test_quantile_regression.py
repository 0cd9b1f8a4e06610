"""Quantiles: the pinball loss, the metrics of intervals, and a run that its script repeats."""

from pathlib import Path

import numpy as np
import pytest
import torch

from core.analyse import analyse_project
from core.common.errors import DataError, TrainingError
from core.data.facts.info import describe_project
from core.data.sources.io_spec import ends
from core.engine.load_module import load_module
from core.engine.objective import criterion_of
from core.insight import samples
from core.prepare.create import prepare
from core.project import open_project
from core.script.lightning import write_lightning
from core.script.notebook import write_notebook
from core.script.script import write_script
from core.tasks.quantile_regression import PinballLoss
from core.tasks.readings.numeric import Quantiles
from tests.core.script.alone import run_like_many
from tests.core.small_runs import project, table_net, train_here

ROOT = Path(__file__).parents[3]
TEMPLATE = ROOT / "projects" / "quantiles_diabetes.loom.json"
WRITERS = {"_train.py": write_script, ".ipynb": write_notebook, "_lightning.py": write_lightning}


def test_an_error_counts_by_its_side() -> None:
    """For 0.1, an output that is 2 too low costs 0.2, one that is 2 too high costs 1.8."""
    loss = PinballLoss(quantiles=(0.1,), reduction="none")
    assert loss(torch.tensor([[3.0], [7.0]]), torch.tensor([[5.0], [5.0]])).tolist() == [
        [pytest.approx(0.2)],
        [pytest.approx(1.8)],
    ]


def test_it_is_least_at_the_quantiles_of_the_data() -> None:
    target = torch.arange(1.0, 101.0).reshape(-1, 1)
    constant = torch.zeros(3, requires_grad=True)
    optimizer = torch.optim.SGD([constant], lr=20.0)
    for _ in range(2000):
        optimizer.zero_grad()
        PinballLoss()(constant.expand(100, 3), target).backward()
        optimizer.step()
    below = (target <= constant).double().mean(dim=0)
    assert below.tolist() == pytest.approx([0.1, 0.5, 0.9], abs=0.02)


def test_metrics_of_intervals_are_in_the_unit_of_the_number() -> None:
    outputs = torch.tensor([[0.0, 1.0, 2.0], [0.0, 1.0, 2.0], [2.0, 1.0, 0.0], [0.0, 0.5, 1.0]])
    targets = torch.tensor([[1.5], [3.0], [1.0], [1.0]])
    measure = Quantiles(unit=10.0, middle=100.0)
    assert measure.values(measure.sums(outputs, targets)) == {
        "mae": pytest.approx(7.5),  # 0.5, 2, 0 and 0.5 from the middle one
        "coverage": 0.5,
        "interval_width": pytest.approx(7.5),  # 2, 2, -2 and 1
        "crossing": 0.25,
    }


@pytest.mark.parametrize("given", [(0.5, 0.1), (0.5, 0.5), (0.0, 0.5), (0.5, 1.0)])
def test_quantiles_that_do_not_rise_are_refused(given: tuple[float, ...]) -> None:
    with pytest.raises(TrainingError, match="needs quantiles that rise between 0 and 1"):
        criterion_of("PinballLoss", {"quantiles": given})


def test_one_output_is_no_interval() -> None:
    found = project(table_net(10, 1), {"source": "diabetes", "target": "quantiles"})
    report = analyse_project(found)
    with pytest.raises(DataError, match=r"needs several quantiles .* outputs \(N, 1\)"):
        describe_project(found, *ends(report.inputs, report.outputs))


def test_classes_have_no_quantiles() -> None:
    found = project(table_net(4, 3), {"source": "iris", "target": "quantiles"})
    report = analyse_project(found)
    with pytest.raises(DataError, match=r"target is 'quantiles'\. Choose label or input"):
        describe_project(found, *ends(report.inputs, report.outputs))


@pytest.mark.slow
def test_as_many_outputs_as_quantiles_are_needed(tmp_path: Path) -> None:
    found = project(table_net(10, 2), {"source": "diabetes", "target": "quantiles"}, epochs=1)
    view = train_here(prepare(found, analyse_project(found), tmp_path, {"device": "cpu"}))
    assert view.state == "failed"
    assert "3 quantiles need outputs of (N, 3)." in view.message


@pytest.mark.parametrize("ending", WRITERS)
def test_its_files_are_the_golden_ones(ending: str, golden: bool) -> None:
    found = open_project(TEMPLATE)
    report = analyse_project(found)
    info = describe_project(found, *ends(report.inputs, report.outputs))
    text = WRITERS[ending](found, report, info)
    file = ROOT / "tests" / "golden" / f"quantiles_diabetes{ending}"
    if golden:
        file.write_text(text, "utf-8")
    assert text == file.read_text("utf-8")


@pytest.mark.slow
def test_a_run_is_repeated_by_its_script_and_draws_intervals(tmp_path: Path) -> None:
    found = open_project(TEMPLATE)
    settings = {"epochs": 2, "threads": 1, "device": "cpu"}
    run = prepare(found, analyse_project(found), tmp_path / "runs", settings)
    view = train_here(run)
    assert view.state == "finished"
    assert {"val_mae", "val_coverage", "val_interval_width", "val_crossing"} <= view.metrics.keys()
    printed = run_like_many((run / "script.py").read_text("utf-8"), tmp_path)
    assert f"coverage {view.metrics['val_coverage']:.4g}" in printed
    alone = torch.load(tmp_path / "model.pt", weights_only=True)
    trained = load_module(run, "best").state_dict()
    assert [key for key in alone if not torch.equal(alone[key], trained[key])] == []
    shown = samples.read_samples(run, 2)
    assert shown is not None
    assert shown.numbers is not None
    assert shown.interval is not None
    (true, _), (low, high) = shown.numbers, shown.interval
    inside = np.mean([a <= x <= b for x, a, b in zip(true, low, high, strict=True)])
    assert inside == pytest.approx(view.metrics["val_coverage"])
    assert 25 <= min(true) < 60  # in their own unit, as the progression is given
