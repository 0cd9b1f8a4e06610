"""A drawing that is not trained has the weights of its seed at V and at a server."""

from dataclasses import replace

import pytest
import torch

from app.wings.serve.served import served
from core.common.network_ref import ProjectRef
from core.export.subject import subject_of
from core.insight.network_cache import opened
from core.insight.one_sample.custom_input import own_inputs
from core.project import write_text
from core.project.templates import load_template
from core.project.values import frozen
from tests.wings.serve.app.conftest import asking

pytestmark = pytest.mark.gate


@pytest.mark.parametrize("seed", [0, 3])
def test_v_and_a_server_begin_with_the_same_weights(seed: int) -> None:
    project = load_template("mlp_iris")
    project = replace(project, training=frozen({**dict(project.training), "seed": seed}))
    network = opened(ProjectRef(write_text(project)))
    row = [5.1, 3.5, 1.4, 0.2]
    with torch.no_grad():
        shares = network.module(*own_inputs(network.dataset, {"row": row})).softmax(1)[0].tolist()
    with asking(served(project)) as http:
        got = http.post("/predict", json={"samples": [{"features": row}]}).json()
    found = got["predictions"][0]["logits"]["probabilities"].values()
    assert list(found) == pytest.approx(shares, abs=1e-6)


def test_a_standardised_series_is_sent_in_the_numbers_of_the_data() -> None:
    project = load_template("lstm_waves")
    project = replace(project, data=frozen({**dict(project.data), "normalize": True}))
    subject = subject_of(project)
    assert subject.opened is not None
    dataset = subject.opened.dataset
    assert dataset is not None
    assert dataset.mean is not None
    assert dataset.std is not None
    sample = dataset.inputs[7:8]
    series = (sample[0, :, 0] * dataset.std[:64] + dataset.mean[:64]).tolist()
    (own,) = own_inputs(dataset, {"row": series})
    assert torch.allclose(own, sample, atol=1e-5)
    with torch.no_grad():
        wanted = subject.module(sample)[0, :, 0].tolist()
    with asking(served(project)) as http:
        got = http.post("/predict", json={"samples": [{"wave": series}], "raw": True}).json()
    assert got["predictions"][0]["ahead"]["output"]["data"] == pytest.approx(wanted, abs=1e-5)
