"""Whose weights the Train form offers, and what it makes of a choice."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.pages import train_start
from core.train.runs import RunView


def document(path: Path | None) -> Any:
    return SimpleNamespace(path=path, doc_id="doc", beside=str(path.parent) if path else "")


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two runs, of which one has kept weights."""
    folder = tmp_path / "runs"
    (folder / "net-001" / "ckpt").mkdir(parents=True)
    (folder / "net-001" / "ckpt" / "best.pt").touch()
    (folder / "net-002").mkdir()
    views = [RunView(folder / name, name, "finished") for name in ("net-001", "net-002")]
    monkeypatch.setattr(train_start.places, "runs_dir", lambda: folder)
    monkeypatch.setattr(train_start.runs, "list_runs", lambda _: views)
    return folder


def test_imported_weights_come_first_then_other_files_then_runs_with_weights(
    runs: Path, tmp_path: Path
):
    for name in ("other.safetensors", "net.safetensors", "net.loom.json"):
        (tmp_path / name).touch()
    found = train_start._options(document(tmp_path / "net.loom.json"), train_start.RANDOM)
    assert found == {
        "random": "random weights",
        "weights net.safetensors": "the imported weights, net.safetensors",
        "weights other.safetensors": "other.safetensors",
        "run net-001": "run net-001",
    }


def test_a_choice_that_is_gone_stays_to_be_seen(runs: Path):
    found = train_start._options(document(None), "run net-009")
    assert found["run net-009"] == "net-009 (not there)"


def test_a_setting_is_named_as_the_form_names_it():
    assert train_start._name({"run": "net-001", "leave_out": ["fc"]}) == "run net-001"
    assert train_start._name({"weights": "a.safetensors"}) == "weights a.safetensors"
    assert train_start._name({}) == "random"
