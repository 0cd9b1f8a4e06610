"""The split on the Data page: only what the data can have, what comes of it, errors beside it."""

from dataclasses import replace

import pytest

from app.process.pool import PoolError
from app.services.data_previews import DataPreview
from core.common.errors import DataError
from core.data.facts.metadata import read_own
from tests.core.data.own_sets import write_pictures, write_table

SITES = ("Bergen", "Oslo", "Tromso")
VISITS = "\n".join(
    [
        "patient,day,site,id,dose,result",
        *(
            f"p{i // 5},2024-01-{i + 1:02d},{SITES[i % 3]},v{i},{i % 7}.5,{('well', 'ill')[i % 2]}"
            for i in range(30)
        ),
    ]
)
TABLE = {"source": "CSV", "file": "visits.csv", "columns": ("site", "dose")}


pytestmark = pytest.mark.gate  # a page each, with its data read


@pytest.fixture(autouse=True)
def _here(monkeypatch):
    """What a worker process would do, done here: it keeps the workspace it was begun with."""

    def run(work, *args, timeout_s=0):
        try:
            return work(*args)
        except DataError as error:
            raise PoolError(str(error)) from error

    monkeypatch.setattr("app.process.pool.run", run)
    monkeypatch.setattr("app.pages.data.page._preview", lambda *_: DataPreview())
    monkeypatch.setattr("app.pages.data.augmentation.ask", lambda *_: None)


@pytest.fixture
def opened(tab, workspace):
    """The Data page of an empty project on this data, read before with the usual split."""

    def opened(data):
        if data == TABLE:
            write_table(workspace / "visits.csv", VISITS + "\n")
        if data["source"] not in ("digits", "iris"):
            read_own(data)
        tab.press("empty")
        document = tab.document
        document.replace(replace(document.project, data=data))
        return tab.go("data")

    return opened


def field(tab, label, kind="selectbox"):
    (found,) = [widget for widget in getattr(tab.at, kind) if widget.label == label]
    return found


def choose(tab, label, value, kind="selectbox"):
    field(tab, label, kind).set_value(value).run()


def split_of(tab):
    found = tab.document.project.data
    return {k: found[k] for k in found if k not in TABLE}


def captions(tab):
    return [caption.value.replace("\\", "") for caption in tab.at.caption]


def test_groups_stay_together_once_their_column_is_chosen(opened):
    tab = opened(TABLE)
    assert "24 rows train, 6 validate" in captions(tab)
    choose(tab, "Which samples validate", "group")
    assert split_of(tab) == {}
    assert field(tab, "Column of the groups").options == ["patient", "day", "site", "id", "dose"]
    choose(tab, "Column of the groups", "patient")
    tab.assert_calm()
    assert split_of(tab) == {"split": "group", "split_by": "patient"}
    assert "25 rows train, 5 validate; patient: 5 train, 1 validate" in captions(tab)


def test_time_offers_columns_with_an_order_and_leaves_a_gap(opened):
    tab = opened(TABLE)
    choose(tab, "Which samples validate", "time")
    assert field(tab, "Time is in").options == ["Order of the rows", "day", "dose"]
    choose(tab, "Time is in", "day")
    choose(tab, "Gap between the parts", "3 days", "text_input")
    tab.assert_calm()
    assert split_of(tab) == {"split": "time", "split_by": "day", "gap": "3 days"}
    assert (
        "21 rows train, 6 validate; day: up to 2024-01-21 trains, from 2024-01-25 on validates"
    ) in captions(tab)


def test_values_of_a_column_validate_once_they_are_chosen(opened):
    tab = opened(TABLE)
    choose(tab, "Which samples validate", "column")
    choose(tab, "Column of the parts", "site")
    assert split_of(tab) == {}
    choose(tab, "Values that validate", ["Oslo"], "multiselect")
    assert field(tab, "Values that test", "multiselect").options == ["Bergen (10)", "Tromso (10)"]
    tab.assert_calm()
    assert split_of(tab) == {
        "split": "column",
        "split_by": "site",
        "split_values": {"validation": ("Oslo",)},
    }
    assert "20 rows train, 10 validate" in captions(tab)


@pytest.mark.parametrize(
    ("mode", "label", "kind", "value", "error"),
    [
        ("time", "Gap between the parts", "text_input", "soon", 'data.gap is "soon"'),
        ("group", "Column of the groups", "selectbox", "id", "differ in each of 30 samples"),
    ],
)
def test_an_error_stands_once_beside_the_fields_and_goes_when_they_are_mended(
    opened, mode, label, kind, value, error
):
    tab = opened(TABLE)
    choose(tab, "Which samples validate", mode)
    choose(tab, label, value, kind)
    (shown,) = [box.value.replace("\\", "") for box in tab.at.error]
    assert error in shown
    assert field(tab, "Target").value == "result"
    choose(tab, "Which samples validate", "random")
    tab.assert_calm()
    assert split_of(tab) == {}


def test_only_choices_that_the_data_can_have_are_offered(opened, workspace):
    write_pictures(workspace / "shapes", 4)
    tab = opened({"source": "ImageFolder", "root": "shapes"})
    assert field(tab, "Which samples validate").options == [
        "Random, classes in proportion",
        "By group",
    ]
    choose(tab, "Which samples validate", "group")
    assert split_of(tab) == {"root": "shapes", "split": "group", "split_by": "name"}
    assert "Series ends before" in [widget.label for widget in tab.at.text_input]


def test_a_set_without_an_order_has_no_choice_of_the_split_but_shares_and_folds(opened):
    tab = opened({"source": "iris"})
    assert "Which samples validate" not in [widget.label for widget in tab.at.selectbox]
    choose(tab, "Folds", "5", "text_input")
    choose(tab, "Validation fold", "2", "text_input")
    tab.assert_calm()
    assert split_of(tab) == {"folds": 5, "fold": 2}
    assert "120 iris flowers train, 30 validate (fold 2 of 5)" in captions(tab)
