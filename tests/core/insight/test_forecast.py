"""Forecasts beside what came: the errors of each step, counted by plain torch."""

from pathlib import Path

import pytest
import torch

from core.common.network_ref import ProjectRef
from core.insight.attribution.subject import NoSuch
from core.insight.look.catalogue import look
from core.insight.look.view import LookRequest
from core.insight.network_cache import opened

PROJECTS = Path(__file__).parents[3] / "projects"


def template(name: str) -> ProjectRef:
    return ProjectRef((PROJECTS / f"{name}.loom.json").read_text("utf-8"))


@pytest.mark.gate
def test_errors_are_in_the_unit_of_the_data_and_beside_the_rules() -> None:
    ref = template("mlp_rides")
    document = look(ref, LookRequest("forecast")).document
    network = opened(ref)
    data = network.dataset
    (inputs,), (targets,) = data.all_validation()
    with torch.no_grad():
        outputs = network.module.eval()(inputs)
    errors = (outputs - targets).abs().mean(0) * data.target_std
    steps = document["mean_absolute_error"]
    assert [step["network"] for step in steps] == pytest.approx(errors.tolist(), rel=1e-4)
    rides = targets * data.target_std + data.target_mean
    week = (rides[7:] - rides[:-7]).abs().mean(0)  # windows follow each other day by day
    assert steps[0]["repeating the value of 7 days before"] == pytest.approx(
        float(week[0]), rel=0.1
    )
    assert len(document["first_step"]["true"]) == len(rides)
    assert document["first_step"]["true"] == pytest.approx(rides[:, 0].tolist(), rel=1e-4)


def test_a_network_that_predicts_no_series_is_refused_in_words() -> None:
    with pytest.raises(NoSuch, match="does not predict the next values of a series"):
        look(template("mlp_iris"), LookRequest("forecast"))
