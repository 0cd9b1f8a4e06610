"""A data set of picture files on the Data page: its classes, its download, its decoding."""

import json
from dataclasses import replace

import pytest

from app.pages.data import decoding
from app.services import data_previews
from core.data.batches.custom_tensors import decode_project_pictures
from tests.core.data.picture_files import write


@pytest.fixture(autouse=True)
def root(workspace, monkeypatch):
    """Where data sets lie. What a worker process would do is done here."""
    monkeypatch.setenv("LAYERLOOM_DATA", str(workspace / "sets"))
    monkeypatch.setattr("torchvision.datasets.flowers102.check_integrity", lambda *_: True)
    monkeypatch.setattr("app.process.pool.run", lambda work, *args, timeout_s=0: work(*args))
    return workspace / "sets"


def opened(tab, name):
    """An empty project on a data set."""
    tab.press("empty")
    document = tab.document
    document.replace(replace(document.project, data={"source": name}))
    tab.go("data").assert_calm()
    return " ".join(str(e.value) for kind in ("caption", "markdown") for e in getattr(tab.at, kind))


def test_a_set_that_is_not_here_says_how_large_its_download_is(tab, root):
    text = opened(tab, "Flowers102")
    assert "torchvision downloads it once (about 345 MB)" in text
    assert not root.exists()


def test_a_hundred_classes_are_shown_in_part(tab, root):
    write(root, "Flowers102")
    text = opened(tab, "Flowers102")
    assert "and 62 more classes" in text


def test_samples_and_their_variations_come_from_the_files(root):
    write(root, "GTSRB")
    text = json.dumps({"source": "GTSRB", "transform": [{"name": "RandomHorizontalFlip"}]})
    found = data_previews.preview_data(text, 0)
    assert found.counts[:2] == (("speed limit 20", 3, 2), ("speed limit 30", 3, 2))
    assert {label for _, label in found.pictures} == {found.counts[k][0] for k in range(3)}
    assert [len(row) for row in data_previews.variations(text, (3, 8, 8), 0)] == [5] * 6


def test_pictures_that_are_decoded_are_counted_as_ready(tab, root):
    write(root, "DTD")
    data = {"source": "DTD"}
    assert decoding._far(data, (3, 8, 8))[0].done == 0
    decode_project_pictures('{"source": "DTD"}', (3, 8, 8))
    now, total = decoding._far(data, (3, 8, 8))
    assert (now.done, total) == (21, 21)
