"""Labels that are likely wrong on the page: a way of Mistakes, with pictures in its table."""

import pytest

from core.insight.look.catalogue import LOOKS


def page() -> None:
    """The view with a result that another process would have calculated."""
    from pathlib import Path

    from app.pages.inside import declared, inspection
    from app.pages.inside.page import TABS
    from core.common.network_ref import RunRef
    from core.insight.look.view import LookResult

    png = b"\x89PNG\r\n"
    rows = ({"picture": png, "sample": "cats/7.png", "label": "cat", "predicted": "dog"},)
    told = LookResult({}, ("line",), table=rows, heading="1 of 30 samples")
    declared.ask = lambda *_, timeout_s: told  # type: ignore[assignment]
    overview = {"samples": 30, "problem": ""}
    shown = inspection.Inspection(None, RunRef(Path("run")), overview)
    TABS["Mistakes"]["Labels"].show(shown)


def test_the_picture_stands_beside_the_label_and_the_prediction() -> None:
    from streamlit.testing.v1 import AppTest

    tab = AppTest.from_function(page, default_timeout=60).run()
    assert not tab.exception
    assert [each.value for each in tab.markdown] == ["1 of 30 samples"]
    (table,) = tab.dataframe
    assert table.value.to_dict("records") == [
        {"picture": "data:image/png;base64,iVBORw0K", "sample": "cats/7.png", "label": "cat",
         "predicted": "dog"}
    ]  # fmt: skip
    assert '"type":"image"' in table.proto.columns.replace(" ", "")


@pytest.mark.parametrize(("name", "way"), [("labels", "Labels"), ("groups", "Groups")])
def test_both_are_ways_of_mistakes(name: str, way: str) -> None:
    assert (LOOKS[name].title, LOOKS[name].way, LOOKS[name].sample) == ("Mistakes", way, False)
