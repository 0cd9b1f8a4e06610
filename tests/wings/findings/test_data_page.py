"""The card on the Data page: its sentence, the button that mends, and the way back."""

from dataclasses import replace

import numpy as np
import pytest

from core.data.facts.metadata import read_own
from tests.wings.findings.planted import codes, people, write


@pytest.fixture(autouse=True)
def _here(monkeypatch):
    """What a worker process would do, done here: it keeps the workspace it was begun with."""
    monkeypatch.setattr("app.process.pool.run", lambda work, *args, timeout_s=0: work(*args))


def opened(tab, workspace, table):
    """The Data page of an empty project on a table."""
    write(table, workspace / "trees.csv")
    data = {"source": "CSV", "file": "trees.csv"}
    read_own(data)
    tab.press("empty")
    document = tab.document
    document.replace(replace(document.project, data=data))
    tab.go("data").assert_calm()
    return document


def test_one_click_mends_and_another_brings_the_settings_back(tab, workspace):
    document = opened(tab, workspace, codes(np.random.default_rng(7))[0].table)
    texts = " ".join(each.value for each in tab.at.markdown)
    assert "**1 thing to look at**" in texts
    assert "species\\_id predicts 100 \\% of label by itself" in texts
    tab.press("mend_0")
    assert list(document.project.data["columns"]) == ["age", "height", "income", "city"]
    assert "to look at**" not in " ".join(each.value for each in tab.at.markdown)
    tab.press("findings_undo")
    assert dict(document.project.data) == {"source": "CSV", "file": "trees.csv"}


def test_sound_data_shows_no_card(tab, workspace):
    opened(tab, workspace, people(np.random.default_rng(1)))
    assert "to look at**" not in " ".join(each.value for each in tab.at.markdown)
