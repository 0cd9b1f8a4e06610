"""The class: files of students are read strictly, and kept where the teacher named a folder."""

import json

import pytest

from core.project import ProjectError
from core.wings.lessons import class_progress, list_lessons, progress
from core.wings.lessons.class_progress import done_by_lesson, read_class, read_handed_in, table_csv
from tests.app.tab import Tab

COURSE = list_lessons()
FIRST, SECOND = COURSE[:2]


def progress_file(**done: list[str]) -> bytes:
    rows = {
        name: {"project": "new-0123456789ab", "since_s": 1.0, "done": steps}
        for name, steps in done.items()
    }
    return json.dumps({"progress": 1, "lessons": rows}).encode()


ALL = progress_file(**{FIRST.name: [step.name for step in FIRST.steps]})
SOME = progress_file(**{FIRST.name: ["meet"], SECOND.name: ["wide", "count"]})


@pytest.fixture
def room(tmp_path, monkeypatch):
    """A class folder, and the home of one student."""
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LAYERLOOM_CLASS", str(tmp_path / "class"))
    monkeypatch.setattr(progress.getpass, "getuser", lambda: "ann")
    (tmp_path / "class").mkdir()
    return tmp_path / "class"


def test_what_a_student_does_is_kept_for_the_teacher(room) -> None:
    progress.begin(FIRST.name, "new-0123456789ab")
    progress.note_done(FIRST.name, "meet")
    (ann,) = read_class(room)
    assert ann.name == "ann"
    assert ann.progress.done(FIRST) == ("meet",)


def test_a_folder_that_cannot_be_written_is_an_error_and_the_step_is_noted(room) -> None:
    progress.begin(FIRST.name, "new-0123456789ab")
    for file in room.iterdir():
        file.unlink()
    room.rmdir()
    with pytest.raises(ProjectError, match="saved here, but your teacher cannot see it"):
        progress.note_done(FIRST.name, "meet")
    assert progress.read_progress().done(FIRST) == ("meet",)


def test_a_bad_file_is_named_and_the_others_are_read(room) -> None:
    (room / "ben.json").write_bytes(SOME)
    (room / "eve.json").write_bytes(b'{"progress": 1, "lessons": {"x": "__import__"}}')
    ben, eve = read_class(room)
    assert ben.progress.done(SECOND) == ("wide", "count")
    assert eve.progress.problem.startswith("eve.json is not a progress file (lessons.x")


def test_the_table_counts_steps_and_lessons_and_starts_no_formula() -> None:
    students = read_handed_in([("zoe.json", ALL), ("=cmd.json", SOME)])
    assert [student.name for student in students] == ["=cmd", "zoe"]
    head, cmd, zoe = table_csv(students, COURSE).splitlines()
    assert head.startswith("student,01_one_neuron,02_layers,")
    assert cmd == "'=cmd,1,2,0,0,0,0,0,0,0,0,0,0"
    assert zoe == "zoe,5,0,0,0,0,0,0,0,0,0,0,1"
    assert done_by_lesson(students, COURSE)[FIRST.name] == 1


def test_students_over_the_limit_do_not_vanish_without_a_word(room, monkeypatch) -> None:
    monkeypatch.setattr(class_progress, "MOST", 2)
    for name in ("ann", "ben", "cem", "zoe"):
        (room / f"{name}.json").write_bytes(SOME)
    ann, ben, rest = read_class(room)
    assert (ann.name, ben.name, rest.name) == ("ann", "ben", "2 not read")
    assert (ann.count, rest.count) == (1, 2)
    words = "A class has at most 2 files, so 2 more are not read: cem to zoe."
    assert rest.progress.problem == words
    assert table_csv([rest], COURSE).splitlines()[1] == "2 not read,0,0,0,0,0,0,0,0,0,0,0,0"
    (room / "zoe.json").unlink()
    assert read_class(room)[2].progress.problem.endswith("so one more is not read: cem.")


def test_on_a_class_server_the_account_names_the_file_and_teachers_alone_see_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert progress.sees_class()
    monkeypatch.setattr(progress.getpass, "getuser", lambda: "server")
    monkeypatch.setenv("LAYERLOOM_PERSON", "ann")
    monkeypatch.setenv("LAYERLOOM_TEACHER", "0")
    assert (progress.student(), progress.sees_class()) == ("ann", False)
    tab = Tab("learn")
    assert [b.key for b in tab.at.button if b.key == "learn_class"] == []
    monkeypatch.setenv("LAYERLOOM_TEACHER", "1")
    tab = Tab("learn")
    assert [b.key for b in tab.at.button if b.key == "learn_class"] == ["learn_class"]
