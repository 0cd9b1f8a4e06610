"""Pages of trained networks open on one that has what they need."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.pages.shared import networks, state


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A run that failed without weights, and one before it that has some."""
    monkeypatch.setenv("LAYERLOOM_RUNS", str(tmp_path))
    for name, status in (("net-002", "failed"), ("net-001", "finished")):
        (tmp_path / name / "ckpt").mkdir(parents=True)
        (tmp_path / name / "spec.json").write_text(json.dumps({"project": "net", "training": {}}))
        (tmp_path / name / "status.json").write_text(json.dumps({"state": status}))
    (tmp_path / "net-001" / "ckpt" / "best.pt").write_bytes(b"weights")
    session: dict[str, Any] = {"run": "net-002"}
    monkeypatch.setattr(state.st, "session_state", session)
    return session


NAMES = ["net-002", "net-001", networks.DRAWING]


def test_a_run_without_weights_is_passed_over_and_named(
    runs: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(networks.st, "caption", said.append)
    shown = networks.default_name(None, NAMES)
    networks.say_passed_over(None, NAMES, shown)
    assert shown == "net-001"
    assert [text.replace("\\", "") for text in said] == [
        "net-002 ended without weights. Showing net-001 instead."
    ]


def test_one_that_was_picked_is_shown(runs: dict[str, Any]) -> None:
    runs[networks.PICKED] = "net-002"
    assert networks.default_name(None, NAMES) == "net-002"


def test_without_any_weights_it_is_the_drawing(runs: dict[str, Any]) -> None:
    names = ["net-002", networks.DRAWING]
    assert networks.default_name(None, names) == networks.DRAWING
    assert networks.default_name(None, ["net-002"]) == "net-002"
