"""Own data on the Data page: another target is guessed anew, and arrays are standardised."""

from dataclasses import replace

import numpy as np
import pytest

from app.services import first_network
from core.data.facts.metadata import read_own
from core.files import trust
from tests.core.data.own_classes import TEXT, WAVES, write_classes
from tests.core.data.own_sets import write_table

ROWS = ["size,kind,price", *(f"{i}.5,{i % 2},{i * i}.5" for i in range(24))]


@pytest.fixture(autouse=True)
def _here(monkeypatch):
    """What a worker process would do, done here: it keeps the workspace it was begun with."""
    monkeypatch.setattr("app.process.pool.run", lambda work, *args, timeout_s=0: work(*args))


def opened(tab, data):
    """An empty project on own data, which was read."""
    tab.press("empty")
    document = tab.document
    document.replace(replace(document.project, data=data))
    tab.go("data").assert_calm()
    return document


def plain(document):
    """The settings of the data as lists and dicts."""
    found = document.project.data.items()
    return {name: list(value) if isinstance(value, tuple) else value for name, value in found}


def test_another_target_of_a_table_is_read_as_it_is_most_likely_meant(tab, workspace):
    write_table(workspace / "houses.csv", "\n".join(ROWS) + "\n")
    data = {"source": "CSV", "file": "houses.csv"}
    read_own(data)
    document = opened(tab, data)
    tab.at.selectbox(key=f"{document.doc_id}:{document.form.data_epoch}:target:CSV").set_value(
        "kind"
    ).run()
    tab.assert_calm()
    assert plain(document) == {**data, "target_column": "kind", "categories": ["kind"]}
    tab.at.selectbox(key=f"{document.doc_id}:{document.form.data_epoch}:target:CSV").set_value(
        "price"
    ).run()
    tab.assert_calm()
    assert plain(document) == data


def test_pictures_of_arrays_that_are_no_bytes_are_standardised_when_they_are_chosen(tab, workspace):
    rng = np.random.default_rng(0)
    images = rng.normal(300.0, 40.0, (20, 8, 8, 1)).astype(np.float32)
    np.savez(workspace / "cells.npz", images=images, labels=np.arange(20) % 2)
    data = {"source": "NPZ", "file": "cells.npz"}
    read_own(data)
    document = opened(tab, data)
    assert plain(document) == {**data, "normalize": True}
    (normal,) = [toggle for toggle in tab.at.toggle if toggle.label == "Normalise"]
    assert normal.value is True
    normal.set_value(False).run()
    tab.assert_calm()
    assert plain(document) == data
    first_network.make(document)
    tab.at.run()
    assert "The channels are not standardised yet" in " ".join(
        caption.value for caption in tab.at.caption
    )


def test_rows_of_arrays_say_that_they_are_standardised_and_can_be_left_as_they_are(tab, workspace):
    x = np.random.default_rng(0).normal(50.0, 9.0, (20, 3)).astype(np.float32)
    np.savez(workspace / "rows.npz", x=x, y=np.arange(20) % 2)
    data = {"source": "NPZ", "file": "rows.npz"}
    read_own(data)
    document = opened(tab, data)
    (normal,) = [toggle for toggle in tab.at.toggle if toggle.label == "Normalise"]
    assert normal.value is True
    normal.set_value(False).run()
    assert plain(document) == {**data, "normalize": False}


def test_a_data_set_in_python_is_shown_first_and_read_once_it_is_trusted(
    tab, workspace, monkeypatch
):
    monkeypatch.setenv("LAYERLOOM_HOME", str(workspace / "home"))
    write_classes(workspace, trusted=False)
    document = opened(tab, {**WAVES, "class": "Pictures"})
    assert [code.value for code in tab.at.code] == [TEXT.strip("\n")]
    assert "read_data" not in [button.key for button in tab.at.button]
    (warning,) = [w.value for w in tab.at.warning if "have not trusted" in w.value]
    assert warning.endswith("contains Python code that you have not trusted yet. It does not run.")
    tab.press(f"trust_{WAVES['file']}_{trust.digest(TEXT)}").assert_calm()
    assert trust.trusted(TEXT)
    tab.press("read_data").assert_calm()
    assert "60 samples of Pictures in data" in " ".join(c.value for c in tab.at.caption)
    chosen = tab.at.selectbox(key=f"{document.doc_id}:{document.form.data_epoch}:class")
    assert chosen.options == ["Waves", "Pictures", "Sums"]
    chosen.set_value("Waves").run()
    tab.assert_calm()
    assert plain(document)["class"] == "Waves"
