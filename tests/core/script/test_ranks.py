"""A training script for several processes: its text, and that each function works alone."""

import argparse
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import nn

from core.analyse import analyse_project
from core.common.errors import TrainingError
from core.data import describe_project, ends
from core.engine.torchrun_functions import GradientSum, divide_batch, from_rank_0, summed
from core.prepare.create import prepare
from core.script.script import write_script
from core.settings.launcher import Launcher
from tests.core.script.alone import run_like_many, surroundings
from tests.core.script.hand_made import CASES, MLP, VISION, Case, case, lenet
from tests.core.small_runs import CHANCY_NET, project, table_net
from tests.torchrun import torchrun

STEP = """\
        for number, (x, y) in enumerate(loader):
            share = min(accumulate, len(loader) - number // accumulate * accumulate)
            turn = number % accumulate
            if turn % world == rank:
                loss = criterion(model(x), y)
                optimizer.zero_grad()
                (loss / share).backward()
                train_loss += loss.item() * len(y)
            if turn % world == world - 1 or turn == share - 1:  # all have one
                gradients.add(turn % world + 1, turn < world)
            if turn == share - 1:
                optimizer.step()
        train_loss = summed(train_loss, device)
        val_loss, accuracy = from_rank_0(evaluate(model, criterion, val_x, val_y))
        if rank == 0:
            print(
"""
IRIS = {"source": "iris"}
BATCH_NORMS: dict[str, dict] = {
    "norm1": {"block": "BatchNorm2d"},
    "slow": {"block": "BatchNorm2d", "settings": {"momentum": 0.01}},
    "cumulative": {"block": "BatchNorm2d", "settings": {"momentum": None}},
    "untracked": {"block": "BatchNorm2d", "settings": {"track_running_stats": False}},
    "frozen": {"block": "BatchNorm2d", "frozen": True},
}
GOLDEN = Path(__file__).parents[2] / "golden" / "lenet_digits_ddp.py"


def with_norm(**norm) -> dict:
    """A small network on pictures that draws nothing, with this norm."""
    nodes = {**CHANCY_NET["nodes"], "norm1": norm, "drop1": {"block": "ReLU"}}
    return {"nodes": nodes, "edges": CHANCY_NET["edges"]}


def iris(**training) -> Case:
    return case(MLP, IRIS, (4,), (3,), **training)


def text(made: Case) -> str:
    return write_script(made.project, made.report, made.info, processes=True)


def test_each_batch_of_a_step_has_one_process_and_the_first_prints_and_saves() -> None:
    written = text(iris())
    assert STEP in written
    assert written.count("torch.save(") == 1
    assert "            if rank == 0:\n                torch.save(model.state_dict()" in written
    assert "rank, world = join_processes(args.device)\n" in written
    assert '--accumulate", type=int, default=1, help="batches per step")' in written


def test_without_processes_the_script_is_as_it_was() -> None:
    made = iris()
    written = write_script(made.project, made.report, made.info)
    assert "if rank" not in written
    assert "torch.distributed" not in written


def test_batch_norm_of_whole_batches_is_python_in_lines_of_88() -> None:
    found = project(with_norm(block="BatchNorm2d"), {"source": "digits"}, sync_batchnorm=True)
    report = analyse_project(found)
    info = describe_project(found, *ends(report.inputs, report.outputs))
    written = write_script(found, report, info, processes=True)
    compile(written, "train.py", "exec")
    assert [line for line in written.splitlines() if len(line) > 88] == []
    assert "norms = SyncedNorms(model, rank, world, accumulate // args.accumulate)" in written
    assert "Batch norm sees the whole batches that processes divide" in " ".join(written.split())
    assert "smaller_batches" not in written
    assert "SyncedNorms" not in write_script(found, report, info)


@pytest.mark.parametrize("name", ["diabetes", "patience", "drawn_limited", "skips_shared"])
def test_every_form_is_python_in_lines_of_88(name: str) -> None:
    written = text(CASES[name]())
    compile(written, "train.py", "exec")
    assert [line for line in written.splitlines() if len(line) > 88] == []


