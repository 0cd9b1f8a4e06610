"""What a training file imports for its model's own Python: it runs where nothing else is."""

import ast
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest

from core.analyse import Report, analyse_project
from core.data import DataInfo, describe_project, ends
from core.files import trust
from core.graph.python import composite_of
from core.project import Project, open_project
from core.script.lightning import write_lightning
from core.script.notebook import write_notebook
from core.script.script import write_script
from tests.core.script.alone import run_like_many

SAMPLE = open_project(Path(__file__).parents[2] / "files/v1/python.loom.json")
Parts = tuple[Project, Report, DataInfo]


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Parts:
    """The sample with a block that drops samples by torchvision."""
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
    blocks = {name: part.python for name, part in SAMPLE.graph.composites.items()}
    dropped = "torchvision.ops.stochastic_depth(x, 0.5, 'row', self.training)"
    blocks["Gate"] = blocks["Gate"].replace("return x", f"return {dropped}")
    for name, text in blocks.items():
        trust.trust(text, name)
    made = {name: composite_of(name, text) for name, text in blocks.items()}
    project = replace(SAMPLE, graph=replace(SAMPLE.graph, composites=made))
    report = analyse_project(project)
    return project, report, describe_project(project, *ends(report.inputs, report.outputs))


def imports(text: str) -> list[str]:
    found = (n for n in ast.parse(text).body if isinstance(n, ast.Import))
    return [alias.name for part in found for alias in part.names]


@pytest.mark.gate
def test_a_script_imports_torchvision_and_runs_alone(parts: Parts, tmp_path: Path) -> None:
    script = write_script(*parts)
    assert imports(script) == ["argparse", "math", "torch", "torchvision"]
    assert "epoch 1" in run_like_many(script, tmp_path)


def test_lightning_and_a_notebook_import_it_too(parts: Parts) -> None:
    lightning = ["argparse", "math", "lightning", "torch", "torchvision"]
    assert imports(write_lightning(*parts)) == lightning
    cells = nbformat.reads(write_notebook(*parts), 4).cells
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    assert [name for name in imports(code) if "torch" in name] == ["torch", "torchvision"]
