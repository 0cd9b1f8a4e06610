"""The button "Open a file" of the start page offers the projects of the workspace."""

from dataclasses import replace

import pytest

from core.project import save_project, templates

from tests.app.tab import Tab  # isort: skip


@pytest.fixture
def iris(workspace):
    """A project that was copied into the workspace and never opened."""
    project = replace(templates.load_template("mlp_iris"), name="Flowers")
    save_project(project, workspace / "flowers.loom.json")


def opened() -> Tab:
    """The start page once the button was pressed."""
    tab = Tab()
    tab.at.session_state["open_file"] = True
    tab.at.run()
    return tab


def projects(tab: Tab) -> list[str]:
    return [b.label for b in tab.at.button if (b.key or "").startswith("open_work_")]


def shown(tab) -> str:
    """What the page writes as HTML."""
    return " ".join(html.value for html in tab.at.get("html") if isinstance(html.value, str))


def test_projects_of_the_workspace_are_read_once_the_list_is_open(iris):
    tab = Tab()
    tab.assert_calm()
    assert projects(tab) == []
    tab = opened()
    tab.assert_calm()
    assert projects(tab) == ["Flowers"]
    assert "iris · 7 blocks · flowers.loom.json · today" in shown(tab)


def test_a_project_of_the_list_opens_its_file(iris, workspace):
    tab = opened()
    key = next(b.key for b in tab.at.button if (b.key or "").startswith("open_work_"))
    tab.press(key).assert_calm()
    assert tab.document.path == (workspace / "flowers.loom.json").resolve()


def test_one_that_cannot_be_read_is_listed_with_the_reason(workspace):
    (workspace / "torn.loom.json").write_text('{"layerloom": 1, "graph"')
    tab = opened()
    assert projects(tab) == [r"torn\.loom\.json"]
    assert "cannot be read: torn.loom.json" in shown(tab)