def test_the_docstring_says_what_is_identical_and_what_is_not() -> None:
    assert "The weights are identical to those of one process" in " ".join(text(iris()).split())
    noted = " ".join(text(lenet()).split())
    assert "not identical: several processes draw other random numbers than one. " in f"{noted} "
    assert "with own_numbers(SEED, step, turn, world): loss = criterion(model(x), y)" in noted


def test_a_time_limit_is_decided_by_the_first_process() -> None:
    written = text(iris(max_minutes=1, accumulate=2))
    assert written.count("if from_rank_0(time.monotonic() >= stop_at):") == 2


def test_each_process_has_a_gpu_of_its_own() -> None:
    assert '"--device", default="cuda")' in text(iris(device="cuda:1"))


def test_noise_on_gradients_needs_a_network_that_draws_nothing() -> None:
    assert "weight.grad.add_" in text(iris(grad_noise=0.1))
    with pytest.raises(TrainingError, match="grad_noise must be the same in every process"):
        text(lenet(grad_noise=0.1))


def test_a_compiled_step_is_not_shared() -> None:
    written = text(iris(compile_step="on"))
    assert "# The step cannot be compiled: several processes may share it." in written


def test_a_batch_is_divided_where_a_step_has_too_few() -> None:
    def divided(batch_size: int, accumulate: int, world: int) -> tuple[int, int]:
        return divide_batch(argparse.Namespace(batch_size=batch_size, accumulate=accumulate), world)

    assert divided(64, 1, 1) == (64, 1)
    assert divided(64, 1, 4) == (16, 4)
    assert divided(16, 8, 4) == (16, 8)
    assert divided(64, 6, 4) == (32, 12)
    with pytest.raises(SystemExit, match="A batch of 30 samples cannot be divided into 4 equal"):
        divided(30, 1, 4)


def test_a_sum_of_gradients_is_that_of_autograd_and_leaves_out_unused_weights() -> None:
    torch.manual_seed(0)
    batches = torch.randn(3, 5, 4)

    def networks() -> tuple[nn.Linear, nn.Linear]:
        torch.manual_seed(1)
        return nn.Linear(4, 2), nn.Linear(4, 2)

    (expected, _), (used, unused) = networks(), networks()
    for x in batches:
        expected(x).square().mean().backward()
    model = nn.ModuleList([used, unused])
    gradients = GradientSum(model, 1)
    for index, x in enumerate(batches):
        model.zero_grad()
        used(x).square().mean().backward()
        gradients.add(1, index == 0)
    pairs = zip(used.parameters(), expected.parameters(), strict=True)
    assert [a.grad is not None and b.grad is not None and a.grad.equal(b.grad) for a, b in pairs]
    assert unused.weight.grad is None


def test_one_process_keeps_its_values() -> None:
    assert from_rank_0((0.5, 0.25)) == (0.5, 0.25)
    assert summed(2.5, torch.device("cpu")) == 2.5


@pytest.mark.slow(keep=["diabetes", "denoise"])
@pytest.mark.parametrize(
    "name", ["diabetes", "shares", "patience", "wine", "lenet", "denoise", "mask"]
)
def test_one_process_ends_as_the_script_without_processes(name: str, tmp_path: Path) -> None:
    made = CASES[name]()
    ends = []
    for script in (text(made), write_script(made.project, made.report, made.info)):
        run_like_many(script, tmp_path, "--device", "cpu", "--epochs", "2")
        ends.append(torch.load(tmp_path / "model.pt", weights_only=True))
    assert all(torch.equal(ends[0][key], ends[1][key]) for key in ends[1])


