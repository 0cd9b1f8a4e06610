"""Processes of Layerloom import what is installed, and nothing of where somebody works."""

import json
import os
import sys
from pathlib import Path

import pytest

from core.worker import child_process

SHOW = """
import json, os, sys
print(json.dumps([sys.path, os.getcwd(), dict(os.environ), sys.argv, sys.flags.safe_path]))
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, which is on our own path, too, with a module that leaves a mark."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "runpy.py").write_text("raise SystemExit(9)\n", "utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", ["", str(folder), *sys.path])
    for name in ("PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "PYTHONINSPECT", "PYTHONWARNINGS"):
        monkeypatch.setenv(name, str(folder))
    return folder


def shown(tmp_path: Path) -> list:
    file = tmp_path / "show.py"
    file.write_text(SHOW, "utf-8")
    done = child_process.run(child_process.module(str(file), "one", "two"), text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_process_looks_for_modules_where_python_and_layerloom_are_installed(
    folder: Path, tmp_path: Path
) -> None:
    path, working, environment, words, safe = shown(tmp_path)
    assert str(child_process.ROOT) in path
    assert "" not in path
    assert not [entry for entry in path if entry.startswith(str(tmp_path))]
    assert working == "/"
    assert words[1:] == ["one", "two"]
    assert safe
    left = {name for name in environment if name.startswith("PYTHON")}
    assert left - child_process.HARMLESS == {"PYTHONSAFEPATH"}


def test_folders_of_packages_that_are_named_for_layerloom_are_searched_last(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = tmp_path / "packages"
    packages.mkdir()
    given = os.pathsep.join([str(packages), "work", "", str(tmp_path / "absent")])
    monkeypatch.setenv("LAYERLOOM_PYTHONPATH", given)
    path, *_ = shown(tmp_path)
    assert path[-1] == str(packages)
    assert not [entry for entry in path if entry.endswith(("work", "absent"))]


def test_a_folder_of_python_path_that_nobody_here_can_write_to_is_handed_on(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules = tmp_path / "modules"
    modules.mkdir()
    monkeypatch.setenv("PYTHONPATH", f"{modules}{os.pathsep}{folder}")
    monkeypatch.setattr(os, "access", lambda name, _: name != str(modules))
    assert child_process.handed_folders() == [str(modules)]


def test_a_process_that_is_tidied_looks_in_no_folder_that_somebody_works_in(folder: Path) -> None:
    child_process.tidy_process()
    assert not {"", str(folder)} & set(sys.path)
    assert "PYTHONPATH" not in os.environ
    assert "PYTHONSTARTUP" not in os.environ
    assert os.environ["PYTHONSAFEPATH"] == "1"
    assert str(child_process.ROOT) in sys.path


def test_tidying_in_a_folder_that_was_deleted_changes_nothing_else(
    folder: Path, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    child_process.tidy_process()
    assert "" not in sys.path


def test_a_command_that_names_own_python_looks_where_it_was_typed(folder: Path) -> None:
    child_process.tidy_process()
    child_process.allow_own_python()
    assert sys.path[0] == str(folder)


def test_variables_that_name_folders_hold_in_every_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAYERLOOM_HOME", "state")
    monkeypatch.delenv("LAYERLOOM_WORKSPACE", raising=False)
    places = child_process.places()
    assert places["LAYERLOOM_HOME"] == str(folder / "state")
    assert places["LAYERLOOM_WORKSPACE"] == str(folder)


@pytest.mark.slow
def test_a_process_of_a_pool_begins_outside_the_folder_of_its_owner(folder: Path) -> None:
    with child_process.pool() as pool:
        assert pool.submit(os.getcwd).result(600) == "/"
        assert pool.submit(os.getenv, "LAYERLOOM_WORKSPACE").result(600) == str(folder)
        assert pool.submit(os.getenv, "PYTHONPATH").result(600) is None
