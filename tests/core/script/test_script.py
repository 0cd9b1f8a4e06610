"""The training script runs alone, is written as a careful engineer writes, and hides nothing."""

import ast
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torchvision import datasets

from core.analyse import analyse_project
from core.common.errors import TrainingError
from core.data import describe_project, ends, load
from core.project.templates import load_template
from core.script.model import imports_for
from core.script.script import write_script
from tests.core.data.tiny_sets import tiny_cifar, write_mnist
from tests.core.script.alone import run_alone, script_of
from tests.core.script.hand_made import CASES, VISION, Written, lenet

GOLDEN = Path(__file__).parents[2] / "golden" / "lenet_digits_train.py"


def test_the_script_of_lenet_is_the_golden_file(golden: bool):
    if golden:
        GOLDEN.write_text(script_of("lenet"), encoding="utf-8")
    assert script_of("lenet") == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.gate
def test_every_script_is_formatted_and_free_of_lint(tmp_path: Path):
    for name in {**CASES, **VISION}:
        (tmp_path / f"{name}.py").write_text(script_of(name), encoding="utf-8")
        plain = script_of(name, shuffled=True)
        (tmp_path / f"{name}_plain.py").write_text(plain, encoding="utf-8")
    for command in (["format", "--check", "--diff"], ["check", "--select", "E,F,I,B,UP,SIM,RUF,A"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--isolated", "--target-version", "py311"]
        done = subprocess.run([*ruff, str(tmp_path)], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.gate
@pytest.mark.parametrize("name", [*CASES, *VISION])
def test_a_script_imports_torch_and_its_data_only(name: str):
    script = script_of(name)
    tree = ast.parse(script)
    modules = {
        alias.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    } | {str(n.module).split(".")[0] for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    formula = {"spirals", "xor"}  # made by the script's own lines
    data = {"torchvision"} if name in VISION else set() if name in formula else {"sklearn"}
    assert modules - {"os", "time"} == {"argparse", "collections", "torch", *data}
    assert ("os" in modules) == ("use_deterministic_algorithms" in script)
    assert ("time" in modules) == (name in ("timed", "drawn_limited"))
    assert not re.search(r"^\s*(import|from) (layerloom|core|blocks|app)\b", script, re.M)


@pytest.mark.parametrize("name", [*CASES, *VISION])
def test_the_classes_stand_in_it_word_for_word(name: str):
    made = {**CASES, **VISION}[name]()
    source = made.report.source
    assert source is not None
    assert source[source.index("class ") :] in script_of(name)


@pytest.mark.slow
def test_the_script_trains_lenet_alone_above_90_percent(tmp_path: Path):
    printed = run_alone(script_of("lenet"), tmp_path, "--epochs", "4")
    lines = printed.splitlines()
    assert [line.split(":")[0] for line in lines[:4]] == [f"epoch {n}" for n in range(1, 5)]
    best = re.fullmatch(
        r"Best validation accuracy ([\d.]+)%; its weights are in model.pt", lines[4]
    )
    assert best
    assert float(best[1]) > 90
    assert (tmp_path / "model.pt").stat().st_size > 100_000


@pytest.mark.slow
def test_what_may_be_set_is_set(tmp_path: Path):
    given = ("--epochs", "1", "--out", "best.pt", "--batch-size", "500", "--lr", "0.1")
    printed = run_alone(script_of("iris"), tmp_path, *given)
    assert len(printed.splitlines()) == 2
    assert [file.name for file in tmp_path.glob("*.pt")] == ["best.pt"]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "learned"), [("mnist", 20), ("parted", 10), ("few", 12)])
def test_a_script_on_torchvision_data_runs_alone(name: str, learned: int, tmp_path: Path):
    made = VISION[name]()
    write_mnist(tmp_path / "files" / made.info.source / "raw")
    script = write_script(made.project, made.report, made.info)
    edited = script.replace(
        "    torch.manual_seed(SEED)\n", "    print(len(train_x), len(val_x))\n"
    )
    printed = run_alone(edited, tmp_path, "--data", "files", "--epochs", "1")
    assert printed.startswith(f"{learned} 10\nepoch 1: ")
    assert (tmp_path / "model.pt").exists()


def test_a_script_on_colour_images_reads_what_a_run_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LAYERLOOM_DATA", str(tmp_path))
    monkeypatch.setattr(datasets, "CIFAR10", tiny_cifar(tmp_path))
    made = VISION["colour"]()
    namespace: dict = {"__name__": "script"}
    exec(compile(script_of("colour"), "train.py", "exec"), namespace)
    data = load(made.project.data, *made.ends)
    read = namespace["load_data"](str(tmp_path))
    wanted = (*data.training(), *data.validation())
    assert [tuple(part.shape) for part in read] == [(20, 3, 8, 8)] * 2 + [(4, 3, 8, 8)] * 2
    assert all(torch.equal(a, b) for a, b in zip(read, wanted, strict=True))


def test_free_text_of_a_project_cannot_leave_its_docstring():
    hostile = 'End """\nimport os\nos.system("echo")\n"""\\'
    made = lenet()
    project = replace(made.project, name=hostile, about=hostile)
    tree = ast.parse(write_script(project, made.report, made.info))
    assert "os" not in {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    assert "import os os.system('echo')" in (ast.get_docstring(tree) or "").replace("\n", " ")


def test_a_class_may_bear_the_name_of_a_constant():
    made = lenet()
    source = (made.report.source or "").replace("class LeNet(", "class SEED(")
    script = write_script(made.project, Written(source, "SEED"), made.info)
    assert "SEED_ = 0" in script
    assert "torch.manual_seed(SEED_)" in script
    assert "model = SEED().to(device)" in script


def test_without_a_source_there_is_no_script():
    made = lenet()
    with pytest.raises(ValueError, match="so it cannot be trained"):
        write_script(made.project, Written(None, "LeNet"), made.info)


def test_wrong_training_settings_are_refused():
    made = lenet(loss="MSELoss")
    with pytest.raises(TrainingError, match="MSELoss does not fit the data"):
        write_script(made.project, made.report, made.info)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lenet_digits", "mobilenet_digits", "seq2seq_dates"])
def test_a_plain_script_shuffles_as_tutorials_do_and_learns(name: str, tmp_path: Path) -> None:
    project = load_template(name)
    report = analyse_project(project)
    info = describe_project(project, *ends(report.inputs, report.outputs))
    text = write_script(project, report, info, shuffled=True)
    assert "shuffle=True" in text
    assert ("drop_last=True" in text) == (name == "mobilenet_digits")
    assert not {"EpochBatches", "Sampler", "Iterator", "set_epoch"} & set(re.findall(r"\w+", text))
    printed = run_alone(text, tmp_path, "--device", "cpu", "--epochs", "1")
    assert "its weights are in model.pt" in printed
    assert (tmp_path / "model.pt").stat().st_size > 1000


def test_import_lines_stand_in_a_fixed_order_and_none_twice():
    lines = ["from torch import Tensor, nn", "from torch import Tensor", "import torch"]
    wanted = "import torch\nfrom torch import Tensor, nn"
    assert imports_for("", lines) == imports_for("", reversed(lines)) == wanted
