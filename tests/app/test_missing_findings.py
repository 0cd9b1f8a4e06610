"""What a project needs and is not here is a finding of the canvas that stays until it is here."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.services import document, requirements
from app.services.document import Document
from core.project import Project, templates

MESSAGE = "Training starts from big.safetensors, which is not in the folder of the project."


@pytest.fixture
def project(workspace: Path) -> Project:
    return templates.load_template("mlp_iris")


def opened(project: Project, path: Path | None, monkeypatch: pytest.MonkeyPatch) -> Document:
    """A document whose analysis finds nothing."""
    monkeypatch.setattr(document, "analyse", lambda _: {})
    return Document("d", project, path)


def warnings(doc: Document) -> list[str]:
    """The codes and messages that a canvas without anything is told."""
    doc.session._browser.annotations = 0
    return [f"{w['code']}: {w['message']}" for w in doc.session.down()["annotations"]["warnings"]]


def test_what_is_missing_is_reported_until_it_is_there(
    workspace: Path, project: Project, monkeypatch: pytest.MonkeyPatch
):
    doc = opened(project, workspace / "net.loom.json", monkeypatch)
    assert warnings(doc) == []
    doc.change(training={**project.training, "start_from": {"weights": "big.safetensors"}})
    assert warnings(doc) == [f"missing_weights: {MESSAGE}"]
    assert warnings(doc) == [f"missing_weights: {MESSAGE}"]
    (workspace / "big.safetensors").touch()
    doc.requirements.forget()
    assert warnings(doc) == []


def test_a_data_set_that_is_not_here_is_reported_with_what_to_do(
    workspace: Path, project: Project, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LAYERLOOM_DATA", str(workspace / "none"))
    doc = opened(project, None, monkeypatch)
    doc.change(data={"source": "MNIST"})
    (found,) = doc.session.down()["annotations"]["warnings"]
    assert found["message"] == "The project needs the data set MNIST, which is not on this machine."
    assert found["hint"] == "Download it on the Data page."


def test_the_disk_is_not_asked_at_every_edit_but_in_time(
    workspace: Path, project: Project, monkeypatch: pytest.MonkeyPatch
):
    asked, now = list[Any](), [100.0]
    monkeypatch.setattr(requirements, "missing", lambda *args: asked.append(args) or [])
    monkeypatch.setattr(requirements, "time", SimpleNamespace(monotonic=lambda: now[0]))
    doc = opened(project, None, monkeypatch)
    for _ in range(50):
        doc.requirements.of(doc.project, doc.path)
    assert len(asked) == 1
    now[0] += 3.0
    doc.requirements.of(doc.project, doc.path)
    assert len(asked) == 2
