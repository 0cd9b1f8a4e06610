"""What a check said is kept for as long as all it follows from is as it was; never otherwise."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli import check_cache, main
from core import open_project

ROOT = Path(__file__).parents[3]
IRIS = ROOT / "projects" / "mlp_iris.loom.json"
OPENED = open_project(IRIS)


@pytest.fixture
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def checked(capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    status = main(["check", str(IRIS), "--json"])
    return status, capsys.readouterr().out


def test_an_unchanged_file_is_answered_without_torch_and_in_the_same_words(
    own_home, capsys, monkeypatch
):
    first = checked(capsys)
    (kept,) = (own_home / "checks").iterdir()
    assert json.loads(kept.read_text())["total_params"] == json.loads(first[1])["total_params"]
    monkeypatch.setattr("core.analyse.analyse_project", lambda project: pytest.fail("asked again"))
    assert checked(capsys) == first
    assert first[0] == 0


def test_a_broken_answer_is_asked_for_again(own_home, capsys):
    first = checked(capsys)
    (kept,) = (own_home / "checks").iterdir()
    kept.write_text("{")
    assert checked(capsys) == first
    assert json.loads(kept.read_text())["ok"] is True


def test_whatever_an_answer_follows_from_is_in_its_key(monkeypatch):
    key = check_cache.key_of(OPENED)
    assert len(key) == 64
    assert check_cache.key_of(replace(OPENED, training={**OPENED.training, "lr": 0.5})) != key
    monkeypatch.setattr(check_cache, "_torch", lambda: "2.99.0")
    assert check_cache.key_of(OPENED) != key
    monkeypatch.undo()
    monkeypatch.setattr(check_cache, "_files", lambda: iter(["core/analyse/probe.py 1 1"]))
    assert check_cache.key_of(OPENED) != key


def test_what_can_change_without_the_file_is_not_kept():
    own_data = replace(OPENED, data={"source": "CSV", "file": "iris.csv"})
    assert check_cache.key_of(own_data) == ""


def test_the_newest_answers_are_kept_and_large_ones_are_not(own_home, monkeypatch):
    monkeypatch.setattr(check_cache, "MOST", 2)
    for name in ("a", "b", "c"):
        check_cache.keep(name, {"ok": name})
    assert {file.stem for file in (own_home / "checks").iterdir()} == {"b", "c"}
    monkeypatch.setattr(check_cache, "LARGEST", 10)
    check_cache.keep("d", {"ok": "as long as this"})
    assert check_cache.find("d") is None
    assert check_cache.find("c") == {"ok": "c"}


def run(program: str, home: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True,
        env={"PATH": "", "LAYERLOOM_HOME": str(home), "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    return done.stdout.splitlines()[-1]


@pytest.mark.gate
def test_a_check_leaves_torch_s_compiler_out_and_who_asks_for_it_gets_it(own_home):
    program = (
        "import sys, app.cli\n"
        f"app.cli.main(['check', {str(IRIS)!r}])\n"
        "import torch\n"
        "spared = 'torch._dynamo.eval_frame' not in sys.modules\n"
        "print(spared, torch._dynamo.config.__name__, "
        "sys.modules['torch._dynamo'].__file__ is not None)"
    )
    assert run(program, own_home) == "True torch._dynamo.config True"


def test_commands_that_need_no_torch_import_none_of_the_large_packages(own_home):
    program = (
        "import sys, app.cli\n"
        "app.cli.parser()\n"
        "heavy = {'torch', 'numpy', 'networkx', 'streamlit', 'sklearn', 'optuna'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    assert run(program, own_home) == "[]"
