"""Several labels on the Data page: further columns of a table or texts, or the sign in a cell."""

from dataclasses import replace

import pytest

from app.services import first_network
from core.data.facts.metadata import read_own
from tests.core.data.own_sets import write_table

ROWS = ["size,kinds,big,odd", *(f"{i}.5,{('x;y', 'y', 'x')[i % 3]},{i // 12},{i % 2}"
                                for i in range(24))]  # fmt: skip
FILE = {"source": "CSV", "file": "rows.csv"}


@pytest.fixture(autouse=True)
def _here(monkeypatch):
    """What a worker process would do, done here: it keeps the workspace it was begun with."""
    monkeypatch.setattr("app.process.pool.run", lambda work, *args, timeout_s=0: work(*args))


def opened(tab, data):
    """An empty project on own data, which was read."""
    read_own(data)
    tab.press("empty")
    document = tab.document
    document.replace(replace(document.project, data=data))
    tab.go("data").assert_calm()
    return document


def plain(document):
    """The settings of the data as lists and dicts."""
    found = document.project.data.items()
    return {name: list(value) if isinstance(value, tuple) else value for name, value in found}


def further(tab):
    (found,) = [each for each in tab.at.multiselect if each.label == "Further labels"]
    return found


def test_further_columns_of_yes_and_no_become_labels_and_one_target_again(tab, workspace):
    write_table(workspace / "rows.csv", "\n".join(ROWS) + "\n")
    document = opened(tab, {**FILE, "columns": ["size"], "categories": ["odd"]})
    assert further(tab).options == ["big"]
    further(tab).set_value(["big"]).run()
    tab.assert_calm()
    assert plain(document) == {**FILE, "columns": ["size"], "target_columns": ["odd", "big"]}
    first_network.make(document)
    assert document.project.graph.nodes["fc3"].settings["out_features"] == 2
    tab.at.run()
    tab.assert_calm()
    further(tab).set_value([]).run()
    tab.assert_calm()
    assert "target_columns" not in document.project.data


def test_the_sign_between_labels_is_offered_where_cells_have_one(tab, workspace):
    write_table(workspace / "rows.csv", "\n".join(ROWS) + "\n")
    document = opened(tab, {**FILE, "target_column": "kinds"})
    (sign,) = [each for each in tab.at.selectbox if each.label == "Labels in a cell"]
    assert (sign.value, sign.options) == ("", ["One answer in a cell", "parted by ;"])
    sign.set_value(";").run()
    tab.assert_calm()
    assert plain(document)["label_separator"] == ";"
    assert read_own(document.project.data).source.classes == ("x", "y")


def test_texts_have_further_labels_too(tab, workspace):
    rows = [f"a text about number {i},{i % 2},{i % 3 // 2}" for i in range(24)]
    write_table(workspace / "rows.csv", "\n".join(["text,odd,third", *rows]) + "\n")
    data = {"source": "TextCSV", "file": "rows.csv"}
    document = opened(tab, {**data, "columns": ["text"]})
    further(tab).set_value(["odd"]).run()
    tab.assert_calm()
    assert plain(document) == {**data, "target_columns": ["third", "odd"]}
