"""A Triton repository: its configuration says what its ONNX file takes and gives.

Triton is not here, so the network in it is run by ONNX Runtime.
"""

import json
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from blocks import N, Signature
from core.analyse import build
from core.export.interface import interface_of
from core.export.result import ExportError
from core.export.run import export_subject
from core.export.subject import Subject, random_sampler, subject_of
from core.project.templates import load_template
from core.wings.serve.server.triton import label_lines
from tests.core.export.nets import HEAD
from tests.crossing import own_texts
from tests.crossing.own_project import trusted

TOKENS = re.compile(r'"[^"]*"|[\w.-]+|[\[\]{}:,]')
KINDS = {"TYPE_FP32": "tensor(float)", "TYPE_INT64": "tensor(int64)"}


def parsed(text: str) -> dict[str, Any]:
    """Protobuf's text form: messages as dicts, with a list for each field."""
    tokens = TOKENS.findall(text)

    def value() -> Any:
        token = tokens.pop(0)
        if token == "{":
            return message("}")
        if token == "[":
            items = list[Any]()
            while tokens[0] != "]":
                if tokens[0] == ",":
                    tokens.pop(0)
                    continue
                items.append(value())
            tokens.pop(0)
            return items
        return token.strip('"') if not token.lstrip("-").isdigit() else int(token)

    def message(end: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while tokens and tokens[0] != end:
            name = tokens.pop(0)
            if tokens[0] == ":":
                tokens.pop(0)
            got = value()
            found.setdefault(name, []).extend(got if isinstance(got, list) else [got])
        if tokens:
            tokens.pop(0)
        return found

    return message("")


@pytest.mark.gate
@pytest.mark.parametrize("name", ["two_inputs_diabetes", "rnn_letter_names", "vae_digits"])
def test_the_configuration_is_that_of_the_network_in_it(name: str, tmp_path: Path) -> None:
    made = export_subject(subject_of(load_template(name)), "triton", tmp_path / "net.zip")
    assert made.max_difference is not None
    assert made.max_difference < 1e-5
    with zipfile.ZipFile(made.path) as archive:
        archive.extractall(tmp_path)
    (model,) = tmp_path.glob("*_triton/models/*")
    config = parsed((model / "config.pbtxt").read_text("utf-8"))
    assert config["name"] == [model.name]
    assert config["backend"] == ["onnxruntime"]
    assert config["max_batch_size"] == [64]
    assert config["dynamic_batching"] == [{"max_queue_delay_microseconds": [2000]}]
    session = onnxruntime.InferenceSession(model / "1" / "model.onnx")
    for side, ends in (("input", session.get_inputs()), ("output", session.get_outputs())):
        assert [e["name"][0] for e in config[side]] == [end.name for end in ends]
        assert [KINDS[e["data_type"][0]] for e in config[side]] == [end.type for end in ends]
        shapes = [["N", *([] if "reshape" in e else e["dims"])] for e in config[side]]
        assert shapes == [end.shape for end in ends]
    for output in config["output"]:
        if "label_filename" in output:
            labels = (model / output["label_filename"][0]).read_text("utf-8").splitlines()
            assert len(labels) == output["dims"][-1]
    folder = model.parents[1]
    asked = json.loads((folder / "request.json").read_text("utf-8"))["inputs"]
    kinds = {"FP32": np.float32, "INT64": np.int64}
    feed = {
        each["name"]: np.array(each["data"], kinds[each["datatype"]]).reshape(each["shape"])
        for each in asked
    }
    found = session.run(None, feed)
    stochastic = name == "vae_digits"
    assert (folder / "answer.json").is_file() != stochastic
    answer = (
        {"outputs": []} if stochastic else json.loads((folder / "answer.json").read_text("utf-8"))
    )
    for each, got in zip(answer["outputs"], found, strict=not stochastic):
        assert got.flatten() == pytest.approx(each["data"], abs=1e-4)


@pytest.mark.slow
def test_a_classifier_of_texts_has_its_classes_and_its_vocabulary_beside_it(tmp_path: Path) -> None:
    with trusted() as workspace:
        subject = subject_of(own_texts.text_project(own_texts.mails(workspace)))
        made = export_subject(subject, "triton", tmp_path / "net.zip")
        (spec,) = interface_of(subject).inputs
    with zipfile.ZipFile(made.path) as archive:
        archive.extractall(tmp_path)
    (model,) = tmp_path.glob("*_triton/models/*")
    (labels,) = model.glob("*_labels.txt")
    assert labels.read_text("utf-8") == "ham\nspam\n"
    tokens = json.loads((model / f"{spec.name}_vocabulary.json").read_text("utf-8"))
    assert tokens[:2] == ["<padding>", "<unknown>"]
    assert {"win", "cash", "noon"} < set(tokens)
    told = (model.parents[1] / "README.md").read_text("utf-8")
    assert f"{spec.name}_vocabulary.json`: the tokens by their numbers." in told


TOTAL = (
    HEAD
    + """
class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, facts: Tensor) -> Tensor:
        x = self.fc(facts)
        return torch.mean(x)
"""
)


@pytest.mark.gate
def test_an_output_without_a_batch_is_refused_by_its_name(tmp_path: Path) -> None:
    inputs = {"facts": Signature((N, 3))}
    module = build(TOTAL, "Net").eval()
    one = Subject(module, TOTAL, "Net", inputs, ("total",), random_sampler(module, inputs))
    with pytest.raises(ExportError, match="total has no batch dimension") as error:
        export_subject(one, "triton", tmp_path / "net.zip")
    assert error.value.hint == "Leave this Output out, or export ONNX."
    assert list(tmp_path.iterdir()) == []


def test_a_class_whose_name_has_a_line_end_is_one_line_of_the_labels() -> None:
    named = ("cat", "two\nlines", "a\r\nb\u2028c", "", "dog")
    assert label_lines(named) == b"cat\ntwo lines\na b c\n\ndog\n"