@pytest.mark.gate
def test_every_shared_script_is_formatted_and_free_of_lint(tmp_path: Path) -> None:
    for name in [name for name in {**CASES, **VISION} if not name.startswith("noisy")]:
        (tmp_path / f"{name}.py").write_text(text({**CASES, **VISION}[name]()), encoding="utf-8")
    for command in (["format", "--check", "--diff"], ["check", "--select", "E,F,I,B,UP,SIM,RUF,A"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--isolated", "--target-version", "py311"]
        done = subprocess.run([*ruff, str(tmp_path)], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_shared_script_of_lenet_is_the_golden_file(golden: bool) -> None:
    written = text(lenet())
    if golden:
        GOLDEN.write_text(written, encoding="utf-8")
    assert written == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.slow
def test_two_processes_end_with_the_weights_of_one(tmp_path: Path) -> None:
    # 120 samples in batches of 7, four to a step: a last step of two, and a last batch of one
    (tmp_path / "train.py").write_text(text(iris(seed=3)), encoding="utf-8")
    options = ["--device", "cpu", "--epochs", "3", "--batch-size", "7", "--accumulate", "4"]
    around = surroundings(tmp_path)
    many = torchrun(tmp_path, around, "train.py", *options, "--out", "two.pt")
    alone = subprocess.run(
        [sys.executable, "train.py", *options, "--out", "one.pt"],
        cwd=tmp_path,
        env=around,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    two, one = (torch.load(tmp_path / f"{n}.pt", weights_only=True) for n in ("two", "one"))
    assert two.keys() == one.keys()
    assert all(torch.equal(two[key], one[key]) for key in one)
    assert many.replace("two.pt", "one.pt") == alone


def test_the_script_of_a_run_on_two_processes_is_for_several(run_folders: Path) -> None:
    found = project(table_net(4, 3), IRIS, batch_size=16)
    report = analyse_project(found)
    run = prepare(found, report, run_folders, launcher=Launcher(processes=2))
    written = (run / "script.py").read_text("utf-8")
    assert "rank, world = join_processes(args.device)" in written
    assert '--batch-size", type=int, default=8)' in written
    assert '--accumulate", type=int, default=2, help="batches per step")' in written


def in_two_processes(folder: Path, *options: str) -> str:
    """What a training script prints, started by torchrun in two processes."""
    return torchrun(folder, surroundings(folder), "script.py", "--device", "cpu", *options)


SENTENCE = (
    "Batch norm sees 32 samples at a time, not 64, so results differ from those of one process; "
    "one process with batch_size 32 and accumulate 2 gives the same. With the setting "
    "sync_batchnorm it sees all 64.\n"
)


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.parametrize("name", BATCH_NORMS)
def test_two_processes_validate_with_the_batch_norm_of_one(name: str, run_folders: Path) -> None:
    settings = {"epochs": 2, "batch_size": 64, "lr": 0.005}
    graph = with_norm(**BATCH_NORMS[name])
    found = project(graph, {"source": "digits"}, **settings)
    report = analyse_project(found)
    folder = prepare(found, report, run_folders, launcher=Launcher("torchrun", 2))
    printed = in_two_processes(folder)
    command = [sys.executable, "script.py", "--device", "cpu"]
    alone = subprocess.run(
        command, cwd=folder, env=surroundings(folder), capture_output=True, text=True, check=True
    ).stdout
    assert printed == alone
    assert printed.count("validation loss") == 2
    divided = in_two_processes(folder, "--batch-size", "64", "--accumulate", "1")
    assert divided == SENTENCE + printed


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.parametrize("name", BATCH_NORMS)
def test_two_processes_see_whole_batches_as_one(name: str, run_folders: Path) -> None:
    settings = {"epochs": 2, "batch_size": 64, "lr": 0.005, "sync_batchnorm": True}
    found = project(with_norm(**BATCH_NORMS[name]), {"source": "digits"}, **settings)
    report = analyse_project(found)
    folder = prepare(found, report, run_folders, launcher=Launcher("torchrun", 2))
    command = [sys.executable, "script.py", "--device", "cpu"]
    alone = subprocess.run(
        command, cwd=folder, env=surroundings(folder), capture_output=True, text=True, check=True
    ).stdout
    assert_alike(in_two_processes(folder), alone)


def assert_alike(one: str, other: str) -> None:
    """The same text, with numbers that are close."""
    number = re.compile(r"\d+\.\d+")
    assert number.sub("", one) == number.sub("", other)
    pairs = zip(number.findall(one), number.findall(other), strict=True)
    assert all(float(a) == pytest.approx(float(b), rel=0.02, abs=0.02) for a, b in pairs)
