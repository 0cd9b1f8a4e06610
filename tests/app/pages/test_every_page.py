"""Every page of the bar renders without a project, and with one: a literal claim for each."""

import pytest

from app.pages import navigation
from tests.app.tab import Tab
from tests.wing_parts import rows

WITHOUT_PROJECT = {
    "start": "MLP on iris",
    "work": "Nothing drawn yet.",
    "build": "No project is open yet.",
    "data": "No project is open yet.",
    "train": "No project is open yet.",
    "inside": "No project is open yet.",
    "compare": "Train a network twice, then compare the runs here.",
    "export": "No project is open yet.",
    **rows("pages", "WITHOUT_PROJECT"),
}
WITH_PROJECT = {
    "work": "My work",
    "data": "MLP on iris",
    "train": "Epochs",
    "inside": "Look inside",
    "compare": "Train a network twice, then compare the runs here.",
    "export": "Export",
    **rows("pages", "WITH_PROJECT"),
}
"""Build and the start page with a project: `test_pages.py`."""


def words_of(tab: Tab) -> str:
    """All texts of a page, and the labels of its widgets."""
    html = [str(block.proto.body) for block in tab.at.get("html")]
    values = [str(getattr(each, "value", "")) for each in tab.at.main]
    labels = [str(getattr(each, "label", "")) for each in tab.at.main]
    return " ".join([*html, *values, *labels])


def test_every_page_has_a_claim() -> None:
    names = {page.name for page in navigation.PAGES}
    assert set(WITHOUT_PROJECT) == names
    assert set(WITH_PROJECT) | {"start", "build"} == names


@pytest.mark.parametrize(("page", "words"), WITHOUT_PROJECT.items())
def test_without_a_project_it_renders(page: str, words: str, workspace) -> None:
    tab = Tab() if page == "start" else Tab(page)
    tab.assert_calm()
    assert words in words_of(tab)


@pytest.mark.parametrize(("page", "words"), WITH_PROJECT.items())
def test_with_a_project_it_renders(page: str, words: str, tab: Tab) -> None:
    tab.press("open_template_mlp_iris").go(page).assert_calm()
    assert words in words_of(tab)
