"""How a table is read is shown on the Data page and changed there, also where it cannot be read."""

import html
from contextlib import suppress
from dataclasses import replace

import pytest

from core.common.errors import DataError
from core.data.facts.metadata import read_own
from tests.core.data.own_sets import write_table

AGES = "".join(f"{'' if i == 3 else 20 + i},{i * 7 % 5}.5,{'ab'[i % 2]}\n" for i in range(20))


@pytest.fixture(autouse=True)
def _here(monkeypatch):
    """What a worker process would do, done here: it keeps the workspace it was begun with."""
    from app.process.pool import PoolError

    def run(work, *args, timeout_s=0):
        try:
            return work(*args)
        except DataError as error:
            raise PoolError(error.message, error.hint) from error

    monkeypatch.setattr("app.process.pool.run", run)


def opened(tab, workspace, text, **data):
    """An empty project on a table that somebody had read, if it can be."""
    write_table(workspace / "t.csv", text)
    tab.press("empty")
    document = tab.document
    data = {"source": "CSV", "file": "t.csv", **data}
    with suppress(DataError):
        read_own(data)
    document.replace(replace(document.project, data=data))
    assert not tab.go("data").at.exception
    return document


def box(tab, label):
    """The select box of a label."""
    (found,) = [each for each in tab.at.selectbox if each.label.startswith(label)]
    return found


def shown(elements):
    """What elements say, as people see it."""
    return html.unescape(" ".join(each.value for each in elements).replace("\\", ""))


@pytest.mark.parametrize(
    ("head", "row", "asked"),
    [
        ("size,kind\n", lambda i: f"{i * i * 53 % 97},{'ab'[i * i % 7 % 2]}\n", []),
        ("day,size\n", lambda i: f"2024-01-{i % 28 + 1:02},{i * i * 53 % 97}\n", ["Each row is"]),
    ],
)
def test_what_a_row_is_is_asked_where_it_may_be_a_step_in_time(tab, workspace, head, row, asked):
    opened(tab, workspace, head + "".join(map(row, range(40))))
    said = [each.label for each in tab.at.button_group]
    assert [label for label in said if label == "Each row is"] == asked


def test_missing_values_are_filled_by_one_click(tab, workspace):
    document = opened(tab, workspace, "age,size,kind\n" + AGES, limit=15)
    assert "Row 5 of t.csv, column age, is empty." in shown(tab.at.error)
    (fill,) = [button for button in tab.at.button if button.label == "Fill all missing values"]
    fill.click().run()
    tab.assert_calm()
    assert document.project.data["fill"] == {"age": "mean"}
    assert not tab.at.error
    box(tab, "age: 1 missing value, first in row 5").set_value("drop").run()
    tab.assert_calm()
    assert document.project.data["fill"] == {"age": "drop"}


def test_the_decimal_sign_is_changed_in_place(tab, workspace):
    text = "a;price\n1;1.005\n3;2.200\n2;1.535\n5;3.125\n4;4.250\n"
    document = opened(tab, workspace, text)
    assert box(tab, "Decimal separator").value == "."
    box(tab, "Decimal separator").set_value(",").run()
    tab.assert_calm()
    assert document.project.data["decimal"] == ","
    assert document.project.data["thousands"] == "."
    assert "'1.005' is read as 1005" in shown(tab.at.caption)


def test_a_file_that_cannot_be_read_says_why_and_can_be_set_right(tab, workspace):
    document = opened(tab, workspace, "a,b,y\n1,2,1\n3,4x,2\n5,6,4\n7,8,3\n", limit=3)
    assert "is '4x', which is not a number" in shown(tab.at.error)
    label = "Words that mean a missing value"
    (words,) = [each for each in tab.at.text_input if each.label == label]
    words.set_value("4x").run()
    tab.assert_calm()
    assert document.project.data["missing"] == ("4x",)
    assert document.project.data["fill"] == {"b": "mean"}
    assert not tab.at.error
