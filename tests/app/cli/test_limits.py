"""Own Python that loops ends a command with the limit and the sentence of the canvas."""

import json
import signal
from pathlib import Path

import pytest

from app.cli import limits, main
from app.process import pool
from core.files import trust
from core.project import open_project
from tests.wing_parts import rows

SENTENCE = "error: The check of the network took longer than 0.2 s and was stopped."
HINT = "hint: Its own Python may run forever (Mine)."


class Left(BaseException):
    """What leaving the process at once is in a test."""


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The status with which the process would have been left; its loop is interrupted instead."""
    found: list[int] = []

    def leave(status: int) -> None:
        found.append(status)
        raise Left

    monkeypatch.setattr(limits, "leave", leave)
    return found


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose trusted block loops, and swallows each ordinary exception."""
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(limits, "LIMIT_S", 0.2)
    monkeypatch.setattr(pool, "busy", lambda: 1.0)

    nodes = {
        "row": {"block": "Input", "settings": {"shape": [4]}},
        "mine": {"block": "Mine"},
        "fc": {"block": "Linear", "settings": {"out_features": 3}},
        "scores": {"block": "Output"},
    }
    code = [
        "class Mine(nn.Module):",
        "    def forward(self, x: Tensor) -> Tensor:",
        "        while True:",
        "            try:",
        "                x = x * 1",
        "            except Exception:",
        "                pass",
        "        return x",
    ]
    project = {
        "layerloom": 1,
        "name": "Endless",
        "graph": {"nodes": nodes, "edges": ["row -> mine", "mine -> fc", "fc -> scores"]},
        "composites": {"Mine": {"python": code}},
        "data": {"source": "iris"},
        "training": {"epochs": 1, "threads": 1},
    }
    path = tmp_path / "endless.loom.json"
    path.write_text(json.dumps(project), "utf-8")
    trust.trust(open_project(path).graph.composites["Mine"].python, "Mine")
    return path


@pytest.mark.gate
@pytest.mark.parametrize("command", ["check", "train", *rows("commands", "OPTIONS")])
def test_a_command_says_what_the_canvas_says(
    file: Path, left: list[int], command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    more = {"train": ["--runs", str(file.parent / "runs")], **rows("commands", "OPTIONS")}
    main([command, str(file), *more.get(command, [])])
    assert left == [1]
    assert capsys.readouterr().err.startswith(f"{SENTENCE}\n  {HINT}")
    assert not (file.parent / "runs").exists()


def test_with_json_it_ends_with_a_document(
    file: Path, left: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    main(["check", str(file), "--json"])
    assert left == [1]
    answer, _ = json.JSONDecoder().raw_decode(capsys.readouterr().out)
    assert answer["ok"] is False
    assert answer["error"]["message"] == SENTENCE.removeprefix("error: ")


def test_only_trusted_python_has_a_clock_and_that_of_others_goes_on(file: Path) -> None:
    before, project = signal.getitimer(signal.ITIMER_REAL)[0], open_project(file)
    with limits.limited(project):
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 0.2
    trust.forget(project.graph.composites["Mine"].python)
    with limits.limited(project):
        assert signal.getitimer(signal.ITIMER_REAL)[0] == pytest.approx(before, abs=60)
