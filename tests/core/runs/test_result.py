"""What a run reached in words: the verdict's own numbers, in every form of file a run may have."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.runs.result import RunResult, data_name, result_of

STATUS = {"state": "finished", "attempt": 1, "epoch": 3, "elapsed_s": 3725.0,
          "best": {"metric": "val_r2", "value": 0.91, "epoch": 3}}  # fmt: skip
SPEC = {"project": "Net", "params": 354, "training": {"epochs": 3}, "data": {"source": "iris"}}


def written(folder: Path, spec: object = SPEC, status: object = STATUS) -> Path:
    (folder / "spec.json").write_text(json.dumps(spec))
    (folder / "status.json").write_text(json.dumps(status))
    return folder


def test_a_metric_that_is_no_share_is_named_before_its_value(tmp_path: Path) -> None:
    result = result_of(written(tmp_path))
    assert (result.value, result.within, result.metric) == ("0.91", "", "validation R²")
    assert result.sentence == "validation R² 0.91"
    assert result.facts() == ("3 epochs", "1 h 2 min", "354 parameters")


@pytest.mark.parametrize("more", [{"best": None}, {"best": {"metric": "last", "value": 1.0}}])
def test_without_a_value_there_is_no_sentence(tmp_path: Path, more: dict[str, Any]) -> None:
    result = result_of(written(tmp_path, status={**STATUS, "epoch": 1, "elapsed_s": 0.2, **more}))
    assert (result.sentence, result.value) == ("", "")
    assert result.facts() == ("1 epoch", "0 s", "354 parameters")


@pytest.mark.parametrize("spec", [{}, {"params": "many", "data": []}, {"data": {"source": None}}])
def test_a_damaged_run_has_less_to_say(tmp_path: Path, spec: object) -> None:
    result = result_of(written(tmp_path, spec, {}))
    assert (result, result.facts()) == (RunResult(), ())


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ({"source": "digits"}, "digits"),
        ({"source": "CSV", "file": "data/customers.csv"}, "customers.csv"),
        ({"source": "ImageFolder", "root": "pictures/flowers/"}, "flowers"),
        ({}, ""),
        (None, ""),
    ],
)
def test_data_is_named_by_its_file_without_folders(data: object, name: str) -> None:
    assert data_name(data) == name
