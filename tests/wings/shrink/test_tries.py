"""Tries of a trained network: what each row says, and that what was made opens, trains and runs."""

import json
import runpy
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from app.cli import main
from core import open_project
from core.analyse import analyse_project
from core.export import export
from core.prepare.create import prepare
from core.runs.files import read_json
from core.runs.listing import view_run
from core.tasks.metric_labels import higher_is_better
from core.wings.shrink import files
from core.wings.shrink.block_sensitivity import read_sensitivity
from core.wings.shrink.catalogue import tries_of
from core.wings.shrink.rows import Row, front
from core.wings.shrink.run import shrink
from core.wings.shrink.way import ShrinkError
from tests.core.small_runs import train_here

BESIDE = ("network.py", "network.safetensors", "samples.safetensors")


@pytest.mark.gate
def test_each_try_is_a_row_with_size_metric_time_and_memory(rows: dict[str, Row]) -> None:
    assert list(rows) == [
        "original", "onnx-int8-dynamic", "structured-50", "low-rank-50", "unstructured-50", "fuse",
    ]  # fmt: skip
    original = rows["original"]
    assert (original.params, original.metric, original.samples) == (19_242, "val_accuracy", 359)
    assert original.value is not None
    assert original.value > 0.9
    for row in rows.values():
        assert (row.state, row.before) == ("made", original.value)
        assert set(row.latency_ms) == {"1", "64"}
        assert row.peak_bytes is not None
    shares = {name: row.size_bytes / original.size_bytes for name, row in rows.items()}
    assert shares["onnx-int8-dynamic"] < 0.4
    assert shares["structured-50"] < 0.3
    assert rows["unstructured-50"].params == original.params


def test_what_shall_change_no_answer_changes_none(rows: dict[str, Row]) -> None:
    fused = rows["fuse"]
    assert fused.difference is not None
    assert fused.difference < 1e-4
    assert (fused.changed, fused.value) == (0.0, rows["original"].value)
    assert rows["onnx-int8-dynamic"].changed is not None
    assert rows["onnx-int8-dynamic"].changed < 0.02
    assert rows["structured-50"].difference is None  # another network, not a rounded one


@pytest.mark.gate
def test_a_narrower_drawing_opens_trains_on_and_exports(
    trained: Path, rows: dict[str, Row], tmp_path: Path
) -> None:
    folder = files.folder_of(trained) / "structured-50"
    found = open_project(folder / rows["structured-50"].drawing)
    widths = [found.graph.nodes[n].settings for n in ("conv1", "fc1")]
    assert (widths[0]["out_channels"], widths[1]["out_features"]) == (4, 32)
    assert found.training["start_from"] == {"weights": "structured-50.safetensors"}
    made = export(found, "onnx", tmp_path / "x.onnx", weights=folder / "structured-50.safetensors")
    assert made.max_difference is not None
    assert made.max_difference < 1e-4
    report = analyse_project(found)
    run = prepare(found, report, tmp_path / "runs", {"epochs": 1}, beside=folder)
    train_here(run)
    view = view_run(run)
    assert (view.state, view.epoch) == ("finished", 1)
    accuracy = (read_json(run / "status.json")["best"])["metrics"]["val_accuracy"]
    assert accuracy > (rows["structured-50"].value or 1.0) - 0.02  # it began there


