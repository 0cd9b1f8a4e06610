"""Comments: threads on blocks, wires and runs beside the project, put together without conflict."""

import json
import shutil
from pathlib import Path

import pytest

from app import cli
from core.common.errors import ProjectError
from core.project import open_project
from core.project.deleted_projects import move_to_deleted, restore_project
from core.wings.team import comments, history_files
from core.wings.team.comments import CommentSubject, answer, begin, is_there, resolve, threads
from core.wings.team.history_files import folder_of
from tests.hostile_names import HOSTILE
from tests.wings.team.versions import lenet, written

CONV = CommentSubject("block", "conv1")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(tmp_path / "net.loom.json", lenet())


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of comments that are written in order, one a second."""
    ticks = iter(range(1_700_000_000, 1_800_000_000))
    letters = iter(f"{n:08x}" for n in range(10_000))
    monkeypatch.setattr(
        history_files, "new_name", lambda: f"{history_files.stamp(next(ticks))}-{next(letters)}"
    )


def test_a_thread_has_its_comments_in_order_and_its_state(file: Path) -> None:
    begin(file, CONV, "Why 5x5?\nToo large.", "Ann")
    begin(file, CommentSubject("wire", "conv1 -> tanh1"), "Fine.", "Ben")
    old = next(each for each in threads(file) if each.about == CONV)
    answer(file, old.id, "As in the paper.", "Ben")
    resolve(file, old.id, "Ann")
    first, second = threads(file)
    assert (first.about.words, second.about.words) == ("block conv1", "wire conv1 -> tanh1")
    assert [(each.who, each.text) for each in first.comments] == [
        ("Ann", "Why 5x5?\nToo large."),
        ("Ben", "As in the paper."),
        ("Ann", ""),
    ]
    assert (first.resolved, second.resolved) == (True, False)
    resolve(file, first.id, "Ben", resolved=False)
    assert not threads(file)[0].resolved
    assert json.loads(file.read_text("utf-8")) == lenet()


def test_the_comments_of_two_people_become_one_list_without_a_conflict(
    file: Path, tmp_path: Path
) -> None:
    begin(file, CONV, "first", "Ann")
    other = tmp_path / "other" / "net.loom.json"
    shutil.copytree(folder_of(file), folder_of(written_in(other)))
    thread = threads(file)[0].id
    answer(file, thread, "mine", "Ann")
    answer(other, thread, "theirs", "Ben")
    resolve(other, thread, "Ben")
    for each in (folder_of(other) / "comments").glob("*.json"):
        there = folder_of(file) / "comments" / each.name
        assert not there.exists() or there.read_bytes() == each.read_bytes()
        shutil.copyfile(each, there)
    (joined,) = threads(file)
    assert [each.text for each in joined.comments] == ["first", "mine", "theirs", ""]
    assert joined.resolved


def written_in(file: Path) -> Path:
    file.parent.mkdir()
    return written(file, lenet())


def test_what_a_thread_is_about_may_be_gone(file: Path) -> None:
    project = open_project(file)
    assert is_there(CONV, project)
    assert not is_there(CommentSubject("block", "conv9"), project)
    assert is_there(CommentSubject("wire", "conv1 -> tanh1"), project)
    assert not is_there(CommentSubject("wire", "conv1 -> fc1"), project)
    assert is_there(CommentSubject("run", "lenet-001"), project)


@pytest.mark.parametrize(
    ("text", "said"),
    [(" \n", "is empty"), ("x" * 4001, r"has 4,001 characters\. Write at most 4,000")],
)
def test_no_text_and_too_much_are_refused(file: Path, text: str, said: str) -> None:
    with pytest.raises(ProjectError, match=said):
        begin(file, CONV, text, "Ann")
    assert threads(file) == []


def test_files_of_strangers_are_texts_and_no_more(file: Path) -> None:
    begin(file, CONV, "mine", "Ann")
    folder = folder_of(file) / "comments"
    name = "20250101T000000000Z-0000000"
    for number, content in enumerate(
        ("{", "[]", '{"about": "block"}', '{"about": "x", "text": "y"}', '{"text": 5}', "\x00" * 9)
    ):
        (folder / f"{name}{number}.json").write_text(content, "utf-8")
    (folder / f"{name}9.{name}9.json").write_text('{"text": "no first one"}', "utf-8")
    (folder / f"{name}8.json").symlink_to("/dev/zero")
    (folder / "x.json").write_text('{"about": "block", "text": "y"}', "utf-8")
    assert [each.comments[0].text for each in threads(file)] == ["mine"]


def test_a_folder_that_is_a_link_is_not_written_to(file: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    folder_of(file).mkdir()
    (folder_of(file) / "comments").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="is a link"):
        begin(file, CONV, "x", "Ann")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_deleted_project_takes_its_comments_along(
    file: Path, tmp_path_factory, monkeypatch
) -> None:
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path_factory.mktemp("home")))
    begin(file, CONV, "kept", "Ann")
    aside = move_to_deleted(file, "LeNet")
    assert list(file.parent.iterdir()) == []
    restore_project(aside)
    assert threads(file)[0].comments[0].text == "kept"


def test_the_command_lists_them(file: Path, capsys) -> None:
    assert cli.main(["history", str(file), "--comments"]) == 0
    assert "has no comments yet" in capsys.readouterr().err
    begin(file, CONV, "Why?\n\x1b[31mred", "Ann")
    resolve(file, threads(file)[0].id, "Ben")
    assert cli.main(["history", str(file), "--comments"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "block conv1 (resolved)"
    assert lines[1].endswith("Ann: Why?\\n\\x1b[31mred")
    assert lines[2].endswith("Ben: resolved it")
    assert cli.main(["history", str(file), "--comments", "--json"]) == 0
    (thread,) = json.loads(capsys.readouterr().out)["threads"]
    assert thread["about"] == {"kind": "block", "name": "conv1"}
    assert [each["resolved"] for each in thread["comments"]] == [None, True]


def html(tab):
    return "".join(each.proto.body for each in tab.at.get("html"))


def test_the_page_takes_a_comment_an_answer_and_its_end(lenet) -> None:
    path = saved(lenet)
    lenet.go("history").assert_calm()
    lenet.at.segmented_control(key="history_view").set_value("Comments").run()
    lenet.assert_calm()
    lenet.press("comment_begin")
    assert [each.value.replace("\\", "") for each in lenet.at.error] == [
        "The comment is empty. Write something."
    ]
    chosen = lenet.at.selectbox(key="comment_about_0")
    chosen.select_index(list(chosen.options).index("block conv1"))
    lenet.at.text_area(key="comment_text_0").input("Why <b>5x5</b>?")
    lenet.press("comment_begin").assert_calm()
    (thread,) = threads(path)
    assert thread.about == CONV
    assert "Why &lt;b&gt;5x5&lt;/b&gt;?" in html(lenet)
    lenet.at.text_area(key=f"comment_answer_{thread.id}_1").input("As in the paper.")
    lenet.press(f"comment_send_{thread.id}").assert_calm()
    lenet.press(f"comment_resolve_{thread.id}").assert_calm()
    assert threads(path)[0].resolved
    assert [each.text for each in threads(path)[0].comments] == [
        "Why <b>5x5</b>?",
        "As in the paper.",
        "",
    ]


def saved(tab) -> Path:
    tab.document.save()
    return tab.document.path


@pytest.mark.parametrize("name", HOSTILE[::6])
def test_names_of_strangers_on_the_page_are_text(lenet, name: str) -> None:
    path = saved(lenet)
    text = name.replace("\ud800", "?").strip() or "x"
    begin(path, CommentSubject("block", name[:100]), text, name)
    lenet.go("history")
    lenet.at.segmented_control(key="history_view").set_value("Comments").run()
    lenet.assert_calm()
    assert "<script>" not in html(lenet)
    assert comments.threads(path)[0].comments[0].text == text
