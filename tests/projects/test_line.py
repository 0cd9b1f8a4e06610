"""Every template down the whole line: trained for an epoch in a run folder, then exported."""

import json
import math
from pathlib import Path

import pytest

from app.cli import main

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
pytestmark = [
    pytest.mark.slow,
    pytest.mark.parametrize(
        "run", TEMPLATES, ids=lambda p: p.name.removesuffix(".loom.json"), indirect=True
    ),
]


@pytest.fixture(scope="module")
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a template's run of one epoch."""
    runs = tmp_path_factory.mktemp("runs")
    status = main(["train", str(request.param), "--runs", str(runs), "--set", "epochs=1"])
    assert status == 0
    (folder,) = runs.iterdir()
    return folder


def test_an_epoch_of_training_ends_with_finite_metrics_and_both_checkpoints(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["runs", "--runs", str(run.parent), "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["state"], found["epoch"], found["epochs"]) == ("finished", 1, 1)
    assert math.isfinite(found["metrics"]["train_loss"])
    assert math.isfinite(found["metrics"]["val_loss"])
    assert {"best.pt", "last.pt"} <= {path.name for path in (run / "ckpt").iterdir()}


@pytest.mark.parametrize("form", FORMATS)
def test_an_export_of_the_run_agrees_with_torch(
    run: Path, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / f"network.{FORMATS[form]}"
    assert main(["export", str(run), "--format", form, "-o", str(out), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert out.stat().st_size == found["size_bytes"]
    assert found["max_difference"] < 1e-4
    assert [path.name for path in tmp_path.iterdir()] == [out.name]
