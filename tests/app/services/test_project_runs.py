"""Which runs are a project's: by its file or draft while that is here, else by its names."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.services import documents, projects_with_runs
from app.services.project_runs import Owner, is_run_of, owns
from core.project import save_project, templates
from core.project.drafts import save_draft
from core.runs.listing import RunView

IRIS = Owner(frozenset({"iris.loom.json"}), "Iris", saved=True)
DRAFT = Owner(frozenset({"new-000000000001"}), "Iris", saved=False)


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace and a home of our own."""
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(tmp_path / "work"))
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def run(document: str, name: str = "Iris") -> RunView:
    return RunView(Path("r-001"), "r-001", "finished", project_name=name, document=document)


def test_a_run_of_its_file_or_draft_is_a_projects_whatever_the_names() -> None:
    assert owns(IRIS, run("iris.loom.json", "Another name"))
    assert owns(DRAFT, run("new-000000000001", "Another name"))


def test_a_run_of_another_file_is_not_though_the_name_is_the_same(workspace: Path) -> None:
    (workspace / "other.loom.json").write_text("{}")
    assert not owns(IRIS, run("other.loom.json"))
    assert not owns(DRAFT, run("other.loom.json"))
    assert not owns(IRIS, run("~0123456789abcdef"))


def test_a_run_of_a_file_that_is_gone_or_of_none_goes_by_the_name() -> None:
    assert owns(IRIS, run("gone.loom.json"))
    assert owns(IRIS, run(""))
    assert not owns(IRIS, run("", "Wine"))
    assert not owns(Owner(frozenset({"x"}), "", saved=True), run("", ""))


def test_a_saved_project_has_the_runs_of_the_draft_it_was() -> None:
    assert owns(IRIS, run("new-00000000000a"))
    assert not owns(DRAFT, run("new-00000000000a"))
    save_draft("new-00000000000a", templates.load_template("mlp_iris"))
    assert not owns(IRIS, run("new-00000000000a"))
    assert owns(IRIS, run("new-?strange"))


def test_former_names_count() -> None:
    names = {"First": "Second", "Second": "Iris"}
    assert owns(IRIS, run("", "First"), names)
    assert owns(IRIS, run("new-00000000000a", "Second"), names)
    assert not owns(IRIS, run("", "Third"), names)


def test_my_work_and_the_open_project_agree_after_a_rename(workspace: Path) -> None:
    template = templates.load_template("mlp_iris")
    for stem in ("one", "two"):
        save_project(replace(template, name="Iris"), workspace / f"{stem}.loom.json")
    views = [run("one.loom.json"), replace(run("two.loom.json"), name="r-002"),
             replace(run(""), name="r-003")]  # fmt: skip
    document = documents.from_file(workspace / "one.loom.json")
    document.rename("Flowers")
    document.save()
    mine = [view.name for view in views if is_run_of(document, view)]
    found = {work.doc_id: work for work in projects_with_runs.list_works(views)}
    assert [view.name for view in found["one.loom.json"].runs] == mine == ["r-001", "r-003"]
    assert [view.name for view in found["two.loom.json"].runs] == ["r-002", "r-003"]
