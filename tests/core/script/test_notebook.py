"""The notebook is valid, the same every time, and runs from top to bottom."""

import contextlib
import io
import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from core.script.notebook import plain, write_notebook
from tests.core.script.hand_made import CASES, VISION, Written, lenet


def notebook_of(name: str) -> str:
    made = {**CASES, **VISION}[name]()
    return write_notebook(made.project, made.report, made.info)


def code_of(text: str) -> list[tuple[str, str]]:
    """(id, code) of the code cells."""
    cells = json.loads(text)["cells"]
    return [(c["id"], "".join(c["source"])) for c in cells if c["cell_type"] == "code"]


def run_cells(text: str) -> tuple[dict, str]:
    """Run all cells in one namespace; give it and what was printed."""
    namespace: dict = {"__name__": "__main__"}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for name, code in code_of(text):
            exec(compile(code, f"<cell {name}>", "exec"), namespace)
    return namespace, printed.getvalue()


@pytest.mark.gate
@pytest.mark.parametrize("name", [*CASES, *VISION])
def test_a_notebook_is_valid_and_the_same_every_time(name: str):
    text = notebook_of(name)
    nbformat.validate(nbformat.reads(text, as_version=4))
    assert text == notebook_of(name)
    ids = [cell["id"] for cell in json.loads(text)["cells"]]
    assert len(set(ids)) == len(ids)


def test_every_notebook_is_formatted_and_free_of_lint(tmp_path: Path):
    for name in {**CASES, **VISION}:
        (tmp_path / f"{name}.ipynb").write_text(notebook_of(name), encoding="utf-8")
    for command in (["format", "--check", "--diff"], ["check", "--select", "E,F,B,UP,SIM,RUF,A"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--isolated", "--target-version", "py311"]
        done = subprocess.run([*ruff, str(tmp_path)], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


IMPATIENT = {"patience": 60, "progress": 60, "progress_of_loss": 60, "progress_of_masks": 9}
"""Epochs of those that end by themselves before; all others have two."""


@pytest.mark.slow(keep=["lenet"])
@pytest.mark.parametrize("name", list(CASES))
def test_the_cells_run_from_top_to_bottom(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    namespace, printed = run_cells(notebook_of(name))
    epochs = len(namespace["history"])
    assert 3 <= epochs < IMPATIENT[name] if name in IMPATIENT else epochs == 2
    assert f"{len(namespace['train_x'])} training samples" in printed
    assert (tmp_path / "model.pt").exists()


@pytest.mark.gate
def test_the_notebook_of_lenet_learns_and_counts_its_mistakes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    made = lenet(epochs=4)
    namespace, printed = run_cells(write_notebook(made.project, made.report, made.info))
    assert namespace["accuracy"] > 0.9
    confusion = namespace["confusion"]
    assert int(confusion.sum()) == 359
    assert int(confusion.trace()) == round(namespace["accuracy"] * 359)
    assert "28,898 parameters" in printed


def test_free_text_is_shown_as_it_is():
    assert plain("<b>*bold*</b> $x$ [a](b)\n# c") == (r"\<b\>\*bold\*\</b\> \$x\$ \[a\]\(b\) \# c")


def test_without_a_source_there_is_no_notebook():
    made = lenet()
    with pytest.raises(ValueError, match="The network has errors, so it cannot be trained"):
        write_notebook(made.project, Written(None, "LeNet"), made.info)
