"""The kind of each column is shown with the rows that decide it, and changed in place."""

from typing import Any

import pytest

from core.data import load
from tests.app.pages.test_table_form import _here, opened, shown  # noqa: F401 (a fixture)

HEAD = "day,plan,note,rooms,price"
ROWS = "".join(
    f"202401{i + 10},{i % 3},text {i} of many,{'' if i == 4 else i * 7 % 5},{i * i}.5\n"
    for i in range(20)
)
DATA = {"columns": ["day", "plan", "rooms"], "fill": {"rooms": "mean"}}


@pytest.fixture
def document(tab, workspace):
    return opened(tab, workspace, f"{HEAD}\n{ROWS}", **DATA)


def box(tab, column):
    """The choice of what a column is."""
    (found,) = [each for each in tab.at.selectbox if f":kind:{column}:" in each.key]
    return found


def plain(document) -> dict[str, Any]:
    """The settings of the data as lists and dicts."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in document.project.data.items()
    }


def test_each_column_shows_its_kind_and_the_rows_that_decide_it(tab, document) -> None:
    kinds = {each: box(tab, each).value for each in ("day", "plan", "rooms", "price")}
    assert kinds == dict.fromkeys(kinds, "number")
    assert box(tab, "note").value == "out"
    assert box(tab, "note").options == ["Text (left out)"]
    assert box(tab, "plan").options == ["Number", "Category", "Leave out"]
    assert box(tab, "day").options == ["Number", "Date parts", "Leave out"]
    assert box(tab, "price").options == ["Number"]
    said = shown(tab.at.caption)
    assert "20 different texts in 20 rows: 'text 0 of many' in row 2" in said
    assert "Numbers: 0 in row 2 and 1 in row 3" in said


def test_a_number_becomes_a_category_and_a_date_in_the_project_and_its_data(
    tab, document, workspace
) -> None:
    box(tab, "plan").set_value("category").run()
    box(tab, "rooms").set_value("category").run()
    box(tab, "day").set_value("date").run()
    tab.assert_calm()
    data = plain(document)
    assert data["categories"] == ["plan", "rooms"]
    assert data["fill"] == {"rooms": "missing"}
    assert data["dates"]["day"]["format"] == "%Y%m%d"
    assert list(data["dates"]["day"]["parts"]) == ["days", "weekday"]
    assert box(tab, "plan").value == "category"
    assert "3 categories though they are numbers: 0 in row 2 and 1 in row 3" in shown(
        tab.at.caption
    )
    loaded = load(document.project.data, (11,), (1,))
    assert loaded.info.origin.columns == (
        "day (days)", "day (weekday)", "plan=0", "plan=1", "plan=2",
        "rooms=0", "rooms=1", "rooms=2", "rooms=3", "rooms=4", "rooms=missing",
    )  # fmt: skip


def test_a_column_is_left_out_and_taken_back(tab, document) -> None:
    box(tab, "plan").set_value("out").run()
    tab.assert_calm()
    assert plain(document)["columns"] == ["day", "rooms"]
    assert box(tab, "plan").value == "out"
    box(tab, "plan").set_value("number").run()
    tab.assert_calm()
    assert plain(document)["columns"] == ["day", "plan", "rooms"]
