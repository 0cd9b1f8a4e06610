"""Learning from a teacher run: the loss of the paper, the bits, what is refused, what is kept."""

import copy
import json
import math
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from core.analyse import analyse_project
from core.common.errors import RunError, TrainingError
from core.engine.distillation import Teacher, distillation_loss
from core.engine.load_module import load_module
from core.prepare.branch import branch
from core.prepare.create import prepare
from core.prepare.lr_finder import find_lr
from core.prepare.teachers import try_teacher
from core.project import Project, write_text
from core.project.templates import load_template
from core.runs.files import read_json
from core.worker import launch
from tests.core.script.alone import surroundings
from tests.core.script.test_excerpt import faults
from tests.core.small_runs import CHANCY_NET, project, table_net, train_here

DIGITS = {"source": "digits"}
TEACHER = {"run": "small-net-001"}
SMALL = table_net(64, 10, 8)


def student(data: dict[str, Any] | None = None, **training: Any) -> Project:
    """A small net with dropout of another drawing than its teacher's."""
    graph = copy.deepcopy(CHANCY_NET)
    graph["nodes"]["conv1"]["settings"]["out_channels"] = 2
    settings = {"epochs": 2, "threads": 1, "lr": 0.01, "distil": TEACHER, **training}
    return project(graph, DIGITS | (data or {}), **settings)


