"""A bundle made in one workspace is opened in another: the same curves, weights, notes, data."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.analyse import analyse_project
from core.common.errors import DataError, ProjectError, RunError
from core.engine.load_module import load_module
from core.export import export
from core.prepare.create import prepare
from core.project import open_project, save_project
from core.runs import checkpoint
from core.runs.delete import delete_run
from core.runs.lineage import lineage_of
from core.runs.listing import list_runs, read_metrics, view_run
from core.runs.run_notes import RunNotes, read_notes, write_notes
from core.runs.vocabulary import read_vocabulary, write_vocabulary
from core.wings.bundle import missing_requirements
from core.wings.bundle.needs import untrusted
from core.worker import launch
from tests.core.small_runs import project, table_net, table_project, train_here
from tests.wings.bundle.shared import CSV, bundled, opened, saved

ROOT = Path(__file__).parents[3]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
    return tmp_path


@pytest.fixture
def iris(home: Path, iris_run) -> tuple[Path, Path]:
    """A project's file and a finished run of it, with a note."""
    run = iris_run()
    train_here(run)
    write_notes(run, RunNotes("Look at this one.", ("homework",)))
    return saved(open_project(run / "project.loom.json"), home / "mine"), run


def test_its_run_is_listed_with_curves_weights_and_notes_and_says_where_it_came_from(
    iris, tmp_path: Path
):
    file, run = iris
    made = opened(bundled(file, run.parent, run.name).path, tmp_path / "theirs")
    (view,) = list_runs(tmp_path / "theirs" / "runs")
    before = view_run(run)
    assert (view.state, view.brought, view.resumable) == ("finished", "small.loom.zip", False)
    assert (view.best, view.epochs, view.step) == (before.best, 2, before.step)
    assert read_metrics(view.dir)[0] == read_metrics(run)[0] != []
    assert read_notes(view.dir) == RunNotes("Look at this one.", ("homework",))
    assert open_project(made.project) == open_project(file)
    assert not (view.dir / "model.py").exists()
    assert sorted(p.name for p in (view.dir / "ckpt").iterdir()) == [
        "best.safetensors",
        "manifest.json",
    ]


def test_the_vocabulary_of_its_texts_goes_along(iris, tmp_path: Path):
    file, run = iris
    tokens = ("<padding>", "<unknown>", "gr\u00fc\u00df")
    write_vocabulary(run, tokens)
    opened(bundled(file, run.parent, run.name).path, tmp_path / "theirs")
    assert read_vocabulary(tmp_path / "theirs" / "runs" / run.name) == tokens


@pytest.mark.gate
def test_what_is_exported_of_it_are_the_same_bytes(iris, tmp_path: Path):
    file, run = iris
    opened(bundled(file, run.parent, run.name).path, tmp_path / "theirs")
    there = tmp_path / "theirs" / "runs" / run.name
    for kind, ending in (("safetensors", "safetensors"), ("python", "py"), ("onnx", "onnx")):
        ours, theirs = tmp_path / f"ours.{ending}", tmp_path / f"theirs.{ending}"
        export(run, kind, ours)
        export(there, kind, theirs)
        assert theirs.read_bytes() == ours.read_bytes()


def test_a_new_run_trains_on_from_its_weights_and_it_is_not_resumed(iris, tmp_path: Path):
    file, run = iris
    opened(bundled(file, run.parent, run.name).path, tmp_path / "theirs")
    runs = tmp_path / "theirs" / "runs"
    with pytest.raises(RunError, match=r"imported from small\.loom\.zip with its best weights"):
        launch.resume(runs / run.name)
    found = open_project(runs / run.name / "project.loom.json")
    new = prepare(found, analyse_project(found), runs, {"start_from": {"run": run.name}})
    view = train_here(new)
    assert view.state == "finished"
    start = json.loads((new / "spec.json").read_text())["start"]
    assert start["loaded"] == 4
    assert {k: v.tolist() for k, v in load_module(runs / run.name).state_dict().items()} == {
        k: v.tolist() for k, v in load_module(run).state_dict().items()
    }


