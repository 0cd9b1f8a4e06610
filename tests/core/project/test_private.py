"""What Layerloom keeps of a user is for that user alone, whatever the umask."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.files.folder import write_bytes
from core.files.home import folder_mode, home, private_folder
from core.prepare.create import new_folder
from core.project import recents


@pytest.fixture(autouse=True)
def open_to_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("LAYERLOOM_FOLDER_MODE", raising=False)
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_folder_of_a_run_is_for_its_user_alone(tmp_path: Path) -> None:
    assert mode(new_folder(tmp_path, "net")) == 0o700


def test_a_group_may_look_into_runs_where_that_is_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAYERLOOM_FOLDER_MODE", "750")
    assert mode(new_folder(tmp_path, "net")) == 0o750


@pytest.mark.parametrize("text", ["", "999", "0", "rwx", "077", "70000"])
def test_a_choice_that_is_none_closes_folders(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAYERLOOM_FOLDER_MODE", text)
    assert folder_mode() == 0o700


def test_a_home_that_others_could_look_into_is_closed(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(mode=0o755)
    assert mode(private_folder(home())) == 0o700


def test_the_list_of_recent_projects_is_for_its_user_alone(tmp_path: Path) -> None:
    file = tmp_path / "net.loom.json"
    file.write_text("{}", "utf-8")
    recents.add_recent(file, "Net")
    kept = [path for path in home().iterdir() if path.suffix == ".json"]
    assert [mode(path) for path in kept] == [0o600]
    assert mode(home()) == 0o700


def test_a_private_file_that_others_could_read_is_closed_as_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "draft.json"
    file.touch(0o644)
    write_bytes(file, b"{}", private=True)
    assert mode(file) == 0o600
