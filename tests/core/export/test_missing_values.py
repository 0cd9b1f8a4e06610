"""What fills missing values is part of what leaves: page, server, model card and ONNX file."""

import json
from pathlib import Path

import onnx
import pytest
import torch

from core.export import export
from core.export.interface import interface_of
from core.export.subject import subject_of
from core.samples.contract import openapi
from core.samples.inputs import RequestError, read
from tests.core.data.gaps import project

GIVEN = {"age": 40, "size": 1.5, "plan": "pro", "city": "Bonn", "calls": 3}


@pytest.fixture
def subject(workspace: Path):
    return subject_of(project(workspace))


@pytest.fixture
def interface(subject):
    return interface_of(subject).json()


def asked(interface, **changed) -> torch.Tensor:
    """The row that the network receives of a request, in the data's own numbers."""
    body = json.dumps({"samples": [{"row": {**GIVEN, **changed}}]}).encode()
    (values,) = read(interface, "application/json", body, 4).columns
    (spec,) = interface["inputs"]
    assert values is not None
    return values[0] * torch.tensor(spec["std"]) + torch.tensor(spec["mean"])


def test_fields_hold_what_filled_the_training_rows(subject, interface) -> None:
    dataset = subject.opened.dataset
    train = [int(row) for row in dataset.train_indices]
    ages = torch.tensor([20, 0, 40, 30, 0, 30, 20, 40, 10, 50, 20, 40])[train]
    assert ages[ages > 0].float().mean().item() == pytest.approx(dataset.fillers[0].item())
    fields = {field["name"]: field for field in interface["inputs"][0]["fields"]}
    assert fields["age"]["fill"] == [pytest.approx(dataset.fillers[0].item())]
    assert fields["age"]["missing"] == ["", "NA"]
    assert fields["size"] == {
        "name": "size", "places": [1], "fill": [2.5], "rule": "median", "missing": [""],
    }  # fmt: skip
    assert (fields["plan"]["words"], fields["plan"]["fill"]) == (["basic", "pro"], [0.0, 1.0])
    assert fields["city"]["words"] == ["Bonn", "Jena", "missing"]
    assert fields["city"]["fill"] == [0.0, 0.0, 1.0]
    assert fields["calls"] == {"name": "calls", "places": [7]}


def test_a_server_fills_null_as_the_run_did(interface) -> None:
    row = asked(interface, size=None, plan=None, city=None)
    assert row.tolist() == pytest.approx([40, 2.5, 0, 1, 0, 0, 1, 3], abs=1e-5)


def test_a_server_fills_empty_cells_and_words_of_csv(interface) -> None:
    body = b"age,size,plan,city,calls\n40,,,,3\nNA,1.5,pro,Bonn,3\n"
    (values,) = read(interface, "text/csv", body, 4).columns
    assert values is not None
    (spec,) = interface["inputs"]
    rows = values * torch.tensor(spec["std"]) + torch.tensor(spec["mean"])
    assert rows[0].tolist() == pytest.approx([40, 2.5, 0, 1, 0, 0, 1, 3], abs=1e-5)
    assert rows[1, 0].item() == pytest.approx(spec["fields"][0]["fill"][0], abs=1e-4)


def test_null_is_refused_where_no_training_sample_missed_a_value(interface) -> None:
    with pytest.raises(
        RequestError, match="no value for calls, and no training sample has a missing value"
    ):
        asked(interface, calls=None)


def test_the_contract_says_where_null_is_allowed_and_what_it_counts_as(interface) -> None:
    row = openapi(interface, "t", "a", 4, False)["components"]["schemas"]["Sample"]
    fields = row["properties"]["row"]["anyOf"][0]["properties"]
    assert fields["size"] == {
        "type": ["number", "null"],
        "description": "null: a missing value, which counts as 2.5, the median of the training "
        "samples",
    }
    assert fields["plan"]["enum"] == ["basic", "pro", None]
    assert fields["plan"]["description"].endswith(
        "counts as pro, the most frequent value of the training samples"
    )
    assert fields["city"]["description"].endswith("counts as missing, a separate category")
    assert fields["calls"] == {"type": "number"}


def test_the_model_card_and_an_onnx_file_say_what_fills_missing_values(
    subject, workspace: Path
) -> None:
    card = export(project(workspace), "card", workspace / "card.md").path.read_text("utf-8")
    said = "size by 2.5, the median of the training samples, plan by pro, the most frequent"
    assert said in card
    path = export(project(workspace), "onnx", workspace / "net.onnx").path
    held = {prop.key: prop.value for prop in onnx.load(path).metadata_props}
    assert said in json.loads(held["preprocessing"])["row"]
    assert json.loads(held["interface"])["inputs"][0]["fields"][1]["fill"] == [2.5]