def test_the_same_is_the_same_bytes_and_names_no_place(iris, tmp_path: Path):
    file, run = iris
    first = bundled(file, run.parent, run.name)
    content = first.path.read_bytes()
    assert bundled(file, run.parent, run.name).sha256 == first.sha256
    assert str(tmp_path).encode() not in content
    assert str(Path.home()).encode() not in content


def test_opened_twice_it_is_there_once_and_what_was_drawn_since_stays(iris, tmp_path: Path):
    file, run = iris
    bundle, theirs = bundled(file, run.parent, run.name).path, tmp_path / "theirs"
    first = opened(bundle, theirs)
    known = open_project(first.project)
    save_project(type(known)(name="Mine now"), first.project, known.revision)
    second = opened(bundle, theirs)
    assert (second.project, second.before, second.runs) == (first.project, True, first.runs)
    assert open_project(second.project).name == "Mine now"
    delete_run(theirs / "runs" / run.name)
    opened(bundle, theirs)
    assert len(list_runs(theirs / "runs")) == 1


def test_a_name_that_is_taken_gets_the_next_number_and_what_speaks_of_it_follows(
    iris, tmp_path: Path
):
    file, run = iris
    found = open_project(file)
    second = prepare(found, analyse_project(found), run.parent, {"start_from": {"run": run.name}})
    train_here(second)
    theirs = tmp_path / "theirs"
    shutil.copytree(run, theirs / "runs" / run.name)
    made = opened(bundled(file, run.parent, second.name, run.name).path, theirs)
    assert made.runs == {run.name: "small-net-002", second.name: "small-net-003"}
    (start,) = lineage_of(theirs / "runs" / "small-net-003")
    assert (start.run, start.gone) == ("small-net-002", False)


def test_runs_that_the_project_needs_go_along(iris, tmp_path: Path):
    _, run = iris
    found = project(table_net(4, 3), {"source": "iris"}, start_from={"run": run.name}, epochs=2)
    again = saved(found, tmp_path / "mine", "again")
    made = opened(bundled(again, run.parent).path, tmp_path / "theirs")
    assert list(made.runs) == [run.name]


def test_own_data_comes_along_beside_other_data_of_that_name(home: Path, monkeypatch):
    mine, theirs = home / "mine", home / "theirs"
    file = saved(table_project(), mine)
    (mine / "data").mkdir()
    (mine / "data/kinds.csv").write_text(CSV)
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(mine))
    bundle = bundled(file, mine / "runs", data=True).path
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(theirs))
    (theirs / "data").mkdir(parents=True)
    (theirs / "data/kinds.csv").write_text("another,table\n1,2\n")
    made = opened(bundle, theirs)
    assert open_project(made.project).data["file"] == "data/kinds-2.csv"
    assert (theirs / "data/kinds-2.csv").read_text() == CSV
    assert (theirs / "data/kinds.csv").read_text() == "another,table\n1,2\n"
    assert (
        missing_requirements(open_project(made.project), made.manifest, theirs, theirs / "runs")
        == []
    )


def test_without_data_the_fingerprint_tells_whether_the_right_data_is_here(
    home: Path, monkeypatch: pytest.MonkeyPatch
):
    mine, theirs = home / "mine", home / "theirs"
    file = saved(table_project(), mine)
    (mine / "data").mkdir()
    (mine / "data/kinds.csv").write_text(CSV)
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(mine))
    bundle = bundled(file, mine / "runs").path
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(theirs))
    made = opened(bundle, theirs)

    def codes() -> list[str]:
        found = open_project(made.project)
        return [
            n["code"] for n in missing_requirements(found, made.manifest, theirs, theirs / "runs")
        ]

    assert codes() == ["missing_data"]
    (theirs / "data").mkdir()
    (theirs / "data/kinds.csv").write_text(CSV.replace("a", "b"))
    assert codes() == ["other_data"]
    (theirs / "data/kinds.csv").write_text(CSV)
    assert codes() == []


