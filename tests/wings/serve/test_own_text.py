"""A text of one's own has the answer that a server gives, however long it is."""

import json
from pathlib import Path

import pytest
import torch

from core.common.network_ref import ProjectRef
from core.export.interface import interface_of
from core.export.subject import subject_of
from core.insight.network_cache import opened
from core.insight.one_sample.api import look
from core.project import read_text
from core.samples.inputs import read
from core.samples.outputs import answers
from core.wings.serve.batching import runner

FILE = Path(__file__).parents[3] / "projects/gpt_text.loom.json"


@pytest.fixture(scope="module")
def network():
    return subject_of(read_text(FILE.read_text("utf-8"), "gpt"))


@pytest.mark.parametrize("text", ["The", "class instance", "\ufeffThe name\r\n"])
def test_v_and_a_server_give_the_same_next_characters(network, text: str) -> None:
    interface, ref = interface_of(network).json(), ProjectRef(FILE.read_text("utf-8"))
    (spec,) = interface["inputs"]
    body = json.dumps({"samples": [{spec["name"]: text}]}).encode()
    asked = read(interface, "application/json", body, 1)
    plain = read(interface, "text/plain", text.encode(), 1)
    (first,), (second,) = asked.columns, plain.columns
    assert first is not None
    assert second is not None
    assert torch.equal(first, second)
    outputs = runner(opened(ref).module, interface)(asked.columns, 1)
    (served,) = answers(interface, asked.columns, asked.text_lengths, outputs)
    (likely,) = served.values()
    shown = look(ref, {"own": {"text": text}}, "")
    scores = [score["value"] for score in shown["prediction"]["scores"]]
    expected = list(likely["probabilities"].values())
    assert scores[: len(expected)] == pytest.approx(expected, abs=1e-5)
    assert len(expected) > 3
