"""The Train page names the settings of the next run in one line, which opens them as a sheet."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.pages.train import results, run, settings_sheet, sparkline
from app.services.document import Document
from core.project.templates import load_template
from core.runs.listing import view_run

from tests.app.pages.test_train_runs import made  # isort: skip

LENET = load_template("lenet_digits")


def opened(data: dict[str, Any] | None = None, **training: Any) -> Document:
    project = replace(LENET, training=training, **({"data": data} if data is not None else {}))
    return Document("new-0123456789ab", project, None)


@pytest.mark.parametrize(
    ("data", "training", "line"),
    [
        ({"source": "digits"}, {"epochs": 12, "lr": 0.002, "optimizer": "AdamW"},
         "digits · 12 epochs, rate 0.002, AdamW"),
        ({"source": "iris"}, {"epochs": 1, "optimizer": "SGD"}, "iris · 1 epoch, rate 0.001, SGD"),
        ({"source": "CSV", "file": "data/customers.csv"}, {"epochs": 1500},
         "customers.csv · 1,500 epochs, rate 0.001, AdamW"),
        ({"source": "ImageFolder", "root": "data/pets/"}, {"epochs": 3},
         "pets · 3 epochs, rate 0.001, AdamW"),
        ({}, {"epochs": "many", "optimizer": "Own"}, "no data yet · ? epochs, Own"),
    ],
)  # fmt: skip
def test_the_line_has_data_length_rate_and_optimiser(
    data: dict[str, Any], training: dict[str, Any], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.services.suggestions.offer", lambda _: None)
    assert settings_sheet.words(opened(data, **training)) == line


def test_the_sheet_is_open_until_there_is_data_and_then_as_it_was_left(lenet: Any) -> None:
    lenet.go("train").assert_calm()
    document = lenet.at.session_state["document"]
    assert settings_sheet.SHEET not in lenet.at.session_state
    assert not settings_sheet.is_open(document)
    lenet.press("settings_line").assert_calm()
    assert lenet.at.session_state[settings_sheet.SHEET] is True
    lenet.press("close_sheet").assert_calm()
    assert lenet.at.session_state[settings_sheet.SHEET] is False
    assert settings_sheet.is_open(replace_data(document, {}))


def replace_data(document: Document, data: dict[str, Any]) -> Document:
    return Document(document.doc_id, replace(document.project, data=data), None)


def write_epochs(folder: Any, values: list[float | None]) -> None:
    lines = [
        json.dumps({"attempt": 0, "kind": "epoch", "epoch": [n + 1], "val_accuracy": [value]})
        + "\n"
        for n, value in enumerate(values)
    ]
    (folder / "metrics.jsonl").write_text("".join(lines))


def test_a_run_is_drawn_as_a_line_of_its_epochs(lenet: Any) -> None:
    made(1)
    folder = run.paths.runs_dir() / "lenet-001"
    assert sparkline.sparkline(view_run(folder)) == ""
    write_epochs(folder, [0.5, 0.75, 1.0])
    drawn = sparkline.sparkline(view_run(folder))
    assert drawn.startswith("<img")
    assert "validation accuracy of 3 epochs" in drawn


def test_the_line_of_a_long_run_is_of_what_its_worker_keeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "status.json").write_text('{"state": "finished", "attempt": 1}')
    write_epochs(tmp_path, [0.5, 0.75, 1.0])
    monkeypatch.setattr(sparkline.curves, "FROM_BYTES", 1)
    monkeypatch.setattr(sparkline, "History", None)  # the whole file is not read
    assert sparkline.sparkline(view_run(tmp_path)) == ""
    kept = [{"attempt": 1, "kind": "epoch", "epoch": [1, 9], "val_loss": [2.0, 1.0]}]
    monkeypatch.setattr(sparkline.curves, "read_window", lambda *_: (kept, 99))
    write_epochs(tmp_path, [0.5, 0.75, 1.0, 1.0])
    assert "validation loss of 2 epochs" in sparkline.sparkline(view_run(tmp_path))


@pytest.mark.parametrize(("pointed", "shown"), [(1, 1), (3, 1), (4, 4), (9, 4), (12, 12)])
def test_pointing_at_an_epoch_shows_the_last_that_was_kept(
    pointed: int, shown: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "status.json").write_text('{"state": "finished", "attempt": 1}')
    kept: dict[str, int] = {}
    monkeypatch.setattr(results.samples, "epochs", lambda _: [1, 4, 12])
    monkeypatch.setattr(results.state, "event", lambda key, name: pointed)
    monkeypatch.setattr(results.state, "keep", kept.__setitem__)
    results.point_at(view_run(tmp_path))
    assert list(kept.values()) == [shown]
