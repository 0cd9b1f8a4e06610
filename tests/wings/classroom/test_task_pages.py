"""Tasks on Learn: listed, opened, judged on the open drawing, and handed in as a file."""

import pytest

from app.wings.classroom import task_list, task_view
from core.common.errors import ProjectError
from core.files.home import PERSON
from core.wings.classroom import read_task, write_task
from core.wings.classroom.class_folder import HANDED_IN, TASKS, VARIABLE
from core.wings.classroom.hand_in import HandIn, read_hand_in, write_hand_in
from core.wings.classroom.model import ENDING
from core.wings.classroom.ready import list_tasks
from tests.app.tab import Tab
from tests.wings.classroom.hand_ins import TASK, run_of


def html(tab) -> str:
    return " ".join(str(element.proto.body) for element in tab.at.get("html"))


def choose(tab, label: str):
    """Open a task of the list."""
    tab.at.segmented_control(key="learn_part").set_value("Tasks").run()
    next(button for button in tab.at.button if button.label == label).click().run()
    tab.assert_calm()
    return tab


@pytest.mark.slow
def test_a_ready_task_is_opened_judged_and_handed_in(workspace) -> None:
    tab = choose(Tab("learn"), "A first convolution")
    assert "What must hold:" in html(tab)
    assert [b.label for b in tab.at.button if b.label == "Hand in"] == []
    tab.press("task_begin")
    tab.go("learn")
    assert "Checked on A first convolution: 3 of 5 points" in html(tab)
    assert "4 points · Checked when it is graded, on data that you do not have." in html(tab)
    tab.at.text_input(key="task_name").input("Ada L.").run()
    tab.assert_calm()
    said = [each.value.replace("\\", "") for each in tab.at.caption]
    assert "Without a run: none is trained yet." in said


def test_in_a_class_tasks_are_there_and_are_handed_in_by_the_account(
    workspace, tmp_path, monkeypatch
) -> None:
    group = tmp_path / "group"
    (group / TASKS).mkdir(parents=True)
    (group / TASKS / f"flowers{ENDING}").write_text(write_task(TASK))
    monkeypatch.setenv(VARIABLE, str(group))
    monkeypatch.setenv(PERSON, "ann")
    tab = Tab("learn")
    tab.at.segmented_control(key="learn_part").set_value("Tasks").run()
    tab.press("task_class_0")
    tab.press("task_begin")
    tab.go("learn")
    for _ in range(2):  # each is kept
        tab.press("task_hand_in_class")
        assert [each.value[:12] for each in tab.at.success] == ["Handed in at"]
    files = sorted((group / HANDED_IN / "flowers").iterdir())
    assert [file.name.split(".")[0] for file in files] == ["ann", "ann"]
    handed = read_hand_in(files[0].read_bytes())
    assert (handed.student, handed.task) == ("ann", "Flowers")


@pytest.mark.slow
def test_a_task_of_the_workspace_is_listed_before_the_ready_ones(workspace) -> None:
    (workspace / f"flowers{ENDING}").write_text(write_task(TASK))
    (workspace / f"broken{ENDING}").write_text("{")
    tab = Tab("learn")
    tab.at.segmented_control(key="learn_part").set_value("Tasks").run()
    tab.assert_calm()
    names = [b.key for b in tab.at.button if str(b.key).startswith("task_")]
    assert names[0] == "task_own_1"
    assert len(names) == 1 + 12
    said = [each.value.replace("\\", "") for each in tab.at.markdown]
    assert any(each.startswith("broken.task.json") for each in said)


def test_the_file_of_a_teacher_is_stored_by_its_title_and_a_wrong_one_named(workspace) -> None:
    text = write_task(TASK).replace('"Flowers"', '"../../Flowers"')
    assert task_list._store("x.json", text.encode()) == "flowers"
    assert read_task((workspace / "flowers.task.json").read_text("utf-8")).title == "../../Flowers"
    with pytest.raises(ProjectError, match=r"x\.json"):
        task_list._store("x.json", b"{}")


def test_a_hand_in_is_read_as_it_was_written() -> None:
    run = run_of("a" * 64, val_accuracy=0.97)
    made = HandIn(TASK.start, "Ada L. \u201cx\u201d", "Flowers", run)
    assert read_hand_in(write_hand_in(made).encode()) == made


def test_a_line_shows_its_points_and_its_reason_as_text() -> None:
    from core.wings.classroom import GradedLine

    shown = task_view._line(GradedLine("It <holds>.", 0, 1, "Now <b>3</b>."))
    assert "It &lt;holds&gt;.<small>1 point · Now &lt;b&gt;3&lt;/b&gt;.</small>" in shown
    assert 'aria-label="open"' in shown


def test_the_facts_of_a_task_name_its_end_in_its_own_time_zone() -> None:
    from dataclasses import replace
    from datetime import datetime

    until = datetime.fromisoformat("2026-12-24T18:00:00+01:00")
    timed = replace(TASK, until=until, times=3)
    assert task_list.facts(timed) == (
        "7 points · until 24 December 2026, 18:00 (UTC+01:00) · hand in at most 3 times"
    )
    assert {task_list.facts(e.task) for e in list_tasks() if e.task} <= {
        "8 points",
        "9 points",
        "10 points",
    }