def test_own_python_waits_for_trust_anew(home: Path):
    file = home / "mine" / "gated.loom.json"
    file.parent.mkdir()
    shutil.copy(ROOT / "tests/files/v1/python.loom.json", file)
    made = opened(bundled(file, home / "runs").path, home / "theirs")
    found = untrusted(open_project(made.project))
    assert [need["code"] for need in found] == ["untrusted_python"]
    assert found[0]["message"] == "Gate and Halves hold Python that you have not trusted yet."


def test_a_run_that_is_not_there_or_damaged_or_data_that_is_gone_is_no_bundle(iris, tmp_path: Path):
    file, run = iris
    with pytest.raises(RunError, match="There is no run called 'nobody-001'"):
        bundled(file, run.parent, "nobody-001")
    with pytest.raises(RunError, match=r"There is no run called '\.\./mine'"):
        bundled(file, run.parent, "../mine")
    best = checkpoint.path_of(run, "best")
    best.write_bytes(best.read_bytes()[:-1])
    with pytest.raises(RunError, match="The best checkpoint is damaged"):
        bundled(file, run.parent, run.name)
    table = saved(table_project("data/nowhere.csv"), tmp_path / "mine", "table")
    with pytest.raises(DataError, match=r"data/nowhere\.csv is not in"):
        bundled(table, run.parent, data=True)
    assert bundled(table, run.parent).unknown.startswith("data/nowhere.csv is not in")
    assert [p.name for p in file.parent.glob(".*")] == []


@pytest.mark.gate
@pytest.mark.parametrize("moment", range(6))
def test_a_kill_while_it_is_opened_leaves_nothing_half(iris, tmp_path: Path, moment: int):
    """Killed at each step of placing it; what is there is whole, and opening it again goes on."""
    file, run = iris
    bundle, theirs = bundled(file, run.parent, run.name).path, tmp_path / "theirs"
    theirs.mkdir()
    code = (
        "import os, sys, pathlib\n"
        "from core.wings.bundle import place\n"
        "moves = []\n"
        "def killed(event, args):\n"
        "    if event in ('os.rename', 'os.mkdir') and 'theirs' in str(args):\n"
        "        moves.append(event)\n"
        f"        if len(moves) > {moment * 3}: os._exit(9)\n"
        "sys.addaudithook(killed)\n"
        "b, w = map(pathlib.Path, sys.argv[1:])\n"
        "place.open_bundle(b.open('rb'), b.name, w, w / 'runs')\n"
    )
    command = [sys.executable, "-c", code, str(bundle), str(theirs)]
    subprocess.run(command, cwd=ROOT, check=False)
    for view in list_runs(theirs / "runs"):
        assert (view.state, read_metrics(view.dir)[0]) == ("finished", read_metrics(run)[0])
    assert all(open_project(p) for p in theirs.glob("*.loom.json"))
    made = opened(bundle, theirs)
    assert len(list_runs(theirs / "runs")) == 1
    assert [p.name for p in (theirs / "runs").glob(".bundle*")] == []
    assert open_project(made.project) == open_project(file)


def test_no_torch_is_imported_to_open_one(iris, tmp_path: Path):
    file, run = iris
    bundle = bundled(file, run.parent, run.name).path
    code = (
        "import sys, pathlib\nfrom core.wings.bundle import open_bundle\n"
        "b, w = map(pathlib.Path, sys.argv[1:])\n"
        "open_bundle(b.open('rb'), b.name, w, w / 'runs')\nassert 'torch' not in sys.modules\n"
    )
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    command = [sys.executable, "-c", code, str(bundle), str(theirs)]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def test_what_cannot_be_written_leaves_nothing(iris, tmp_path: Path, monkeypatch):
    file, run = iris
    bundle, theirs = bundled(file, run.parent, run.name).path, tmp_path / "theirs"

    def refused(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("core.wings.bundle.unpack.save_project", refused)
    with pytest.raises(ProjectError, match="No space left on device"):
        opened(bundle, theirs)
    assert [p.name for p in theirs.iterdir()] == ["runs"]
    assert list((theirs / "runs").iterdir()) == []
