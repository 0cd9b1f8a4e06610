"""Whose weights the Train form offers, and what it makes of a choice."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.pages.train import init
from core.runs.listing import RunView


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
    monkeypatch.setattr(init.paths, "runs_dir", lambda: folder)
    monkeypatch.setattr(init.listing, "list_runs", lambda _: views)
    return folder


def test_imported_weights_come_first_then_other_files_then_runs_with_weights(
    runs: Path, tmp_path: Path
):
    for name in ("other.safetensors", "net.safetensors", "net.loom.json"):
        (tmp_path / name).touch()
    found = init._options(document(tmp_path / "net.loom.json"), init.RANDOM)
    assert found == {
        "random": "random weights",
        "weights net.safetensors": "imported weights, net.safetensors",
        "weights other.safetensors": "other.safetensors",
        "run net-001": "run net-001",
    }


def test_a_choice_that_is_gone_stays_to_be_seen(runs: Path):
    found = init._options(document(None), "run net-009")
    assert found["run net-009"] == "net-009 (missing)"


def test_a_setting_is_named_as_the_form_names_it():
    assert init._option_of({"run": "net-001", "leave_out": ["fc"]}) == "run net-001"
    assert init._option_of({"weights": "a.safetensors"}) == "weights a.safetensors"
    assert init._option_of({}) == "random"
