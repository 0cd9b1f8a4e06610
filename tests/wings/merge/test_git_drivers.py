"""git itself, in a repository of its own, compares and merges projects through our drivers."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from app import cli

ROOT = Path(__file__).resolve().parents[3]
LENET = (ROOT / "projects" / "lenet_digits.loom.json").read_text("utf-8")
LINE = "*.loom.json diff=layerloom merge=layerloom"
NAME = "my net's.loom.json"
Capture = pytest.CaptureFixture[str]


def git(*words: str, status: int = 0) -> str:
    """Call git as a user without settings of their own; give all it says."""
    found = subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@example.com", *words],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    assert found.returncode == status, found.stdout
    return found.stdout


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with LeNet in it and a branch `theirs`, drivers registered."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.chdir(tmp_path)
    git("init", "-q", "-b", "main")
    assert cli.main(["git-setup"]) == 0
    commit(LENET)
    git("branch", "theirs")
    return tmp_path


def commit(text: str) -> None:
    Path(NAME).write_text(text)
    git("add", ".")
    git("commit", "-q", "-m", "a change")


def branches(ours: str, theirs: str) -> None:
    git("checkout", "-q", "theirs")
    commit(theirs)
    git("checkout", "-q", "main")
    commit(ours)


@pytest.mark.gate
def test_two_branches_merge_though_they_changed_the_same_line(repository: Path) -> None:
    branches(
        LENET.replace('"lr": 0.002', '"lr": 0.1').replace('"kernel_size": 5, "p', '"p'),
        LENET.replace('"epochs": 12', '"epochs": 3').replace('"conv1"', '"stem"').replace(
            '"conv1 ->', '"stem ->').replace("-> conv1", "-> stem"),
    )  # fmt: skip
    assert "CONFLICT" not in git("merge", "-m", "both", "theirs")
    text = Path(NAME).read_text()
    assert '"lr": 0.1, "epochs": 3' in text
    assert '"stem": {"block": "Conv2d", "settings": {"out_channels": 6, "padding": 2}' in text
    assert '"conv1' not in text
    assert git("status", "--short") == ""


@pytest.mark.gate
def test_a_conflict_leaves_the_file_unmerged_readable_and_both_sides_in_the_index(
    repository: Path,
) -> None:
    ours = LENET.replace('"out_features": 84', '"out_features": 70')
    theirs = LENET.replace('"out_features": 84', '"out_features": 80')
    branches(ours, theirs.replace('"seed": 0', '"seed": 5'))
    output = git("merge", "theirs", status=1)
    assert "conflict: fc2: out_features is 70 in ours and 80 in theirs (84 before).\n" in output
    assert (
        f"{NAME} has the version of ours in this conflict; everything else is merged.\n" in output
    )
    assert git("status", "--short") == f'UU "{NAME}"\n'
    assert Path(NAME).read_text() == ours.replace('"seed": 0', '"seed": 5')
    assert git("show", f":3:{NAME}") == theirs.replace('"seed": 0', '"seed": 5')
    assert cli.main(["check", NAME]) == 0


@pytest.mark.gate
def test_a_file_that_is_no_project_stays_as_ours_and_unmerged(repository: Path) -> None:
    branches(LENET.replace('"seed": 0', '"seed": 5'), LENET.replace('"layerloom": 1', '"a": 1'))
    output = git("merge", "theirs", status=1)
    assert f"error: {NAME} (theirs): is not a Layerloom project" in output
    assert Path(NAME).read_text() == LENET.replace('"seed": 0', '"seed": 5')


def test_git_diff_speaks_of_blocks_wires_and_settings(repository: Path) -> None:
    text = LENET.replace('"out_features": 84', '"out_features": 70').replace("[312, 0]", "[0, 9]")
    Path(NAME).write_text(text.replace('"lr": 0.002', '"lr": 0.1'))
    assert git("diff") == (
        f"{NAME}\n  ~ fc2: out_features 84 -> 70\n  ~ training: lr 0.002 -> 0.1\n  ~ layout\n"
    )
    assert '+  "training"' in git("diff", "--no-ext-diff")


@pytest.mark.gate
def test_git_diff_of_new_removed_renamed_and_unreadable_files(repository: Path) -> None:
    Path("new.loom.json").write_text('{"layerloom": 1, "name": "n", "graph": {"nodes": {}}}')
    git("add", "new.loom.json")
    assert git("diff", "--cached") == "new.loom.json\n  ~ name\n"
    git("commit", "-q", "-m", "new")
    git("mv", "new.loom.json", "other.loom.json")
    assert git("diff", "--cached", "-M") == (
        "new.loom.json -> other.loom.json\n  same contents, different formatting\n"
    )
    git("commit", "-q", "-m", "moved")
    Path(NAME).unlink()
    assert "  - conv1\n" in git("diff")
    Path(NAME).write_text("{\n<<<<<<< ours\n")
    diff = git("diff")
    assert f"compared as text: {NAME} (after): line 2, column 1 is not JSON: git left" in diff
    assert "  +<<<<<<< ours\n" in diff


def test_setup_says_what_it_did_does_it_once_and_takes_it_back(
    repository: Path, capsys: Capture
) -> None:
    capsys.readouterr()
    Path(".gitattributes").write_text(f"*.png binary\n{LINE}")
    assert cli.main(["git-setup"]) == 0
    assert capsys.readouterr().err == f"git is already set up for projects in {repository}.\n"
    assert cli.main(["git-setup", "--undo", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "ok": True,
        "repository": str(repository),
        "done": [
            f".gitattributes: removed {LINE}",
            "git config: removed diff.layerloom.command",
            "git config: removed merge.layerloom.name",
            "git config: removed merge.layerloom.driver",
        ],
    }
    assert Path(".gitattributes").read_text() == "*.png binary\n"
    assert "layerloom" not in Path(".git/config").read_text()
    assert cli.main(["git-setup", "--undo"]) == 0
    assert "as text, as before.\n" in capsys.readouterr().err
    assert cli.main(["git-setup"]) == 0
    stderr = capsys.readouterr().err
    assert f".gitattributes: added {LINE}\ngit config: diff.layerloom.command = " in stderr
    assert Path(".gitattributes").read_text() == f"*.png binary\n{LINE}\n"


def test_the_line_alone_is_taken_back_with_its_file(repository: Path) -> None:
    folder = repository / "deep" / "er"
    folder.mkdir(parents=True)
    os.chdir(folder)
    assert cli.main(["git-setup", "--undo"]) == 0
    assert not (repository / ".gitattributes").exists()
    assert cli.main(["git-setup"]) == 0
    assert (repository / ".gitattributes").read_text() == f"{LINE}\n"


def test_programs_that_lie_in_the_repository_are_never_run(repository: Path) -> None:
    trap = repository / "app" / "cli"
    trap.mkdir(parents=True)
    for file in (trap / "__init__.py", trap / "__main__.py", repository / "json.py"):
        file.write_text("raise SystemExit('run')\n")
    Path(NAME).write_text(LENET.replace('"lr": 0.002', '"lr": 0.1'))
    assert git("diff") == f"{NAME}\n  ~ training: lr 0.002 -> 0.1\n"


def test_outside_of_a_repository_or_without_git_setup_is_status_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert cli.main(["git-setup"]) == 2
    assert capsys.readouterr().err == (
        "error: git: not a git repository (or any of the parent directories): .git.\n"
        "  hint: Run this command in a git repository.\n"
    )
    monkeypatch.setenv("PATH", str(tmp_path))
    assert cli.main(["git-setup"]) == 2
    assert "error: git is not installed.\n" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
