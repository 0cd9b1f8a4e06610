"""My work lists all that was drawn and trained; what is deleted there comes back."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from app.pages.shared import networks
from app.services import documents, paths, projects_with_runs
from app.services.project_runs import is_run_of
from core.common.version import layerloom_version
from core.project import open_project, save_project, templates, write_text
from core.project.drafts import list_drafts, save_draft
from core.runs import listing

from tests.app.tab import Tab  # isort: skip


def trained(name: str, project_name: str, accuracy: float, at_s: float) -> Path:
    """A run that has ended, as far as a page looks at it."""
    folder = paths.runs_dir() / name
    folder.mkdir(parents=True)
    project = replace(templates.load_template("mlp_iris"), name=project_name)
    best = {"metric": "val_accuracy", "value": accuracy, "metrics": {"val_accuracy": accuracy}}
    spec = {"project": project_name, "training": {"epochs": 1}}
    status = {"state": "finished", "attempt": 1, "best": best}
    (folder / "project.loom.json").write_text(write_text(project))
    (folder / "status.json").write_text(json.dumps(status))
    (folder / "spec.json").write_text(json.dumps(spec))
    os.utime(folder / "spec.json", (at_s, at_s))
    return folder


@pytest.fixture
def mine(workspace):
    """A saved project with two runs, a drawing never saved, and a run without its project."""
    iris = replace(templates.load_template("mlp_iris"), name="Flowers")
    save_project(iris, workspace / "flowers.loom.json")
    os.utime(workspace / "flowers.loom.json", (1_000_000, 1_000_000))
    save_draft("new-000000000001", replace(iris, name="", data={"source": "wine"}))
    os.utime(list_drafts()[0].file, (2_000_000, 2_000_000))
    trained("flowers-001", "Flowers", 0.9, 3_000_000)
    trained("flowers-002", "Flowers", 0.8, 4_000_000)
    trained("gone-001", "Gone", 0.7, 5_000_000)
    return Tab("work")


def test_runs_of_a_template_file_are_not_called_left_behind(workspace: Path) -> None:
    template = templates.FOLDER / "mlp_iris.loom.json"
    run = trained("mlp-on-iris-001", "MLP on iris", 0.9, 3_000_000)
    spec = json.loads((run / "spec.json").read_text())
    (run / "spec.json").write_text(json.dumps({**spec, "document": paths.file_id(template)}))
    (work,) = projects_with_runs.list_works(listing.list_runs(paths.runs_dir()))
    assert (work.title, work.where) == ("MLP on iris", "template mlp_iris.loom.json")
    assert work.fixed == "A template cannot be renamed: save a copy of it."


def titles(tab: Tab) -> list[str]:
    rows = [b for b in tab.at.button if (b.key or "").startswith("work_open_")]
    return [button.label for button in rows]


def key_of(title: str) -> str:
    found = projects_with_runs.list_works(listing.list_runs(paths.runs_dir()))
    return next(work.key for work in found if work.title == title)


def test_everything_is_listed_drawn_or_trained_last_first(mine):
    mine.assert_calm()
    assert titles(mine) == ["Gone", "Flowers", "MLP on wine"]
    assert [b.label for b in mine.at.button if "work_runs_" in (b.key or "")] == [
        "1 run", "2 runs", "No runs",
    ]  # fmt: skip
    shown = " ".join(html.value for html in mine.at.get("html") if isinstance(html.value, str))
    assert "<b>90.0%</b><span>best result" in shown


def test_the_verdict_on_the_best_run_stands_under_its_result(mine):
    rule = {"metric": "val_accuracy", "value": 0.33, "rule": "a rule", "samples": 30}
    folder = paths.runs_dir() / "flowers-001"
    (folder / "baseline.json").write_text(json.dumps(rule))
    columns = {"val_accuracy": [0.9] * 5, "val_loss": [0.3] * 5, "train_loss": [0.3] * 5}
    record = {"attempt": 1, "kind": "epoch", "epoch": [1, 2, 3, 4, 5], **columns}
    (folder / "metrics.jsonl").write_text(json.dumps(record, separators=(",", ":")) + "\n")
    mine.go("work").assert_calm()
    shown = " ".join(html.value for html in mine.at.get("html") if isinstance(html.value, str))
    assert "<b>90.0% ± 11</b><span>Learned</span>" in shown
    mine.press(f"work_runs_{key_of('Flowers')}").assert_calm()
    assert "90.0% ± 11 · Learned" in [c.value.replace("\\", "") for c in mine.at.caption]


def test_a_search_finds_names_data_and_runs(mine):
    found = projects_with_runs.list_works(listing.list_runs(paths.runs_dir()))
    hits = {
        words: [work.title for work in found if projects_with_runs.fits(work, words)]
        for words in ("wine", "flowers-002", "draft", "xyzzy")
    }
    assert hits == {
        "wine": ["MLP on wine"],
        "flowers-002": ["Flowers"],
        "draft": ["MLP on wine"],
        "xyzzy": [],
    }


def test_a_deleted_project_comes_back_with_undo(mine, workspace):
    mine.press(f"work_delete_{key_of('Flowers')}").press("work_delete_do").assert_calm()
    assert not (workspace / "flowers.loom.json").exists()
    assert "**Flowers** and 2 runs were deleted. You can restore it for 30 days." in [
        text.value for text in mine.at.markdown
    ]
    assert titles(mine) == ["Gone", "MLP on wine"]
    assert not (paths.runs_dir() / "flowers-002" / "spec.json").exists()
    mine.press("work_undo_do").assert_calm()
    assert (paths.runs_dir() / "flowers-002" / "spec.json").is_file()
    assert open_project(workspace / "flowers.loom.json").name == "Flowers"
    assert titles(mine) == ["Gone", "Flowers", "MLP on wine"]


def test_a_drawing_that_was_never_saved_is_deleted_and_brought_back_later(mine):
    mine.press(f"work_delete_{key_of('MLP on wine')}")
    assert titles(mine) == ["Gone", "Flowers"]
    later = Tab("work")
    back = next(b.key for b in later.at.button if (b.key or "").startswith("work_back_"))
    later.press(back).assert_calm()
    assert titles(later) == ["Gone", "Flowers", "MLP on wine"]


def test_a_deleted_run_comes_back(mine):
    mine.press(f"work_runs_{key_of('Flowers')}").press("work_drop_flowers-001").assert_calm()
    assert (
        not (paths.runs_dir() / "flowers-001").exists()
        or (paths.runs_dir() / "flowers-001").is_file()
    )
    mine.press("work_undo_do").assert_calm()
    assert (paths.runs_dir() / "flowers-001" / "spec.json").is_file()


def test_the_drawing_of_a_run_opens_as_it_was_and_leads_back(mine):
    mine.press(f"work_runs_{key_of('Flowers')}").press("work_drawing_flowers-001").assert_calm()
    assert mine.document.project.name == "Flowers"
    assert [draft.key for draft in list_drafts()] == ["new-000000000001"]
    mine.document.change(about="Changed.")
    assert documents.from_run(paths.find_run("flowers-001")).project.about != "Changed."
    mine.press("drawing_back").assert_calm()
    assert "Gone" in titles(mine)


def test_the_address_of_a_runs_drawing_opens_it_again(mine):
    document = documents.from_run(paths.find_run("flowers-002"))
    again = documents.restore(document.doc_id)
    assert again.project.graph == document.project.graph
    assert documents.run_of(document.doc_id).name == "flowers-002"
    views = listing.list_runs(paths.runs_dir())
    for opened in (document, again):
        mine_of_it = {view.name for view in views if is_run_of(opened, view)}
        assert mine_of_it == {"flowers-001", "flowers-002"}


def test_what_opens_with_the_drawing_of_a_run_is_that_run(mine):
    mine.press(f"work_runs_{key_of('Flowers')}").press("work_drawing_flowers-001").assert_calm()
    names = networks.network_names(mine.document)
    assert names[:2] == ["flowers-002", "flowers-001"]
    assert mine.at.session_state["run"] == "flowers-001"


def test_a_renamed_project_keeps_its_runs(mine, workspace):
    found = projects_with_runs.list_works(listing.list_runs(paths.runs_dir()))
    projects_with_runs.rename(next(work for work in found if work.title == "Flowers"), "Irises")
    assert open_project(workspace / "flowers.loom.json").name == "Irises"
    found = projects_with_runs.list_works(listing.list_runs(paths.runs_dir()))
    runs = {work.title: [run.name for run in work.runs] for work in found}
    assert runs["Irises"] == ["flowers-002", "flowers-001"]


def test_a_file_that_cannot_be_read_is_listed_with_its_reason(workspace):
    (workspace / "broken.loom.json").write_text("{")
    (work,) = projects_with_runs.list_works([])
    assert work.title == "broken.loom.json"
    assert work.problem != ""
    Tab("work").assert_calm()


def test_where_nothing_was_drawn_yet_the_page_says_what_will_be_there(tab):
    tab.go("work").assert_calm()
    assert "Nothing drawn yet" in " ".join(text.value for text in tab.at.markdown)
    offered = [b.label for b in tab.at.button if (b.key or "").startswith("open_template_")]
    assert offered[:4] == ["LeNet on digits", "MLP on iris", "MLP on spirals", "MLP on wine"]
    assert len(offered) == 8


def test_help_opens_on_every_page_with_steps_words_and_news(tab, monkeypatch):
    tab.choose("help", monkeypatch).assert_calm()
    assert [each.label for each in tab.at.tabs] == [
        "First steps", "Keys", "Glossary", "What is new",
    ]  # fmt: skip
    markdown = " ".join(text.value for text in tab.at.markdown)
    assert "**6. Look inside.**" in markdown
    version = layerloom_version()
    assert f"#### {version} - " in markdown
    assert f"Layerloom {version}" in [text.value for text in tab.at.caption]
    assert (
        "**Target** — The correct answer for a sample, which the network should predict."
        in markdown
    )


def test_deleting_a_project_can_leave_its_runs_and_says_where_they_stay(mine):
    mine.press(f"work_delete_{key_of('Flowers')}")
    question = mine.at.toggle(key="work_with_runs")
    assert (question.label, question.value) == ("Delete its 2 runs, too?", True)
    question.set_value(False).run()
    assert "Its runs will stay on My work, under its name." in [c.value for c in mine.at.caption]
    mine.press("work_delete_do").assert_calm()
    assert sorted(titles(mine)) == ["Flowers", "Gone", "MLP on wine"]


def test_runs_that_are_left_without_their_project_can_be_deleted(mine):
    mine.press(f"work_delete_{key_of('Gone')}").press("work_delete_do").assert_calm()
    assert titles(mine) == ["Flowers", "MLP on wine"]
    mine.press("work_undo_do").assert_calm()
    assert titles(mine) == ["Gone", "Flowers", "MLP on wine"]
