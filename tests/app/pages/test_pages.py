"""Every page opens on every template, and every verb of a page does what it says."""

import os

import pytest

from app import wing
from app.services import document, documents
from core.project import ProjectError, open_project, templates
from tests.app.page_process import heavy_imports
from tests.app.tab import Tab

TEMPLATES = [template.name for template in templates.list_templates()]
PAGES = ["build", "train", "inside", "export"]


def test_the_start_page_offers_every_template(tab):
    keys = {button.key for button in tab.at.button}
    assert {f"open_template_{name}" for name in TEMPLATES} <= keys
    tab.assert_calm()


@pytest.mark.slow(keep=["lenet_digits", "lstm_text"])
@pytest.mark.parametrize("name", TEMPLATES)
def test_every_page_opens_on(name, tab):
    tab.press(f"open_template_{name}").assert_calm()
    for page in PAGES:
        tab.go(page).assert_calm()


@pytest.mark.parametrize("page", PAGES)
def test_without_a_project_a_page_says_what_it_is_for_and_opens_one_there(page, workspace):
    tab = Tab(page)
    tab.assert_calm()
    shown = " ".join(str(each.proto.body) for each in tab.at.get("html"))
    assert "No project is open yet." in shown
    tab.press("open_template_mlp_iris").assert_calm()
    assert tab.document.project.name == "MLP on iris"
    assert "No project is open yet." not in " ".join(
        str(each.proto.body) for each in tab.at.get("html")
    )


@pytest.mark.gate
def test_the_page_process_imports_no_torch(workspace):
    steps = (
        "tab = Tab().press('open_template_lenet_digits')",
        "for page in ('build', 'train', 'inside', 'export'):",
        "    tab.go(page).assert_calm()",
    )
    assert heavy_imports(workspace, *steps) == []
    assert heavy_imports(workspace, "import torch") == ["torch"]


def test_a_draft_comes_back_by_its_address(lenet):
    address = dict(lenet.at.query_params)
    project = address["project"][0] if isinstance(address["project"], list) else address["project"]
    lenet.document.change(name="Mine")
    again = Tab("build", project=project)
    again.assert_calm()
    assert again.document.project.name == "Mine"


@pytest.mark.parametrize(
    "project",
    ["../../etc/passwd", "new-000000000000", "/etc/passwd", "~0123456789abcdef", "x.loom.json"]
    + ["a\0.loom.json"],
)
def test_an_address_that_names_nothing_opens_nothing(project, workspace):
    tab = Tab(project=project)
    assert not tab.at.exception
    assert tab.at.error[0].value.endswith("The project could not be opened.")
    assert "document" not in tab.at.session_state


def test_saving_writes_a_file_named_after_the_project(lenet, workspace):
    lenet.carry_out("save").assert_calm()
    assert [file.name for file in workspace.glob("*.json")] == ["lenet-on-digits.loom.json"]
    assert (
        open_project(workspace / "lenet-on-digits.loom.json").graph == lenet.document.project.graph
    )
    assert lenet.document.session.saved


