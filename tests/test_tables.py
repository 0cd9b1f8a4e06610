"""`make tables` knows which tables are older than the code they judge, by git's history."""

import subprocess
from pathlib import Path

import pytest

from tests.bench.tables import Table, behind, main, tables


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    write(tmp_path, "tests/bench/speed.md", "| 1 |")
    write(tmp_path, "core/fast/way.py", "a = 1")
    write(tmp_path, "core/other.py", "b = 1")
    commit(tmp_path)
    return tmp_path


def git(root: Path, *words: str) -> None:
    name = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *name, *words], cwd=root, check=True)


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def commit(root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Change")


SPEED = Table("tests/bench/speed.md", "tests.bench.speed", ("core/fast",))


def test_a_table_is_older_by_the_commits_that_changed_its_code(repository: Path):
    assert behind(SPEED, repository) == 0
    write(repository, "core/other.py", "b = 2")
    commit(repository)
    assert behind(SPEED, repository) == 0
    for number in (2, 3):
        write(repository, "core/fast/way.py", f"a = {number}")
        commit(repository)
    assert behind(SPEED, repository) == 2
    write(repository, "tests/bench/speed.md", "| 2 |")
    commit(repository)
    assert behind(SPEED, repository) == 0


def test_every_table_says_by_which_command_it_is_written_and_what_it_judges():
    found = {table.name: table for table in tables()}
    here = Path(__file__).parent
    files = {file.stem for file in (*here.glob("bench/*.md"), *here.glob("wings/*/bench/*.md"))}
    assert found.keys() == files
    assert {"core/engine", "tests/bench/engine_tasks.py"} <= {*found["engine_figures"].code}
    assert found["kills_changing"].command == "tests.bench.kills changing"


def test_a_table_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main(["nothing"])
    assert (
        "no table nothing; there are auto_long_runs, auto_templates, canvas_figures"
        in capsys.readouterr().err
    )
