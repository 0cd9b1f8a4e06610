"""Two tabs changed one project: both versions are merged, and the one that loses is named so."""

from dataclasses import replace

import pytest

from app.canvas.session import DocSession
from app.pages.shared.other_tab import differing
from app.services.document import Document
from core.project import templates
from core.project.drafts import load_draft

IRIS = templates.load_template("mlp_iris")
NAME = "new-00000000000f"


@pytest.fixture
def both(tmp_path, monkeypatch) -> tuple[DocSession, DocSession]:
    """A tab that called the project Mine, and one that changed its rate, unseen by the first."""
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path))
    first, second = (Document(NAME, IRIS, None).session for _ in range(2))
    second.update(training={**IRIS.training, "lr": 0.5})
    first.update(name="Mine")
    return first, second


def test_what_differs_is_listed(both):
    first, _ = both
    lines = differing(first.project, first.elsewhere())
    assert lines[0] == "~ project: name Mine -> MLP on iris"
    assert lines[1].startswith("~ settings: training.lr ")
    assert lines[1].endswith("-> 0.5")


def test_the_version_that_loses_is_called_after_the_other_tab(both):
    first, _ = both
    first.settle("theirs")
    assert first.project.training["lr"] == 0.5
    lost = load_draft(f"new-{first.sid[:12]}").project
    assert lost == replace(IRIS, name="Mine (other tab)", revision=lost.revision)
