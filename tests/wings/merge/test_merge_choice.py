"""A project with a merge conflict of git: its versions are shown, and saved only when chosen."""

import subprocess
from pathlib import Path

import pytest

from app.services import documents, projects_with_runs
from app.wings.merge import unmerged
from core.project import Project, open_project, save_project, write_text
from core.project.drafts import save_draft
from core.wings.merge import merge
from tests.wings.merge.merged import LENET, edited, put

from tests.app.tab import Tab  # isort: skip

OURS = edited(LENET, put("conv1", out_channels=8))
THEIRS = edited(LENET, put("conv1", out_channels=32), put("fc1", out_features=60))
MESSAGE = "conv1: out_channels is 8 in ours and 32 in theirs (6 before)."


def git(folder: Path, *words: str, ok: bool = True) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *words], cwd=folder, check=ok, capture_output=True)


def commit(folder: Path, project: Project) -> None:
    (folder / "net.loom.json").write_text(write_text(project))
    git(folder, "add", ".")
    git(folder, "commit", "-m", "drawn")


@pytest.fixture
def file(workspace) -> Path:
    """A file in a repository, in the middle of a merge of two branches."""
    git(workspace, "init", "-b", "main")
    commit(workspace, LENET)
    git(workspace, "checkout", "-b", "feature")
    commit(workspace, THEIRS)
    git(workspace, "checkout", "main")
    commit(workspace, OURS)
    git(workspace, "merge", "feature", ok=False)
    return workspace / "net.loom.json"


def texts(tab: Tab) -> str:
    return " ".join(each.value for each in (*tab.at.markdown, *tab.at.header)).replace("\\", "")


def test_the_three_versions_come_from_git(file):
    found = unmerged.unmerged_file(file)
    assert found is not None
    assert found.base is not None
    assert found.base.graph == LENET.graph
    assert (found.ours.graph, found.theirs.graph) == (OURS.graph, THEIRS.graph)
    assert (found.our_name, found.their_name) == ("HEAD", "feature")


def test_markers_are_enough_without_a_repository(file, workspace):
    (workspace / ".git").rename(workspace / "elsewhere")
    found = unmerged.unmerged_file(file)
    assert found is not None
    assert found.base is None
    assert (found.ours.graph.nodes["conv1"], found.theirs.graph.nodes["conv1"]) == (
        OURS.graph.nodes["conv1"],
        THEIRS.graph.nodes["conv1"],
    )


def test_opening_shows_the_conflict_on_every_page_about_the_project_and_writes_nothing(file):
    before = file.read_bytes()
    tab = Tab("train", project="net.loom.json")
    tab.assert_calm()
    assert "Merge conflict in net.loom.json" in texts(tab)
    assert MESSAGE in texts(tab)
    assert file.read_bytes() == before


@pytest.mark.parametrize(("side", "channels"), [(None, 8), ("Theirs", 32)], ids=["ours", "theirs"])
def test_the_chosen_side_of_the_conflict_is_saved_with_the_rest_merged(file, side, channels):
    tab = Tab("data", project="net.loom.json")
    if side:
        tab.at.session_state["merge_side_0"] = side
    tab.press("merge_save").assert_calm()
    nodes = open_project(file).graph.nodes
    assert nodes["conv1"].settings["out_channels"] == channels
    assert nodes["fc1"].settings["out_features"] == 60
    assert tab.document.versions is None
    assert unmerged.unmerged_file(file) is None


def test_my_work_names_the_conflict_instead_of_a_fault(file):
    (work,) = projects_with_runs.list_works(())
    assert work.problem == projects_with_runs.CONFLICT
    assert (work.title, work.doc_id) == ("net.loom.json", "net.loom.json")


def test_all_of_theirs_can_be_saved(file):
    Tab("data", project="net.loom.json").press("merge_theirs").assert_calm()
    assert open_project(file).graph == THEIRS.graph


def test_not_now_leaves_the_file_and_closes_the_project(file):
    before = file.read_bytes()
    tab = Tab("data", project="net.loom.json").press("merge_later")
    assert "document" not in tab.at.session_state
    assert file.read_bytes() == before


def test_a_file_that_the_merge_command_wrote_is_open_until_somebody_chose(file):
    save = merge(LENET, OURS, THEIRS).project
    file.unlink()
    save_project(save, file)
    found = unmerged.unmerged_file(file)
    assert found is not None
    assert [c.message for c in found.merged().conflicts] == [MESSAGE]
    unmerged.resolve(found, save)
    assert unmerged.unmerged_file(file) is None


def test_one_that_somebody_has_edited_since_is_opened_as_it_is(file):
    file.unlink()
    save_project(edited(OURS, put("fc1", out_features=61)), file)
    assert documents.from_file(file).versions is None


def test_a_draft_opens_though_its_file_is_gone(workspace):
    file = workspace / "net.loom.json"
    save_project(LENET, file)
    save_draft(file.resolve(), THEIRS, open_project(file).revision)
    file.unlink()
    assert documents.from_file(file).project.graph == THEIRS.graph


def test_nothing_that_the_repository_configures_is_run(file, workspace):
    trap = workspace / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {workspace / 'sprung'}\n")
    trap.chmod(0o700)
    for name in ("core.fsmonitor", "core.sshCommand", "filter.x.smudge", "diff.external"):
        git(workspace, "config", name, str(trap))
    hook = workspace / ".git" / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(trap.read_text())
    hook.chmod(0o700)
    (workspace / "sprung").unlink(missing_ok=True)
    assert unmerged.unmerged_file(file) is not None
    assert not (workspace / "sprung").exists()


def test_a_version_that_is_not_a_project_is_named(workspace):
    file = workspace / "net.loom.json"
    file.write_text("<<<<<<< HEAD\n{}\n=======\n" + write_text(LENET) + ">>>>>>> feature\n")
    with pytest.raises(documents.ProjectError, match=r"net\.loom\.json \(ours\)"):
        documents.from_file(file)
