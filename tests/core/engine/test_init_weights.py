"""Beginning with the weights of another run or of a file: what fits, what is told, the bits."""

import copy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from core.analyse import analyse_project
from core.common.errors import RunError, TrainingError
from core.engine.init_weights import try_weights
from core.engine.load_module import load_module
from core.prepare.branch import branch
from core.prepare.create import prepare
from core.prepare.lr_finder import find_lr
from core.project import Project, write_text
from core.runs.files import read_json
from core.worker import launch
from tests.core.script.alone import surroundings
from tests.core.small_runs import CHANCY_NET, project, train_here

DIGITS = {"source": "digits"}
HEAD = {"run": "small-net-001", "leave_out": ["fc1"]}


def net(kernel: int = 3, **training: Any) -> Project:
    graph = copy.deepcopy(CHANCY_NET)
    graph["nodes"]["conv1"]["settings"]["kernel_size"] = kernel
    return project(graph, DIGITS, **{"epochs": 1, "threads": 1, "lr": 0.01, **training})


def made(found: Project, runs: Path, beside: Path | None = None) -> Path:
    return prepare(found, analyse_project(found), runs, {}, beside)


@pytest.fixture
def first(tmp_path: Path) -> Path:
    """A run whose weights others begin with."""
    run = made(net(seed=5), tmp_path)
    assert train_here(run).state == "finished"
    return run


def began(run: Path) -> str:
    text = (run / "events.jsonl").read_text()
    return next(line for line in text.splitlines() if '"begins"' in line)


def test_a_run_begins_with_the_best_weights_of_another(first: Path, tmp_path: Path):
    run = made(net(start_from={"run": first.name}, lr=0.0), tmp_path)
    assert train_here(run).state == "finished"
    held, got = load_module(first, "best").state_dict(), load_module(run, "last").state_dict()
    weights = [key for key in held if "running" not in key and "batches" not in key]
    assert [key for key in weights if not torch.equal(held[key], got[key])] == []
    assert "the best weights of small-net-001 (epoch 1): 9 tensors." in began(run)


def test_weights_of_another_size_are_refused_with_the_numbers_and_what_to_do(
    first: Path, tmp_path: Path
):
    with pytest.raises(TrainingError) as refused:
        made(net(kernel=5, start_from={"run": first.name}), tmp_path)
    assert refused.value.message == (
        "conv1.weight needs (4, 1, 5, 5) but has (4, 1, 3, 3) in the best weights of small-net-001 "
        "(epoch 1), and 1 more of 9 do not fit."
    )
    assert refused.value.hint.startswith("Leave out conv1, fc1 to start with random weights there")


def test_a_head_that_is_left_out_begins_at_random_and_the_run_says_so(first: Path, tmp_path: Path):
    run = made(net(start_from=HEAD), tmp_path)
    start = read_json(run / "spec.json")["start"]
    assert (start["loaded"], start["left_out"]) == (7, ["fc1"])
    assert "fc1.weight" not in load_file(run / "start.safetensors")
    assert train_here(run).state == "finished"
    assert "7 tensors; fc1 starts from random weights." in began(run)


def test_a_block_to_leave_out_that_is_gone_is_named_with_those_that_are_there(
    first: Path, tmp_path: Path
):
    with pytest.raises(TrainingError) as refused:
        made(net(start_from={"run": first.name, "leave_out": ["head"]}), tmp_path)
    assert "leave_out names head, which has no weights in this network." in refused.value.message
    assert refused.value.hint == "It has conv1, norm1, fc1."


def test_a_file_beside_the_project_is_read_by_the_keys_its_header_tells(tmp_path: Path):
    module = torch.nn.Linear(144, 10)
    tensors = {"old.weight": module.weight.detach(), "old.bias": module.bias.detach()}
    header = {"format": "pt", "key:fc1.weight": "old.weight", "key:fc1.bias": "old.bias"}
    save_file(tensors, tmp_path / "head.safetensors", metadata=header)
    setting = {"weights": "head.safetensors", "leave_out": ["conv1", "norm1"]}
    run = made(net(start_from=setting), tmp_path / "runs", tmp_path)
    assert torch.equal(load_file(run / "start.safetensors")["fc1.weight"], module.weight)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        (
            {"weights": "gone.safetensors"},
            "There is no gone.safetensors in the folder of the project.",
        ),
        ({"weights": "model.pt"}, "needs a safetensors file but receives model.pt."),
        ({"weights": "../a.safetensors"}, "needs a name without folders"),
        ({"run": "none-001"}, "There is no run called none-001."),
        ({"run": "a", "weights": "b.safetensors"}, "needs a run or a file of weights."),
        ({"run": "a", "which": "newest"}, "needs best or last but receives 'newest'."),
    ],
)
def test_what_is_no_start_is_refused_in_a_sentence(
    setting: dict[str, Any], message: str, tmp_path: Path
):
    with pytest.raises(TrainingError) as refused:
        made(net(start_from=setting), tmp_path / "runs", tmp_path)
    assert message in refused.value.message


