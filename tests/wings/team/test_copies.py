"""Copies of drafts are listed once: a project's on its History, all others on My work."""

from pathlib import Path

from core.project import Project
from core.project.drafts import drop_draft, save_draft
from tests.app.tab import Tab
from tests.wings.team import versions


def listed(tab: Tab) -> list[str]:
    """The names of the copies that the page lists."""
    buttons = [each for each in tab.at.button if str(each.key).startswith("work_backup_")]
    return [each.label.replace("\\", "").partition(" · ")[0] for each in buttons]


def test_copies_of_a_project_stand_on_its_history_and_others_on_my_work(lenet) -> None:
    lenet.document.save()
    file = lenet.document.path
    for key, name in ((file, "Saved"), ("loose", "Loose")):
        save_draft(key, Project(name=name))
        drop_draft(key)
    on_my_work = listed(lenet.go("work"))
    assert "Loose" in on_my_work
    assert "Saved" not in on_my_work
    assert "Saved" in listed(lenet.go("history"))
    assert "Loose" not in listed(lenet)


def test_copies_of_a_project_whose_file_is_gone_come_back_to_my_work(lenet) -> None:
    lenet.document.save()
    file = Path(str(lenet.document.path)).with_name("gone.loom.json")
    versions.written(file, versions.lenet())
    save_draft(file, Project(name="Gone"))
    drop_draft(file)
    file.unlink()
    assert "Gone" in listed(lenet.go("work"))