@pytest.mark.gate
def test_the_lines_run_alone_and_give_the_same_weights(
    trained: Path, rows: dict[str, Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = files.folder_of(trained)
    for name in BESIDE:
        shutil.copy(place / "original" / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name, row in rows.items() if row.drawing]:
        (tmp_path / f"{name}.py").write_text(files.read_lines(trained, name))
        runpy.run_path(f"{name}.py")
        made = load_file("smaller.safetensors")
        kept = load_file(place / name / rows[name].file)
        assert set(made) == set(kept)
        assert all(torch.equal(made[key], kept[key]) for key in kept), name
    (tmp_path / "int8.py").write_text(files.read_lines(trained, "onnx-int8-dynamic"))
    runpy.run_path("int8.py")
    size = (tmp_path / "smaller.onnx").stat().st_size
    assert size < 2 * rows["onnx-int8-dynamic"].size_bytes  # torch's file says where it came from


@pytest.mark.gate
def test_zeros_stay_zero_and_the_teacher_teaches(trained: Path, rows: dict[str, Row]) -> None:
    tries = tries_of(("unstructured:0.8", "distil:0.3"), epochs=2)
    pruned, taught = list(shrink(trained, tries))
    weights = load_file(files.folder_of(trained) / pruned.name / pruned.file)
    layers = [weights[f"{name}.weight"] for name in ("conv1", "fc1", "fc2")]
    zeros = sum(int((w == 0).sum()) for w in layers) / sum(w.numel() for w in layers)
    assert zeros == pytest.approx(0.8, abs=0.001)
    drawing = open_project(files.folder_of(trained) / taught.name / taught.drawing)
    assert drawing.training["distil"] == {"run": trained.name}
    for row in (pruned, taught):
        assert row.value is not None
        assert row.value > (rows["original"].value or 1.0) - 0.05
    assert "progress.json" in {p.name for p in files.folder_of(trained).iterdir()}
    assert files.read_progress(trained).name == "distil-30"


@pytest.mark.slow
def test_the_command_prints_rows_and_refuses_with_a_reason(
    trained: Path, rows: dict[str, Row], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    runs = ["--runs", str(trained.parent)]
    out = ["--json", "-o", str(tmp_path / "o")]
    ways = ["--try", "fuse", "--try", "structured:0.25", "--ways", "unstructured:0.25,fuse"]
    assert main(["shrink", trained.name, *runs, *ways, "--epochs", "0", *out]) == 0
    answer: Any = json.loads(capsys.readouterr().out)
    assert (answer["ok"], answer["run"]) == (True, trained.name)
    made = ["fuse", "structured-25", "unstructured-25"]  # in the order they are named, each once
    assert [row["name"] for row in answer["rows"]] == ["original", *made]
    assert {p.name for p in (tmp_path / "o").iterdir()} == {
        "network.safetensors",
        *(f"{name}{ending}" for name in made for ending in (".loom.json", ".safetensors")),
    }
    assert main(["shrink", trained.name, *runs, "--try", "melt"]) == 2
    assert "There is no method melt." in capsys.readouterr().err
    assert main(["shrink", trained.name, *runs, "--try", "distil", "--epochs", "0"]) == 1
    assert "but epochs is 0" in capsys.readouterr().out
    left = [p.name for p in files.folder_of(trained).glob(".*")]
    assert left == []
    with pytest.raises(ShrinkError, match=r"needs a number from 0\.05 to 0\.95 but received 2"):
        tries_of(["structured:2"])


def test_each_block_is_held_against_8_bits_and_half_of_its_weights(
    trained: Path, rows: dict[str, Row], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["shrink", trained.name, "--runs", str(trained.parent), "--sensitivity"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:3] for line in lines[1:]] == [
        ["conv1", "Conv2d", "72"], ["fc1", "Linear", "18,432"], ["fc2", "Linear", "640"],
    ]  # fmt: skip
    kept = read_sensitivity(files.read_sensitivity_file(trained, rows["original"].weights))
    assert kept is not None
    assert kept.before == rows["original"].value  # and the weights are as they were
    assert kept.harm(kept.blocks[1], "int8") < 0.02
    assert kept.blocks[0].half < kept.blocks[0].int8  # of eight kernels half is much
    assert files.read_sensitivity_file(trained, "other weights") == {}


def test_the_front_is_what_nothing_else_beats() -> None:
    a = Row("a", "x", size_bytes=100, metric="val_accuracy", value=0.9)
    b, c = replace(a, name="b", size_bytes=50), replace(a, name="c", size_bytes=20, value=0.8)
    d = replace(a, name="d", size_bytes=30, value=0.7)
    refused = replace(a, name="e", state="refused", size_bytes=1)
    assert front([a, b, c, d, refused], "size_bytes") == {"b", "c"}
    errors = [replace(row, metric="val_mae") for row in (a, b, c, d)]
    assert front(errors, "size_bytes") == {"c", "d"}
    assert [higher_is_better(m) for m in ("val_r2", "val_loss", "val_ler", "val_digit_f1")] == [
        True, False, False, True,
    ]  # fmt: skip
