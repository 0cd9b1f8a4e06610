"""How far probabilities can be trusted: calibration and ROC curve, checked by plain torch."""

from pathlib import Path

import pytest
import torch

from core.common.network_ref import ProjectRef
from core.insight.attribution.subject import NoSuch
from core.insight.look.catalogue import look
from core.insight.look.certainty import _groups
from core.insight.look.view import LookRequest
from core.insight.network_cache import judged

PROJECTS = Path(__file__).parents[3] / "projects"


def template(name: str) -> ProjectRef:
    return ProjectRef((PROJECTS / f"{name}.loom.json").read_text("utf-8"))


def test_groups_hold_predictions_of_similar_probability() -> None:
    sure = torch.tensor([0.9] * 10 + [0.6] * 10, dtype=torch.float64)
    right = torch.tensor([1.0] * 9 + [0.0] + [1.0, 0.0] * 5, dtype=torch.float64)
    rows = _groups(sure, right)
    assert [round(row["probability"], 6) for row in rows] == [0.6, 0.6, 0.9, 0.9]
    assert [row["right"] for row in rows] == [0.6, 0.4, 1.0, 0.8]
    assert sum(row["samples"] for row in rows) == 20
    assert [row["samples"] for row in _groups(sure[:4], right[:4])] == [4]


def test_the_calibration_error_is_the_mean_distance_of_probability_and_accuracy() -> None:
    ref = template("mlp_iris")
    document = look(ref, LookRequest("calibration")).document
    groups, total = document["groups"], document["samples"]
    apart = sum(abs(g["probability"] - g["right"]) * g["samples"] for g in groups) / total
    assert document["expected_calibration_error"] == pytest.approx(apart)
    found = judged(ref)
    assert document["share_right"] == float((found.predicted == found.targets).double().mean())


def test_the_area_is_the_chance_that_a_positive_sample_gets_the_higher_probability() -> None:
    ref = template("mlp_breast_cancer")
    document = look(ref, LookRequest("roc")).document
    found = judged(ref)
    assert found.confidence is not None
    assert found.targets is not None
    score = torch.where(found.predicted == 1, found.confidence, 1 - found.confidence).double()
    yes, no = score[found.targets == 1], score[found.targets == 0]
    pairs = yes[:, None] - no[None]
    wanted = float((pairs > 0).double().mean() + (pairs == 0).double().mean() / 2)
    assert document["positive"] == "benign"
    assert document["area"] == pytest.approx(wanted)
    ends = [document["curve"][0], document["curve"][-1]]
    assert [(p["false_positive_rate"], p["true_positive_rate"]) for p in ends] == [(0, 0), (1, 1)]


def test_a_curve_of_more_classes_is_refused_in_words() -> None:
    with pytest.raises(NoSuch, match="predicts 3 classes: a ROC curve needs two"):
        look(template("mlp_iris"), LookRequest("roc"))