def test_a_name_that_another_session_takes_meanwhile_gives_the_next_one(lenet, workspace):
    taken = workspace / "lenet-on-digits.loom.json"
    real = document.save_project

    def late(project, path, *more):
        if path == taken:
            taken.write_text("theirs")  # between the look at the folder and the save
        return real(project, path, *more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(document, "save_project", late)
        lenet.carry_out("save").assert_calm()
    assert taken.read_text() == "theirs"
    assert lenet.document.path == workspace / "lenet-on-digits-2.loom.json"
    assert lenet.document.session.saved


def test_what_is_saved_is_saved_though_its_draft_cannot_be_ended(lenet, workspace):
    def full(_):
        raise ProjectError("draft.json", "cannot be written: No space left on device.")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(document, "drop_draft", full)
        lenet.carry_out("save").assert_calm()
    assert lenet.document.session.saved
    lenet.carry_out("save").assert_calm()
    assert [file.name for file in workspace.glob("*.json")] == ["lenet-on-digits.loom.json"]


def test_a_draft_that_ends_while_the_start_page_looks_is_left_out(lenet, workspace, monkeypatch):
    class Drafts(type(workspace)):
        def glob(self, pattern):
            ended = self / "untitled-new-000000000000" / "draft.json"
            return [ended, *super().glob(pattern)]

    lenet.document.change(name="Mine")
    home = Drafts(os.environ["LAYERLOOM_HOME"])
    monkeypatch.setattr(documents, "home", lambda: home)
    assert [found.project.name for found in documents.recent()] == ["Mine"]


@pytest.mark.gate
def test_a_file_changed_meanwhile_is_a_conflict_and_nothing_is_lost(lenet, workspace):
    lenet.carry_out("save")
    file = workspace / "lenet-on-digits.loom.json"
    theirs = file.read_text().replace('"LeNet on digits"', '"Theirs"')
    file.write_text(theirs)
    lenet.document.change(name="Mine")
    lenet.carry_out("save")
    assert "nothing was saved" in lenet.texts[0]
    assert file.read_text() == theirs
    lenet.press("save_copy").assert_calm()
    assert open_project(workspace / "mine.loom.json").name == "Mine"
    assert file.read_text() == theirs


@pytest.mark.gate
def test_after_a_conflict_the_files_version_can_be_taken(lenet, workspace):
    lenet.carry_out("save")
    file = workspace / "lenet-on-digits.loom.json"
    file.write_text(file.read_text().replace('"LeNet on digits"', '"Theirs"'))
    lenet.document.change(name="Mine")
    lenet.carry_out("save").press("take_file").assert_calm()
    assert lenet.document.project.name == "Theirs"
    assert lenet.document.conflict == ""


def test_renaming_changes_name_and_description(lenet):
    lenet.carry_out("rename").assert_calm()
    lenet.at.text_input(key="project_name").set_value("My net")
    lenet.at.text_area(key="project_about").set_value("What I tried.")
    lenet.at.session_state["build:asked"] = "rename"  # a browser keeps the dialog open by itself
    lenet.press("project_do").assert_calm()
    project = lenet.document.project
    assert (project.name, project.about) == ("My net", "What I tried.")


def test_hostile_text_is_shown_letter_for_letter(lenet):
    lenet.document.change(name="# <b>x</b> :red[y] ![](http://evil)")
    lenet.go("train").assert_calm()
    assert lenet.at.header[0].value == (
        r"\# \<b\>x\<\/b\> \:~red\[y\] \!\[\]\(http\:~\/\/evil\)".replace("~", "\u2060")
    )


def test_the_start_page_goes_on_with_what_was_edited_and_not_with_untouched_copies(lenet):
    assert not [button for button in Tab().at.button if "recent" in (button.key or "")]
    lenet.document.change(name="Mine")
    assert [b.label for b in Tab().at.button if "recent" in (b.key or "")] == ["Mine"]


def test_the_canvas_knows_the_actions_that_parts_bring_and_no_others(lenet, monkeypatch):
    brought = sorted(name for _, part in wing.parts("actions") for name in part.ACTIONS)
    assert lenet.document.session.acts == brought
    monkeypatch.setattr(wing, "parts", lambda *_: iter(()))
    lenet.go("build").assert_calm()
    assert lenet.document.session.acts == []


def test_a_folder_that_can_only_be_read_is_announced_before_the_first_save(lenet, monkeypatch):
    lenet.go("build").assert_calm()
    assert not [box for box in lenet.at.warning if "is read-only" in box.value]
    monkeypatch.setattr(os, "access", lambda folder, mode: False)
    lenet.go("build").assert_calm()
    (said,) = [box.value for box in lenet.at.warning if "is read-only" in box.value]
    assert "Use Download to keep it as a file." in said
