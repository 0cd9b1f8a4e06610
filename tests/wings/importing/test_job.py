"""What an import for the page leaves in its folder, and when."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from core.project import open_project
from core.wings.importing import job
from core.wings.importing.verify.equivalence import NAMES

SOURCE = {"source": "python:tests.wings.importing.models:Shared", "inputs": ["6"]}


@pytest.fixture(autouse=True)
def _threads():
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def test_drawing_and_weights_are_there_before_a_verdict_and_each_verdict_when_it_is_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    real, seen = job.JobReport.write, list[Any]()

    def write(news: job.JobReport, **more: Any) -> dict[str, Any]:
        written = real(news, **more)
        there = sorted(file.name for file in tmp_path.iterdir())
        comparison = json.loads((tmp_path / "report.json").read_text())["comparison"]
        seen.append((there, [v["name"] for v in comparison["verdicts"]], comparison["awaited"]))
        return written

    monkeypatch.setattr(job.JobReport, "write", write)
    report = job.run(SOURCE, str(tmp_path))
    files = ["progress.json", "project.loom.json", "report.json", "weights.safetensors"]
    assert [there for there, _, _ in seen] == [files] * 6
    assert [heard for _, heard, _ in seen] == [list(NAMES[:n]) for n in (0, 1, 2, 3, 4, 4)]
    assert [awaited for _, _, awaited in seen] == [list(NAMES[n:]) for n in (0, 1, 2, 3, 4, 4)]
    assert open_project(tmp_path / "project.loom.json").name == "Shared"
    assert report == json.loads((tmp_path / "report.json").read_text())
    equal = [v["equal"] for v in report["comparison"]["verdicts"]]
    assert equal == [True, True, None, True]


def test_a_refusal_leaves_no_drawing(tmp_path: Path):
    source = {"source": "python:tests.wings.importing.models:Nothing", "inputs": ["6"]}
    report = job.run(source, str(tmp_path))
    assert report["refused"].endswith("created: NameError: name 'Nothing' is not defined.")
    assert not (tmp_path / "report.json").exists()


HALVES = {"source": "python:tests.wings.importing.models:Halved", "inputs": ["4"]}


@pytest.mark.gate
def test_a_refusal_names_the_options_that_would_draw_it_and_not_the_command_s_words(
    tmp_path: Path,
):
    report = job.run(HALVES, str(tmp_path))
    assert report["offers"] == ["specialise", "own_python"]
    assert report["hint"] == "Use tensor operations, such as torch.where."
    assert "models.py, line " in report["refused"]
    assert job.run({**HALVES, "specialise": True}, str(tmp_path))["decisions"]
    own = job.run({**HALVES, "own_python": True}, str(tmp_path))
    assert own["decisions"] == []
    assert own["notes"] == ["custom Python; read and trust it before the project can run: Halved"]


def test_an_import_computes_with_the_threads_it_is_given(tmp_path: Path):
    job.run({**SOURCE, "threads": 2}, str(tmp_path))
    assert torch.get_num_threads() == 2
