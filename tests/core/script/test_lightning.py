"""A Lightning script trains as the plain script of the same project does, to the last bit."""

import csv
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from lightning import LightningModule

from core.analyse import analyse, analyse_project
from core.common.errors import TrainingError
from core.data import describe_project, ends
from core.graph import Graph
from core.graph.edits import apply
from core.project import open_project
from core.script.lightning import write_lightning
from core.script.script import write_script
from tests.core.script.alone import run_like_many
from tests.core.script.hand_made import CASES

PROJECTS = Path(__file__).parents[3] / "projects"
GOLDEN = Path(__file__).parents[2] / "golden" / "lenet_digits_lightning.py"
REFUSED = {
    "average": "averages its weights (ema_decay)",
    "average_muon": "steps with Muon, which needs a second optimiser",
    "wine": "steps with Muon, which needs a second optimiser",
    "skips": "skips steps (on_not_finite: skip)",
    "noisy": "adds noise to gradients (grad_noise)",
    "half_scaled": "trains in float16",
}


def partly_frozen(graph: Graph) -> Graph:
    """The first half of what learns left as it is, the next one slower than the rest."""
    names = [n for n, found in analyse(graph).nodes.items() if found.params and "." not in n]
    half = len(names) // 2
    edits = [{"op": "learn", "node": n, "frozen": True} for n in names[:half]]
    return apply(graph, [*edits, {"op": "learn", "node": names[half], "lr_factor": 0.1}])


def written(name: str, form: Any = write_lightning, **training: Any) -> str:
    """A file of a template, or of a case that is made by hand."""
    if name in CASES:
        made = CASES[name]()
        return form(made.project, made.report, made.info)
    name, _, held = name.partition(" ")
    project = open_project(PROJECTS / f"{name}.loom.json")
    graph = partly_frozen(project.graph) if held else project.graph
    project = replace(project, graph=graph, training={**project.training, **training})
    report = analyse_project(project)
    info = describe_project(project, *ends(report.inputs, report.outputs))
    return form(project, report, info)


def test_the_lightning_script_of_lenet_is_the_golden_file(golden: bool) -> None:
    if golden:
        GOLDEN.write_text(written("lenet"), encoding="utf-8")
    assert written("lenet") == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", REFUSED)
def test_what_lightning_cannot_do_is_refused_in_words(name: str) -> None:
    with pytest.raises(TrainingError) as refused:
        written(name)
    wanted = f"A Lightning script is not written for a training that {REFUSED[name]}."
    assert refused.value.message == wanted
    assert refused.value.hint == "Export the training script instead: it supports this."


def test_no_method_of_a_module_is_hidden_by_what_the_module_holds() -> None:
    text = written("two_heads_digits")
    assert "self.train_data = train" in text
    held = {line.split()[0] for line in text.splitlines() if line.startswith("        self.")}
    assert [name for name in held if hasattr(LightningModule, name.removeprefix("self."))] == []


ALIKE = {
    "mlp_iris": {"epochs": 2},
    "lenet_digits": {"epochs": 2},
    "rnn_letter_names": {"epochs": 2},
    "two_heads_digits": {"epochs": 2},
    "diabetes": {},  # a schedule that watches the validation loss
    "patience": {},
    "shares": {},  # several batches make a step, gradients are clipped, the rate goes in a cycle
    "half": {},
    "lenet_digits frozen": {"epochs": 2},
    "resnet_digits frozen": {"epochs": 1},  # frozen running statistics as well
    "two_heads_digits frozen": {"epochs": 2},
    "weighed": {},
    "drawn": {},
    "drawn_limited": {},
    "in_order": {},
}


def logged(folder: Path, name: str) -> list[float]:
    """What Lightning's logger keeps of every epoch."""
    with (folder / "lightning_logs" / "version_0" / "metrics.csv").open(encoding="utf-8") as file:
        return [float(row[name]) for row in csv.DictReader(file) if row[name]]


@pytest.mark.slow(keep=["mlp_iris"])
@pytest.mark.parametrize("name", ALIKE)
def test_it_prints_and_keeps_what_the_plain_script_does(name: str, tmp_path: Path) -> None:
    printed, kept = list[str](), list[dict[str, torch.Tensor]]()
    for form, imported in ((write_script, "torch"), (write_lightning, "lightning")):
        folder = tmp_path / form.__name__
        folder.mkdir()
        text = written(name, form, **ALIKE[name])
        assert ("frozen = [" in text) == (name.endswith(" frozen"))
        printed.append(run_like_many(text, folder, "--device", "cpu", imported=imported))
        kept.append(torch.load(folder / "model.pt", weights_only=True))
    assert printed[0] == printed[1]
    for part, column in (("train", "train_loss"), ("validation", "val_loss")):
        losses = [
            float(value) for value in re.findall(rf"(?<!Best ){part} loss ([\d.]+)", printed[1])
        ]
        assert logged(tmp_path / "write_lightning", column) == pytest.approx(losses, abs=1e-4)
    assert kept[0].keys() == kept[1].keys()
    assert [key for key in kept[0] if not torch.equal(kept[0][key], kept[1][key])] == []
    assert ("still = [" in text) == (name == "resnet_digits frozen")


@pytest.mark.gate
def test_every_lightning_script_is_formatted_and_free_of_lint(tmp_path: Path) -> None:
    names = [path.name.removesuffix(".loom.json") for path in PROJECTS.glob("*.loom.json")]
    refused = list[str]()
    for name in (*names, *CASES, *(name for name in ALIKE if name.endswith(" frozen"))):
        try:
            (tmp_path / f"{name}.py").write_text(written(name), encoding="utf-8")
        except TrainingError:
            refused.append(name)
    assert [name for name in refused if name in names] == ["dcgan_digits"]
    limited = written("two_heads_digits", max_minutes=2.5)
    (tmp_path / "limited.py").write_text(limited, encoding="utf-8")
    for command in (["format", "--check", "--diff"], ["check", "--select", "F,I,B,UP,SIM"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--isolated", "--target-version", "py311"]
        done = subprocess.run([*ruff, str(tmp_path)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("device", "devices"), [("cuda:1", "[1]"), ("cuda", "1"), ("auto", "1")])
def test_one_of_several_gpus_is_named_to_the_trainer(device: str, devices: str) -> None:
    text = written("mlp_iris", device=device)
    assert f"devices={devices}," in text
    assert ('default="cuda:1"' in text) == (device == "cuda:1")


def test_batch_norm_over_processes_is_left_to_lightning_on_gpus() -> None:
    assert 'sync_batchnorm=device.type == "cuda",' in written("mlp_iris", sync_batchnorm=True)
    assert "sync_batchnorm" not in written("mlp_iris")
