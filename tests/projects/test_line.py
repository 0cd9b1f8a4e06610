"""Every template down the whole line: trained for an epoch in a run folder, then exported."""

import json
import math
from pathlib import Path

import pytest
import torch
from torch._decomp import decomposition_table

from app.cli import main
from core.engine.load_module import load_module
from core.export import quality
from tests.core.script.alone import run_like_many

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = sorted((ROOT / "projects").glob("*.loom.json"))
FORMATS = {
    "python": "py",
    "script": "py",
    "notebook": "ipynb",
    "safetensors": "safetensors",
    "torchscript-script": "pt",
    "torchscript-trace": "pt",
    "onnx": "onnx",
    "pt2": "pt2",
}
OTHERS_COMPUTE = ("onnx", "pt2")
OLDER = "written by torch's older exporter, because the current one failed on this network"
REFUSED = {"Seq2seq with attention"}
if torch.ops.aten.adaptive_max_pool2d.default not in decomposition_table:  # as in torch 2.11
    REFUSED.add("Multi-label network on digits")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.parametrize(
        "run", TEMPLATES, ids=lambda p: p.name.removesuffix(".loom.json"), indirect=True
    ),
]


def trained(project: Path, runs: Path, *more: str) -> Path:
    """Train for an epoch in a process of its own; returns the folder of the run."""
    given = [word for each in ("epochs=1", "threads=1", *more) for word in ("--set", each)]
    assert main(["train", str(project), "--runs", str(runs), *given]) == 0
    (folder,) = runs.iterdir()
    return folder


@pytest.fixture(scope="module")
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a template's run of one epoch."""
    return trained(request.param, tmp_path_factory.mktemp("runs"))


@pytest.mark.slow(keep=["lenet_digits", "gru_digits"])
def test_an_epoch_of_training_ends_with_finite_metrics_and_both_checkpoints(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["runs", "--runs", str(run.parent), "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["state"], found["epoch"], found["epochs"]) == ("finished", 1, 1)
    assert math.isfinite(found["metrics"]["train_loss"])
    assert math.isfinite(found["metrics"]["val_loss"])
    assert {"best.pt", "last.pt"} <= {path.name for path in (run / "ckpt").iterdir()}


@pytest.mark.slow(keep=["lenet_digits"])
def test_the_script_of_a_run_ends_with_its_weights(run: Path, tmp_path: Path) -> None:
    if torch.accelerator.is_available():  # bits are those of the processor
        run = trained(run / "project.loom.json", tmp_path / "runs", "device=cpu")
    run_like_many((run / "script.py").read_text(encoding="utf-8"), tmp_path)
    best = load_module(run, "best").state_dict()
    alone = torch.load(tmp_path / "model.pt", weights_only=True)
    assert alone.keys() == best.keys()
    assert [key for key in alone if not torch.equal(alone[key], best[key])] == []


@pytest.mark.slow(
    keep=[
        "python-lenet_digits",
        "script-lenet_digits",
        "notebook-lenet_digits",
        "safetensors-lenet_digits",
        "torchscript-script-lenet_digits",
        "torchscript-trace-lenet_digits",
        "onnx-lenet_digits",
        "pt2-lenet_digits",
        "python-mobilenet_digits",
        "script-mobilenet_digits",
        "notebook-mobilenet_digits",
        "safetensors-mobilenet_digits",
        "torchscript-script-mobilenet_digits",
        "torchscript-trace-mobilenet_digits",
        "onnx-mobilenet_digits",
        "pt2-mobilenet_digits",
    ]
)
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("form", FORMATS)
def test_an_export_of_the_run_agrees_with_torch(
    run: Path,
    form: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(quality, "MOST_TIMES", 1)  # what is measured has tests of its own
    monkeypatch.setattr(quality, "MOST", 64)
    out = tmp_path / f"network.{FORMATS[form]}"
    assert main(["export", str(run), "--format", form, "-o", str(out), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert out.stat().st_size == found["size_bytes"]
    assert found["max_difference"] < 1e-4
    assert [path.name for path in tmp_path.iterdir()] == [out.name]
    if form in OTHERS_COMPUTE:
        assert found["note"].startswith("best weights of the run")
        refused = json.loads((run / "project.loom.json").read_text())["name"] in REFUSED
        assert (OLDER in found["note"]) == (form == "onnx" and refused)
