"""A run with blocks of own Python: trained, resumed, exported, alone as a script, and never run
where its text is not trusted."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from core.analyse import analyse_project
from core.common.errors import RunError
from core.common.network_ref import ProjectRef
from core.engine.load_module import load_module, load_network
from core.export.result import ExportError
from core.export.run import export, export_place
from core.files import trust
from core.graph.python import composite_of
from core.insight import views
from core.insight.load_model import NotReady
from core.prepare.create import prepare
from core.prepare.teachers import renamed_source
from core.project import Project, open_project, write_text
from core.worker.launch import resume, start
from tests.core.script.alone import run_alone
from tests.core.small_runs import ended, hold_workers, train_here, until

SAMPLE = Path(__file__).parents[1] / "files/v1/python.loom.json"
PROJECT = open_project(SAMPLE)
SENTENCE = "gate1 is a Gate, which contains Python code that you have not trusted yet."
CHANGES = {"threads": 1, "device": "cpu", "lr": 0.01}
Make = Callable[..., Path]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))


def trusting(project: Project, yes: bool = True) -> None:
    for name, part in project.graph.composites.items():
        if yes:
            trust.trust(part.python, name)
        else:
            trust.forget(part.python)


@pytest.fixture
def own_run(run_folders: Path) -> Make:
    """Make run folders of the sample, trusting what it holds."""

    def make(project: Project = PROJECT, **training: object) -> Path:
        trusting(project)
        settings = {**CHANGES, "epochs": 1, **training}
        return prepare(project, analyse_project(project), run_folders, settings)

    return make


@pytest.mark.slow
def test_it_trains_as_its_script_does_alone(own_run: Make, tmp_path: Path) -> None:
    run_dir = own_run()
    assert train_here(run_dir).state == "finished"
    script = (run_dir / "script.py").read_text("utf-8")
    assert PROJECT.graph.composites["Gate"].python in script
    run_alone(script, tmp_path)
    trained = load_module(run_dir, "best").state_dict()
    alone = torch.load(tmp_path / "model.pt", weights_only=True)
    assert list(alone) == list(trained)
    assert [key for key in alone if not torch.equal(alone[key], trained[key])] == []


@pytest.mark.slow
def test_it_goes_on_after_it_was_killed(own_run: Make) -> None:
    whole, broken = own_run(epochs=2), own_run(epochs=2, checkpoint_every_s=0.0)
    start(whole)
    assert until(whole, ended).state == "finished"
    with pytest.MonkeyPatch.context() as patch:
        hold_workers(patch, 30)
        start(broken)
    assert until(broken, ended).state == "crashed"
    resume(broken)
    assert until(broken, ended).state == "finished"
    expected, found = (load_module(r, "last").state_dict() for r in (whole, broken))
    assert all(torch.equal(expected[name], found[name]) for name in expected)


@pytest.mark.slow
@pytest.mark.parametrize(
    "form", ["python", "safetensors", "onnx", "pt2", "torchscript-script", "torchscript-trace"]
)
def test_every_export_equals_the_network(form: str, own_run: Make, tmp_path: Path) -> None:
    run_dir = own_run()
    assert train_here(run_dir).state == "finished"
    result = export(run_dir, form, tmp_path / "out")
    assert result.max_difference is not None
    assert result.max_difference < 1e-5


@pytest.mark.gate
def test_a_worker_refuses_what_is_not_trusted_any_more(own_run: Make) -> None:
    run_dir = own_run()
    trusting(PROJECT, yes=False)
    start(run_dir)
    view = until(run_dir, ended)
    assert view.state == "failed"
    assert SENTENCE in view.message
    trusting(PROJECT)
    resume(run_dir, "start")
    assert until(run_dir, ended).state == "finished"


def test_a_run_folder_with_another_text_is_refused(own_run: Make, tmp_path: Path) -> None:
    run_dir, evil = own_run(), tmp_path / "evil"
    for name in ("model.py", "project.loom.json"):
        text = (run_dir / name).read_text("utf-8")
        line = f"open({str(evil)!r}, 'w').close()"
        (run_dir / name).write_text(text.replace("super().__init__()", line, 1), "utf-8")
    with pytest.raises(RunError, match="contains Python code that you have not trusted yet"):
        load_network(run_dir)
    assert not evil.exists()


def test_a_source_beside_a_trusted_project_is_not_used(own_run: Make) -> None:
    run_dir = own_run()
    text = (run_dir / "model.py").read_text("utf-8")
    (run_dir / "model.py").write_text(text.replace("torch.sigmoid", "torch.tanh"), "utf-8")
    with pytest.raises(RunError, match="does not match its graph"):
        load_network(run_dir)


def test_a_frozen_one_does_not_learn(own_run: Make) -> None:
    nodes = {**PROJECT.graph.nodes}
    nodes["gate1"] = replace(nodes["gate1"], frozen=True)
    project = replace(PROJECT, graph=replace(PROJECT.graph, nodes=nodes))
    report = analyse_project(project) if trusting(project) is None else None
    assert report is not None
    assert report.nodes["gate1"].trainable_params == 0
    assert report.rates == {"gate1": 0.0}


def test_what_is_remembered_is_not_used_once_trust_is_taken_back(tmp_path: Path) -> None:
    trusting(PROJECT)
    place = ProjectRef(SAMPLE.read_text("utf-8"))
    assert [shot.node for shot in views.strip(place, 0, ["gate1"])] == ["gate1"]
    export_place(place, "safetensors", str(tmp_path / "out"))
    trusting(PROJECT, yes=False)
    with pytest.raises(NotReady, match="Gate contains Python code that you have not trusted yet"):
        views.strip(place, 0, ["gate1"])
    with pytest.raises(
        ExportError, match="Gate contains Python code that you have not trusted yet"
    ):
        export_place(place, "safetensors", str(tmp_path / "out"))


def test_a_block_that_nothing_uses_asks_for_no_trust() -> None:
    text = "class Idle(nn.Module):\n    def forward(self, x: Tensor): return x"
    parts = {**PROJECT.graph.composites, "Idle": composite_of("Idle", text)}
    project = replace(PROJECT, graph=replace(PROJECT.graph, composites=parts))
    trusting(PROJECT)
    place = ProjectRef(write_text(project))
    assert analyse_project(project).ok
    assert [shot.node for shot in views.strip(place, 0, ["gate1"])] == ["gate1"]


@pytest.mark.slow
def test_a_teacher_with_the_same_block_teaches(own_run: Make, tmp_path: Path) -> None:
    run_dir = own_run()
    assert train_here(run_dir).state == "finished"
    student = own_run(distil={"run": run_dir.name})
    assert train_here(student).state == "finished"
    script = (student / "script.py").read_text("utf-8")
    assert "class Teacher(nn.Module):" in script


@pytest.mark.slow
def test_a_teacher_with_another_block_of_that_name_is_refused(own_run: Make) -> None:
    run_dir = own_run()
    assert train_here(run_dir).state == "finished"
    gate = PROJECT.graph.composites["Gate"].python.replace("sigmoid", "tanh")
    parts = {**PROJECT.graph.composites, "Gate": composite_of("Gate", gate)}
    other = replace(PROJECT, graph=replace(PROJECT.graph, composites=parts))
    with pytest.raises(RunError, match="The Python block Gate of the teacher differs"):
        own_run(other, distil={"run": run_dir.name})


def test_a_block_that_only_begins_like_the_student_s_is_another_one() -> None:
    trusting(PROJECT)
    source = analyse_project(PROJECT).source or ""
    assert "class Gate(nn.Module):" in renamed_source(PROJECT, source)[0]
    longer = PROJECT.graph.composites["Gate"].python + " * 2"
    student = source.replace(PROJECT.graph.composites["Gate"].python, longer)
    assert student != source
    with pytest.raises(RunError, match="The Python block Gate of the teacher differs"):
        renamed_source(PROJECT, student)
