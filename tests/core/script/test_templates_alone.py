"""Scripts and notebooks of all templates are formatted and free of lint; `test_line` runs them."""

import subprocess
import sys
from pathlib import Path

import pytest

from core.analyse import analyse_project
from core.data import describe_project, ends
from core.project import open_project
from core.script.notebook import write_notebook
from core.script.script import write_script
from tests.core.script.test_excerpt import faults

TEMPLATES = sorted((Path(__file__).parents[3] / "projects").glob("*.loom.json"))


@pytest.mark.gate
def test_scripts_and_notebooks_of_all_templates_are_formatted(tmp_path: Path):
    for file in TEMPLATES:
        project = open_project(file)
        report = analyse_project(project)
        info = describe_project(project, *ends(report.inputs, report.outputs))
        name = file.name.split(".")[0]
        script = write_script(project, report, info)
        assert list(faults(script)) == []
        (tmp_path / f"{name}.py").write_text(script)
        (tmp_path / f"{name}.ipynb").write_text(write_notebook(project, report, info))
    assert len(list(tmp_path.iterdir())) == 2 * len(TEMPLATES) > 20
    for command in (["format", "--check", "--diff"], ["check"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--isolated", "--target-version", "py311"]
        done = subprocess.run([*ruff, str(tmp_path)], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
