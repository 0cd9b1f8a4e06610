"""Metrics of several losses bear plain names where people read them; their keys stay."""

from pathlib import Path

import pytest

from core.analyse import analyse_project
from core.data import DataInfo, describe_project, ends
from core.data.facts.loss_terms import aims_of
from core.prepare.create import prepare
from core.project import open_project
from core.runs.compare_runs import aims_of_all
from core.runs.files import read_json, write_json
from core.runs.listing import view_run
from core.tasks.metric_labels import is_share, judged_by, metric_words, quantity

PROJECTS = Path(__file__).parents[3] / "projects"


def info_of(name: str) -> DataInfo:
    project = open_project(PROJECTS / f"{name}.loom.json")
    report = analyse_project(project)
    return describe_project(project, *ends(report.inputs, report.outputs))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("lenet_digits", {}),
        ("two_heads_digits", {"": "digit", "digit": "digit", "picture": "picture"}),
        ("vae_digits", {"": "picture", "picture": "picture", "kl": "kl"}),
        (
            "dcgan_digits",
            {
                "real_score_1": "real_score against 1",
                "made_score_0": "made_score against 0",
                "made_score_1": "made_score against 1",
            },
        ),
    ],
)
def test_every_loss_says_what_it_is_of(name: str, words: dict[str, str]) -> None:
    assert aims_of(info_of(name).terms) == words


def test_a_key_is_put_in_words() -> None:
    aims = {"": "digit", "picture": "picture", "real_score_1": "real_score against 1"}
    assert metric_words("val_accuracy") == "validation accuracy"
    assert metric_words("val_accuracy", aims) == "validation accuracy of digit"
    assert metric_words("val_loss", aims) == "validation loss"  # of all losses together
    assert metric_words("train_picture_mae", aims) == "training mean absolute error of picture"
    assert quantity("real_score_1_loss", aims) == "loss of real_score against 1"
    assert quantity("real_score_1_loss") == "loss of real_score_1"  # of a run older than words
    assert metric_words("of_tomorrow") == "of tomorrow"
    assert judged_by("last") == "the latest"


def test_shares_are_read_in_per_cent_and_nothing_else() -> None:
    keys = ("val_accuracy", "train_picture_iou", "val_coverage", "val_crossing", "val_ler")
    assert all(is_share(key) for key in keys)
    assert not any(is_share(key) for key in ("val_interval_width", "val_mae", "loss", "lr"))


def test_a_run_keeps_the_words_and_one_without_them_is_read_as_before(tmp_path: Path) -> None:
    project = open_project(PROJECTS / "two_heads_digits.loom.json")
    run_dir = prepare(project, analyse_project(project), tmp_path)
    aims = {"": "digit", "digit": "digit", "picture": "picture"}
    assert view_run(run_dir).aims == aims
    old = tmp_path / "old"
    old.mkdir()
    spec = {k: v for k, v in read_json(run_dir / "spec.json").items() if k != "aims"}
    for given in (spec, {**spec, "aims": [1]}, {**spec, "aims": {"": None}}):
        write_json(old / "spec.json", given)
        assert view_run(old).aims == {}
    assert aims_of_all([run_dir]) == aims
    assert aims_of_all([run_dir, old]) == {"digit": "digit", "picture": "picture"}
