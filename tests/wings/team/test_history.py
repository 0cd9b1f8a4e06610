"""Every save keeps a version: equal texts once, old ones thinned, nothing lost by going back."""

import json
import os
import zlib
from pathlib import Path

import pytest

from app import cli
from app.services import paths
from core.common.errors import ProjectError
from core.project import open_project, write_text
from core.project.deleted_projects import move_to_deleted, restore_project
from core.wings.team import history_files, version_store
from core.wings.team.history import before, find, history, what_changed
from core.wings.team.thin import DAY_S, thinned
from core.wings.team.version_store import folder_of, keep, list_versions, name_version, version_text
from core.worker import child_process
from tests.wings.team.versions import changed, lenet, read, written


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A project that was saved twice."""
    file = written(tmp_path / "net.loom.json", lenet())
    assert keep(file, "Ann")
    written(file, changed())
    assert keep(file, "Ben")
    return file


def test_each_save_is_a_version_with_who_and_what(file: Path) -> None:
    new, old = moments = history(file)
    assert [each.of.who for each in moments] == ["Ben", "Ann"]
    assert new.of.when_s > old.of.when_s
    assert new.open() == open_project(file)
    assert old.open() == read(lenet())
    assert before(moments, new) == old
    assert what_changed(moments, old) == "the first version"
    assert what_changed(moments, new).startswith("1 added, 1 removed, 1 changed, 1 renamed")
    longer = {**changed(), "training": {**changed()["training"], "epochs": 40}}
    written(file, longer)
    keep(file, "Ann")
    assert what_changed(history(file), history(file)[0]) == "~ training: epochs 12 -> 40"


def test_equal_texts_are_kept_once(file: Path) -> None:
    assert not keep(file, "Ann")
    written(file, lenet())
    assert keep(file, "Ann")
    assert len(list_versions(file)) == 3
    assert len(list((folder_of(file) / "texts").iterdir())) == 2


def test_the_folders_of_two_people_become_one_without_a_conflict(tmp_path: Path) -> None:
    folders: list[dict[str, bytes]] = []
    for who, project in (("Ann", lenet()), ("Ben", changed())):
        (tmp_path / who).mkdir()
        file = written(tmp_path / who / "net.loom.json", lenet())
        os.utime(file, (1_700_000_000, 1_700_000_000))
        keep(file, "")
        written(file, {**project, "about": who})
        keep(file, who)
        folder = folder_of(file)
        found = {str(f.relative_to(folder)): f.read_bytes() for f in folder.rglob("*.*")}
        folders.append({name: data for name, data in found.items() if "." in Path(name).name})
    ours, theirs = folders
    assert ours.keys() != theirs.keys()
    assert {name for name in ours.keys() & theirs.keys() if ours[name] != theirs[name]} == set()
    for name, data in theirs.items():
        (folder_of(tmp_path / "Ann" / "net.loom.json") / name).write_bytes(data)
    assert {each.who for each in list_versions(tmp_path / "Ann" / "net.loom.json")} == {
        "",
        "Ann",
        "Ben",
    }


def test_a_version_has_the_name_that_was_given_last(file: Path) -> None:
    old = list_versions(file)[-1]
    name_version(file, old, "  handed \n in ", "Ann")
    assert list_versions(file)[-1].name == "handed in"
    assert find(file, "handed in").of == list_versions(file)[-1]
    name_version(file, old, "first", "Ben")
    assert [each.name for each in list_versions(file)] == ["", "first"]


@pytest.mark.parametrize("name", ["", "abc", "0123456", "nothing"])
def test_a_version_that_is_not_there_is_refused(file: Path, name: str) -> None:
    with pytest.raises(ProjectError, match="has no version called"):
        find(file, name)


def test_of_old_versions_the_last_of_each_day_stays_and_named_ones() -> None:
    when_s = {f"v{number:04}": number * DAY_S / 4 for number in range(500)}  # four a day
    gone = set(thinned(when_s, {"v0001"}))
    stay = [name for name in when_s if name not in gone]
    assert stay[:4] == ["v0001", "v0003", "v0007", "v0011"]
    assert stay[-100:] == [f"v{number:04}" for number in range(400, 500)]
    assert len(stay) == 1 + 100 + 100
    assert len(thinned({f"v{n:05}": n * DAY_S for n in range(5000)}, ())) == 5000 - 300


def test_what_is_thinned_out_is_gone_from_the_disk(file: Path, monkeypatch) -> None:
    monkeypatch.setattr(version_store, "thinned", lambda when_s, named: list(when_s)[:-1])
    monkeypatch.setattr(version_store, "YOUNG_S", -1)
    written(file, {**lenet(), "about": "third"})
    keep(file, "Ann")
    (only,) = list_versions(file)
    assert json.loads(version_text(file, only))["about"] == "third"
    assert len([f for f in folder_of(file).rglob("*.*") if f.is_file()]) == 2


def test_a_text_that_is_damaged_or_a_bomb_is_refused(file: Path) -> None:
    new, old = list_versions(file)
    (folder_of(file) / "texts" / f"{old.text}.z").write_bytes(zlib.compress(b"0" * 6_000_000))
    with pytest.raises(ProjectError, match="damaged text"):
        version_text(file, old)
    (folder_of(file) / "texts" / f"{new.text}.z").write_bytes(b"no")
    with pytest.raises(ProjectError, match="has no text"):
        version_text(file, new)


def test_entries_of_strangers_are_names_and_no_more(file: Path) -> None:
    folder = folder_of(file) / "versions"
    for name in ("../x.json", "99999999T999999999Z-" + "a" * 40 + ".json", "x.json"):
        (folder / Path(name).name).write_text("{}")
    entry = next(iter(folder.glob("2*.json")))
    os.replace(entry, entry.with_name(f"20200101T000000000Z-{'b' * 40}.json"))  # noqa: PTH105
    found = list_versions(file)
    assert {each.who for each in found} <= {"Ann", "Ben"}
    assert all(each.when_s > 1_500_000_000 for each in found)


def test_a_folder_that_is_a_link_is_not_written_to(tmp_path: Path) -> None:
    file = written(tmp_path / "net.loom.json", lenet())
    (tmp_path / "elsewhere").mkdir()
    folder_of(file).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="is a link"):
        keep(file, "Ann")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_link_to_a_project_has_the_versions_of_its_file(file: Path, tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    link = tmp_path / "shared" / "other.loom.json"
    link.symlink_to(file)
    assert history(link) == history(file)
    written(file, lenet())
    assert keep(link, "Cem")
    assert [each.of.who for each in history(file)] == ["Cem", "Ben", "Ann"]


def test_no_version_of_what_is_no_project(tmp_path: Path) -> None:
    file = tmp_path / "net.loom.json"
    assert not keep(file, "Ann")
    file.write_text("<<<<<<< ours\n")
    with pytest.raises(OSError, match=r"net\.loom\.json"):
        keep(file, "Ann")
    assert not folder_of(file).exists()


def test_saving_in_the_workbench_keeps_what_was_there_and_what_is_saved(lenet) -> None:
    document = lenet.document
    document.save()
    file = document.path
    text = json.loads(file.read_text("utf-8"))
    text["about"] = "edited by another program"
    file.write_text(json.dumps(text), "utf-8")
    document.take_file()
    document.change(about="mine")
    document.save()
    abouts = [each.open().about for each in history(file)]
    assert abouts[:2] == ["mine", "edited by another program"]
    assert len(abouts) == 3
    assert history(file)[1].of.who == ""
    assert history(file)[0].of.who != ""


def test_a_save_does_not_fail_with_its_history(lenet, caplog) -> None:
    document = lenet.document
    document.save()
    folder = folder_of(document.path)
    for each in sorted(folder.rglob("*"), reverse=True):
        each.rmdir() if each.is_dir() else each.unlink()
    folder.rmdir()
    folder.write_text("a file is in its place")
    document.change(about="mine")
    document.save()
    assert open_project(document.path).about == "mine"
    assert "is not in its history" in caplog.text


def test_a_deleted_project_takes_its_versions_along_and_brings_them_back(
    file: Path, tmp_path_factory, monkeypatch
) -> None:
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path_factory.mktemp("home")))
    aside = move_to_deleted(file, "LeNet")
    assert list(file.parent.iterdir()) == []
    restore_project(aside)
    assert [each.of.who for each in history(file)] == ["Ben", "Ann"]


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=Cleo", "-c", "user.email=c@example.org")
    found = child_process.run(["git", "-C", str(folder), *who, *words])
    assert found.returncode == 0, found.stderr


@pytest.mark.needs("git")
def test_commits_are_in_the_same_list_and_nothing_they_configure_is_run(tmp_path: Path) -> None:
    file = written(tmp_path / "net.loom.json", lenet())
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "net.loom.json")
    git(tmp_path, "commit", "-qm", "Draw LeNet <b>")
    program = tmp_path / "evil.sh"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path / 'ran'}\n")
    program.chmod(0o755)
    for key in ("gpg.program", "core.fsmonitor", "core.pager", "diff.external", "core.sshCommand"):
        git(tmp_path, "config", key, str(program))
    git(tmp_path, "config", "log.showSignature", "true")
    written(file, changed())
    keep(file, "Ann")
    new, old = history(file)
    assert (new.kind, old.kind) == ("version", "commit")
    assert (old.of.who, old.of.name) == ("Cleo", "Draw LeNet <b>")
    assert old.open() == read(lenet())
    assert find(file, old.of.id) == old
    assert not (tmp_path / "ran").exists()


def test_the_command_lists_versions_and_diff_takes_them(file: Path, capsys) -> None:
    assert cli.main(["history", str(file), "--json"]) == 0
    new, old = json.loads(capsys.readouterr().out)["versions"]
    assert (new["who"], old["who"], old["changed"]) == ("Ben", "Ann", "the first version")
    assert cli.main(["diff", f"{file}@{old['id']}", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["renamed"] == {"fc3": "head"}
    assert cli.main(["diff", f"{file}@ffffffff", str(file)]) == 2
    assert "has no version called ffffffff." in capsys.readouterr().err
    assert cli.main(["history", str(file)]) == 0
    assert capsys.readouterr().out.splitlines()[0].split() == [
        "version", "when", "who", "what", "changed", "name"]  # fmt: skip


def test_the_page_draws_what_changed_and_goes_back(lenet) -> None:
    document = lenet.document
    document.save()
    first = document.project
    document.replace(read(changed()))
    document.save()
    document.change(about="not saved yet")
    tab = lenet.go("history")
    tab.assert_calm()
    moments = history(document.path)
    old = moments[-1]
    tab.press(f"history_open_{old.of.when_s}-{old.of.id}").assert_calm()
    tab.press("history_back").assert_calm()
    assert document.project.graph == first.graph
    abouts = [each.open().about for each in history(document.path)]
    assert abouts[1] == "not saved yet"
    assert len(abouts) == 4
    assert write_text(history(document.path)[0].open()) == write_text(old.open())
    assert paths.workspace() == document.path.parent


def test_names_of_one_moment_are_in_the_order_in_which_they_were_given() -> None:
    names = [history_files.new_name() for _ in range(200)]
    assert names == sorted(names)
    assert len({name[:18] for name in names}) == 200
