"""The test part of a run is measured once, at its end, with the best weights."""

from pathlib import Path

import pytest
import torch

from app.cli.watch_run import words_of_test
from core.analyse import analyse_project
from core.data import ends
from core.data.batches.dataset import load_project
from core.engine.load_module import load_module
from core.prepare.create import prepare
from core.runs.files import read_json
from tests.core.small_runs import project, table_net, train_here

IRIS = project(table_net(4, 3), {"source": "iris", "test": 0.2}, epochs=3, threads=1)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run with a part kept apart."""
    folder = prepare(IRIS, analyse_project(IRIS), tmp_path_factory.mktemp("runs"))
    train_here(folder)
    return folder


def test_final_json_and_status_say_what_the_test_part_came_to(run: Path):
    final, status = read_json(run / "final.json"), read_json(run / "status.json")
    assert final["test"] == status["test"]
    assert final["test"]["samples"] == 30
    assert final["test"]["times"] == 1
    assert final["test"]["epoch"] == final["best"]["epoch"]
    assert list(final["test"]["metrics"]) == ["test_loss", "test_accuracy"]


def test_it_is_what_the_best_weights_reach_by_hand(run: Path):
    report = analyse_project(IRIS)
    data = load_project(IRIS, *ends(report.inputs, report.outputs), 0)
    module = load_module(run, "best")
    (inputs,), (targets,) = data.all_test()
    with torch.inference_mode():
        right = (module(inputs).argmax(1) == targets).float().mean().item()
    assert read_json(run / "final.json")["test"]["metrics"]["test_accuracy"] == pytest.approx(right)


def test_the_command_line_says_it_in_a_line(run: Path):
    from core.runs.listing import view_run

    words = words_of_test(view_run(run))
    assert words.startswith("Test set: test loss ")
    assert "(30 samples, weights of epoch " in words


def test_a_run_without_a_test_part_says_nothing_of_one(tmp_path: Path):
    plain = project(table_net(4, 3), {"source": "iris"}, epochs=1, threads=1)
    folder = prepare(plain, analyse_project(plain), tmp_path)
    train_here(folder)
    assert "test" not in read_json(folder / "final.json")