def made(found: Project, runs: Path) -> Path:
    return prepare(found, analyse_project(found), runs)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run that can teach, to be copied."""
    runs = tmp_path_factory.mktemp("teacher")
    run = made(project(CHANCY_NET, DIGITS, epochs=2, threads=1, lr=0.01), runs)
    assert train_here(run).state == "finished"
    return runs


@pytest.fixture
def runs(trained: Path, tmp_path: Path) -> Path:
    shutil.copytree(trained, tmp_path / "runs")
    return tmp_path / "runs"


def events(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "events.jsonl").read_text().splitlines()]


def alike(one: Path, other: Path, which: str = "last") -> bool:
    first, second = (load_module(run, which).state_dict() for run in (one, other))
    return all(torch.equal(first[key], second[key]) for key in first)


def test_the_soft_loss_is_the_divergence_of_softened_probabilities_times_the_temperature_squared():
    outputs, wanted = torch.tensor([[0.0, math.log(3) * 2]]), torch.tensor([[0.0, 0.0]])
    # at temperature 2 the student says (1/4, 3/4) and the teacher (1/2, 1/2)
    divergence = 0.5 * math.log(0.5 / 0.25) + 0.5 * math.log(0.5 / 0.75)
    assert float(distillation_loss(outputs, wanted, 2.0)) == pytest.approx(4 * divergence, rel=1e-6)


def test_a_soft_loss_at_high_temperature_pulls_as_hard_as_matching_logits():
    """Section 2.1 of the paper: its gradient tends to (student - teacher) / classes / samples."""
    outputs = torch.tensor([[1.0, -2.0, 1.0]], dtype=torch.float64, requires_grad=True)
    wanted = torch.tensor([[-1.0, 0.0, 1.0]], dtype=torch.float64)
    distillation_loss(outputs, wanted, 1e4).backward()
    assert outputs.grad is not None
    assert torch.allclose(outputs.grad, (outputs.detach() - wanted) / 3, atol=1e-3)


def test_a_teacher_answers_without_dropout_and_learns_nothing():
    module = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Dropout(0.9)).eval()
    teacher = Teacher(module, 4.0, 1.0)
    x, outputs = torch.ones(2, 4), torch.zeros(2, 3, requires_grad=True)
    first, again = (teacher.mixed_loss(torch.tensor(1.0), [x], [outputs]) for _ in range(2))
    first.backward()
    assert first.item() == again.item() > 0
    assert [weight.grad for weight in module.parameters()] == [None, None]


def test_a_run_learns_from_its_teacher_and_says_so(runs: Path):
    run, plain = made(student(), runs), made(student(distil=None), runs)
    assert [train_here(r).state for r in (run, plain)] == ["finished", "finished"]
    (message,) = [event["message"] for event in events(run) if event["kind"] == "teacher"]
    assert message.startswith("Learns from the best weights of small-net-001 (epoch ")
    assert message.endswith(
        "90% of the loss (alpha 0.9) at temperature 4. Validation uses the targets alone."
    )
    assert not alike(run, plain)
    assert read_json(run / "spec.json")["training"]["distil"] == {
        "run": "small-net-001", "which": "best", "temperature": 4.0, "alpha": 0.9,
    }  # fmt: skip


@pytest.mark.gate
def test_a_teacher_without_a_share_changes_no_bit(runs: Path):
    run = made(student(distil=TEACHER | {"alpha": 0.0}), runs)
    plain = made(student(distil=None), runs)
    assert [train_here(r).state for r in (run, plain)] == ["finished", "finished"]
    assert alike(run, plain)


@pytest.mark.gate
def test_a_run_with_a_teacher_goes_on_exactly_without_the_teachers_run(runs: Path):
    whole = made(student(), runs)
    part = made(student(max_minutes=1e-9), runs)
    shutil.rmtree(runs / "small-net-001")
    assert train_here(whole).state == "finished"
    attempts = 1
    while train_here(part).state == "stopped":
        attempts += 1
        launch.request(part, "run", **{"attempt": attempts, "from": "last"})
    assert attempts > 2
    assert alike(whole, part)
    assert [event["kind"] for event in events(part)].count("teacher") == 1


def test_a_branch_has_the_same_teacher(runs: Path):
    run = made(student(), runs)
    assert train_here(run).state == "finished"
    shutil.rmtree(runs / "small-net-001")
    new = branch(run, "last", {"epochs": 3})
    assert read_json(new / "spec.json")["teacher"] == read_json(run / "spec.json")["teacher"]
    assert train_here(new).state == "finished"


@pytest.mark.slow(keep=["more0"])
@pytest.mark.parametrize("more", [{}, {"accumulate": 2, "ema_decay": 0.9, "precision": "bfloat16"}])
def test_the_script_takes_its_teacher_along_and_ends_with_the_same_bits(
    more: dict[str, Any], runs: Path, tmp_path: Path
):
    run = made(student(distil=TEACHER | {"alpha": 0.7, "temperature": 3.0}, **more), runs)
    shutil.rmtree(runs / "small-net-001")
    assert train_here(run).state == "finished"
    assert list(faults((run / "script.py").read_text("utf-8"))) == []
    for name in ("script.py", "teacher.safetensors"):
        shutil.copy(run / name, tmp_path)
    done = subprocess.run(
        [sys.executable, "-I", "script.py", "--device", "cpu"],
        cwd=tmp_path, env=surroundings(tmp_path), capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    saved = torch.load(tmp_path / "model.pt", weights_only=True)
    best = load_module(run, "best").state_dict()
    assert [key for key in best if not torch.equal(best[key], saved[key])] == []


@pytest.mark.slow
def test_a_script_that_learns_from_columns_has_its_teacher_too(tmp_path: Path):
    names = load_template("rnn_letter_names")
    plain = {**names.training, "epochs": 1, "threads": 1}
    assert train_here(made(replace(names, name="Small net", training=plain), tmp_path)).state == (
        "finished"
    )
    taught = replace(names, training={**plain, "seed": 1, "distil": TEACHER})
    run = made(taught, tmp_path)
    assert train_here(run).state == "finished"
    done = subprocess.run(
        [sys.executable, "-I", "script.py", "--device", "cpu"],
        cwd=run, env=surroundings(run), capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    saved = torch.load(run / "model.pt", weights_only=True)
    best = load_module(run, "best").state_dict()
    assert [key for key in best if not torch.equal(best[key], saved[key])] == []


@pytest.mark.parametrize(
    ("net", "data", "message"),
    [
        (table_net(64, 10), {"target": "label"}, "receives (N, 64) but"),
        (table_net(4, 3), {"source": "iris"}, "needs the classes setosa, versicolor, virginica"),
        (CHANCY_NET, {"normalize": True}, "The data is normalised here but is not for"),
    ],
)
def test_a_teacher_of_something_else_is_refused_with_what_differs(
    net: dict[str, Any], data: dict[str, Any], message: str, runs: Path
):
    found = project(net, DIGITS | data, epochs=1, distil=TEACHER)
    with pytest.raises(TrainingError) as refused:
        made(found, runs)
    assert message in refused.value.message
    assert "small-net-001" in refused.value.message
    assert refused.value.hint


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({}, "training.distil needs a run."),
        ({"run": "none-001"}, "There is no run called none-001."),
        ({"run": "../a"}, "needs a name without folders"),
        ({"run": "a", "which": "newest"}, "needs best or last but receives 'newest'."),
        ({"run": "a", "alpha": 1.5}, "alpha needs a number from 0 to 1 but receives 1.5."),
        ({"run": "a", "temperature": 0}, "temperature needs a number from 0.1 to 100 but"),
        ({"run": "a", "heat": 2}, "training.distil has no setting 'heat'."),
    ],
)
def test_what_is_no_teacher_is_refused_in_a_sentence(
    setting: dict[str, Any], message: str, tmp_path: Path
):
    with pytest.raises(TrainingError) as refused:
        made(student(distil=setting), tmp_path)
    assert message in refused.value.message


@pytest.mark.parametrize(
    ("data", "net", "training", "message"),
    [
        ({"source": "diabetes"}, table_net(10, 1), {}, "but this project has the task regression"),
        ({"source": "digits"}, SMALL, {"loss": "MultiMarginLoss"}, "the loss is MultiMarginLoss."),
    ],
)
def test_what_cannot_be_taught_is_refused(
    data: dict[str, Any],
    net: dict[str, Any],
    training: dict[str, Any],
    message: str,
    tmp_path: Path,
):
    with pytest.raises(TrainingError) as refused:
        made(project(net, data, epochs=1, distil=TEACHER, **training), tmp_path)
    assert message in refused.value.message


def test_a_run_of_another_task_cannot_teach(tmp_path: Path):
    other = project(table_net(10, 1), {"source": "diabetes"}, epochs=1, threads=1)
    assert train_here(made(other, tmp_path)).state == "finished"
    with pytest.raises(TrainingError, match="cannot teach classes: its task is regression"):
        made(student(), tmp_path)


def test_a_teacher_that_was_changed_is_not_used(runs: Path):
    run = made(student(), runs)
    file = run / "teacher.loom.json"
    file.write_text(file.read_text().replace('"out_channels": 4', '"out_channels": 5'))
    view = train_here(run)
    assert view.state == "failed"
    assert view.message == (
        "teacher.loom.json of small-net-002 was changed after the run was created."
    )


def test_the_page_gets_whether_a_teacher_suits(runs: Path):
    found = try_teacher(write_text(student({"validation": 0.3})), str(runs))
    assert found["name"].startswith("the best weights of small-net-001")
    assert 0.5 < found["accuracy"] <= 1.0
    assert (found["params"], found["own"]) == (1498, 754)
    assert found["note"].startswith("The teacher was trained on validation samples")
    assert try_teacher(write_text(student()), str(runs))["note"] == ""
    assert (
        "There is no run called" in try_teacher(write_text(student()), str(runs / "no"))["problem"]
    )


@pytest.mark.gate
def test_the_finder_of_learning_rates_learns_from_the_teacher_too(runs: Path):
    taught = find_lr(write_text(student(distil=TEACHER | {"alpha": 1.0})), str(runs))
    plain = find_lr(write_text(student(distil=None)))
    assert taught["loss"][0] != plain["loss"][0]


def test_a_project_whose_teacher_is_not_at_hand_has_no_script_and_says_why():
    from core.data import describe_project, ends
    from core.script.script import write_script

    found = student()
    report = analyse_project(found)
    info = describe_project(found, *ends(report.inputs, report.outputs))
    with pytest.raises(RunError, match="a project file does not contain one"):
        write_script(found, report, info)
