"""Progress is this user's, survives, never lies, and a bad file is set aside."""

import json
import threading

import pytest

from core.project import ProjectError
from core.wings.lessons import list_lessons
from core.wings.lessons.progress import begin, forget, note_done, note_moved, read_progress

FIRST = list_lessons()[0]


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path))
    return tmp_path


def test_nothing_is_begun_at_first(home) -> None:
    found = read_progress()
    assert found.lessons == {}
    assert found.problem == ""
    assert found.done(FIRST) == ()
    assert not (home / "lessons.json").exists()


def test_steps_are_kept_in_the_order_of_the_lesson(home) -> None:
    begin(FIRST.name, "new-0123456789ab")
    for step in ("train", "meet", "meet", "gone"):
        note_done(FIRST.name, step)
    assert read_progress().done(FIRST) == ("meet", "train")
    note_moved(FIRST.name, "mine.loom.json")
    assert read_progress().lessons[FIRST.name].project == "mine.loom.json"
    assert [file.name for file in home.iterdir()] == ["lessons.json"]


def test_a_lesson_is_done_when_all_its_steps_are(home) -> None:
    begin(FIRST.name, "new-0123456789ab")
    for step in FIRST.steps:
        assert not read_progress().is_done(FIRST)
        note_done(FIRST.name, step.name)
    assert read_progress().is_done(FIRST)


def test_beginning_anew_forgets_its_steps_and_older_runs(home) -> None:
    begin(FIRST.name, "new-0123456789ab")
    note_done(FIRST.name, "meet")
    before = read_progress().lessons[FIRST.name].since_s
    begin(FIRST.name, "new-ba9876543210")
    taken = read_progress().lessons[FIRST.name]
    assert taken.done == ()
    assert taken.project == "new-ba9876543210"
    assert taken.since_s >= before


def test_the_whole_course_can_be_begun_anew(home) -> None:
    begin(FIRST.name, "new-0123456789ab")
    forget()
    assert read_progress().lessons == {}


def test_a_step_of_a_lesson_that_was_not_begun_is_not_noted(home) -> None:
    note_done("99_nowhere", "meet")
    assert read_progress().lessons == {}


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"progress": 2, "lessons": {}}', '{"progress": 1, "lessons": []}',
     '{"progress": 1, "lessons": {"a": {"project": 1, "since_s": 0, "done": []}}}',
     '{"progress": 1, "lessons": {"a": {"project": "", "since_s": NaN, "done": []}}}',
     '{"progress": 1, "lessons": {"a": {"project": "", "since_s": 0, "done": "meet"}}}'],
)  # fmt: skip
def test_a_file_that_is_none_is_reported_and_set_aside_when_a_lesson_goes_on(home, text) -> None:
    (home / "lessons.json").write_text(text)
    assert "lessons.json is not a progress file" in read_progress().problem
    assert read_progress().lessons == {}
    begin(FIRST.name, "new-0123456789ab")
    assert (home / "lessons.json.bad").read_text() == text
    assert set(read_progress().lessons) == {FIRST.name}
    assert read_progress().problem == ""


def test_two_tabs_at_once_lose_no_step(home) -> None:
    begin(FIRST.name, "new-0123456789ab")
    threads = [threading.Thread(target=note_done, args=(FIRST.name, s.name)) for s in FIRST.steps]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read_progress().is_done(FIRST)


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path, monkeypatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "file" / "home"))
    with pytest.raises(ProjectError, match="LAYERLOOM_HOME"):
        begin(FIRST.name, "new-0123456789ab")


def test_what_another_version_knows_is_kept(home) -> None:
    table = {"99_later": {"project": "p", "since_s": 1.5, "done": ["x"]}}
    (home / "lessons.json").write_text(json.dumps({"progress": 1, "lessons": table}))
    begin(FIRST.name, "new-0123456789ab")
    assert (
        json.loads((home / "lessons.json").read_text())["lessons"]["99_later"] == table["99_later"]
    )