def test_a_file_that_is_no_safetensors_is_refused_before_it_is_read(tmp_path: Path):
    (tmp_path / "bad.safetensors").write_bytes(b"\x80\x04pickle")
    with pytest.raises(TrainingError, match="cannot be read as safetensors"):
        made(net(start_from={"weights": "bad.safetensors"}), tmp_path / "runs", tmp_path)


def test_weights_changed_after_the_run_was_prepared_are_not_used(first: Path, tmp_path: Path):
    run = made(net(start_from={"run": first.name}), tmp_path)
    file = run / "start.safetensors"
    file.write_bytes(file.read_bytes()[:-1] + b"\x01")
    view = train_here(run)
    assert view.state == "failed"
    assert view.message == (
        "start.safetensors of small-net-002 was changed after the run was created."
    )


def test_what_fits_is_reported_before_the_run(first: Path):
    found = try_weights(
        write_text(net(kernel=5, start_from={"run": first.name})), str(first.parent), ""
    )
    assert found["loaded"] == 7
    assert found["other"] == [
        ["conv1.weight", [4, 1, 5, 5], [4, 1, 3, 3]],
        ["fc1.weight", [10, 64], [10, 144]],
    ]
    assert (found["blocks"], found["missing"], found["unused"]) == (["conv1", "fc1"], [], [])


@pytest.mark.gate
def test_the_finder_of_learning_rates_begins_with_the_weights_too(first: Path):
    plain = find_lr(write_text(net()))
    begun = find_lr(write_text(net(start_from={"run": first.name})), str(first.parent))
    assert begun["loss"][0] < 0.8 * plain["loss"][0]


@pytest.mark.slow
@pytest.mark.parametrize("leave_out", [[], ["fc1"]])
def test_the_script_begins_with_the_same_file_and_ends_with_the_same_bits(
    leave_out: list[str], first: Path, tmp_path: Path
):
    found = net(start_from={"run": first.name, "leave_out": leave_out}, epochs=2, seed=2)
    run = made(found, tmp_path)
    assert train_here(run).state == "finished"
    done = subprocess.run(
        [sys.executable, "-I", "script.py", "--device", "cpu", "--out", str(tmp_path / "model.pt")],
        cwd=run, env=surroundings(run), capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    saved = torch.load(tmp_path / "model.pt", weights_only=True)
    best = load_module(run, "best").state_dict()
    assert [key for key in best if not torch.equal(best[key], saved[key])] == []


@pytest.mark.gate
def test_a_run_that_goes_on_does_not_begin_again(first: Path, tmp_path: Path):
    whole = made(net(start_from={"run": first.name}, epochs=2), tmp_path)
    part = made(net(start_from={"run": first.name}, epochs=2, max_minutes=1e-9), tmp_path)
    assert train_here(whole).state == "finished"
    attempts = 1
    while train_here(part).state == "stopped":
        attempts += 1
        launch.request(part, "run", **{"attempt": attempts, "from": "last"})
    assert attempts > 2
    ended, other = (load_module(run, "last").state_dict() for run in (whole, part))
    assert [key for key in ended if not torch.equal(ended[key], other[key])] == []
    assert (part / "events.jsonl").read_text().count('"begins"') == 1


def test_a_run_without_the_kept_file_says_so(first: Path, tmp_path: Path):
    run = made(net(start_from={"run": first.name}), tmp_path)
    (run / "start.safetensors").unlink()
    assert train_here(run).state == "failed"
    with pytest.raises(RunError, match="There is no best checkpoint"):
        made(net(start_from={"run": run.name}), tmp_path)


@pytest.mark.gate
def test_a_branch_begins_with_what_its_run_began_with(first: Path, tmp_path: Path):
    run = made(net(start_from={"run": first.name}, epochs=2), tmp_path)
    assert train_here(run).state == "finished"
    new = branch(run, "last", {"epochs": 3})
    assert read_json(new / "spec.json")["start"]["loaded"] == 9
    assert (new / "start.safetensors").read_bytes() == (run / "start.safetensors").read_bytes()
    assert train_here(new).state == "finished"
