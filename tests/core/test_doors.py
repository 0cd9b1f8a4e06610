"""The Python door of a project: open, analyse, build, however often and in whatever order."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import core
from core.analyse import Report, report_json

ROOT = Path(__file__).parents[2]
EXPECTED = json.loads((ROOT / "tests/broken/expected.json").read_text("utf-8"))
OPENED = [f"tests/broken/{n}.loom.json" for n, kept in EXPECTED.items() if isinstance(kept, list)]


@pytest.mark.gate
def test_the_documented_calls_work_twice_in_a_fresh_process():
    code = """
import core
for _ in range(2):
    project = core.open_project("projects/lenet_digits.loom.json")
    report = core.analyse(project.graph)
    module = core.build(report.source)
    print(report.ok, type(module).__name__ == report.class_name)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.stdout.split() == ["True"] * 4, done.stderr


def test_no_library_reports_to_its_makers_or_numbers_this_machine(tmp_path: Path):
    code = "import core, onnxruntime; print(onnxruntime.get_available_providers())"
    places = {name: str(tmp_path) for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME")}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, env=places
    )
    assert "CPUExecutionProvider" in done.stdout, done.stderr
    assert [path.name for path in tmp_path.rglob("*")] == []


def test_opening_imports_no_torch():
    code = """
import core, sys
core.open_project("projects/lenet_digits.loom.json")
print("torch" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("path", [*OPENED, "tests/files/v1/sample.loom.json"])
def test_whatever_opens_is_analysed_without_an_exception(path: str):
    report = core.analyse(core.open_project(ROOT / path).graph)
    assert isinstance(report, Report)
    assert report.ok == (report.errors == ())
    json.dumps(report_json(report), allow_nan=False)


def test_the_sample_of_format_1_has_no_error():
    assert core.analyse(core.open_project(ROOT / "tests/files/v1/sample.loom.json").graph).ok
