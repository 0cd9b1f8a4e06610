"""The benchmarks of imports run in their shortest form: see tests/bench/test_benches_run.py."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.tables import ROOT, tables
from tests.bench.test_benches_run import _as_it_was  # noqa: F401
from tests.wings.importing.bench import (
    onnx_models,
    textbook_modules,
    timm_models,
    torchvision_models,
)

pytestmark = pytest.mark.slow


def test_onnx_models_are_a_table(tmp_path: Path):
    onnx_models.main(["--only", "node", "--match", "test_relu", "--out", str(tmp_path / "out.md")])
    assert "| node | 2 | 2 |" in (tmp_path / "out.md").read_text()


def test_textbook_modules_are_a_table(tmp_path: Path):
    name = next(iter(textbook_modules.pages()))
    textbook_modules.main(["--only", name, "--out", str(tmp_path / "out.md")])
    assert f"| {name} | " in (tmp_path / "out.md").read_text()


def test_torchvision_models_are_a_table(tmp_path: Path):
    out, results = tmp_path / "out.md", tmp_path / "rows.json"
    torchvision_models.main(
        ["--models", "squeezenet1_1", "--results", str(results), "--out", str(out)]
    )
    assert json.loads(results.read_text())["squeezenet1_1"]["cpu_s"] > 0
    assert "| squeezenet1_1 | " in out.read_text()


@pytest.mark.slow
def test_timm_models_are_a_table(tmp_path: Path):
    pytest.importorskip("timm")
    out, results = tmp_path / "out.md", tmp_path / "rows.json"
    timm_models.main(["--models", "test_vit", "--results", str(results), "--out", str(out)])
    row = json.loads(results.read_text())["test_vit"]
    assert row["params"] > 0
    assert row["judged"]["the sample"][0] is True
    assert "| test_vit | " in out.read_text()


def test_transformers_are_a_table(tmp_path: Path):
    pytest.importorskip("transformers")
    out = tmp_path / "out.md"
    module = "tests.wings.importing.bench.transformers_models"
    command = [sys.executable, "-m", module, "--models", "GPT-2"]
    subprocess.run([*command, "--out", str(out)], cwd=ROOT, check=True)
    assert "| GPT-2 | " in out.read_text()


def test_a_table_of_imports_judges_this_wing():
    (found,) = [table for table in tables() if table.name == "transformers_models"]
    assert {"core/wings/importing", "tests/wings/importing/bench/transformers_row.py"} <= {
        *found.code
    }
