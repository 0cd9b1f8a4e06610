"""The Import page without a browser: what it offers, and what it refuses in one sentence."""

import time
from pathlib import Path

import pytest

from app import imports
from app.imports import Import
from app.pages import import_found, import_model
from core.project import open_project
from tests.app.tab import Tab

LISTED = {"name": "resnet18", "family": "classification", "params": 11_689_512, "score": 69.758,
          "score_of": "top-1", "side": 224, "refused": "", "trained": True}  # fmt: skip


def ended(job: Import) -> Import:
    begin = time.monotonic()
    while job.state == "running" and time.monotonic() < begin + 120:
        time.sleep(0.05)
    return job


def test_a_model_is_searched_by_all_that_is_published():
    said = "resnet18  ·  classification  ·  11.7 M  ·  top-1 69.8  ·  224 px"
    assert import_model.told(LISTED) == said


@pytest.mark.parametrize(
    ("text", "shapes"),
    [("", []), ("3,224,224", [[3, 224, 224]]), ("3, 8, 8; 10", [[3, 8, 8], [10]]),
     ("3,0", None), ("3x8", None), ("3,,8", None)],
)  # fmt: skip
def test_sizes_are_whole_numbers_with_commas(text: str, shapes: object):
    assert import_model.shapes_of(text) == shapes


def test_verdicts_are_rows_with_a_word_and_escaped_notes():
    rows = import_found.table([
        {"name": "the sample", "equal": True, "note": ""},
        {"name": "another batch", "equal": False, "note": "<b>result 1</b>"},
        {"name": "one training step", "equal": None, "note": "no"},
    ])  # fmt: skip
    assert "bit for bit" in rows
    assert "&lt;b&gt;result 1&lt;/b&gt;" in rows
    assert [word in rows for word in ("equal", "differs", "not tried")] == [True] * 3


def test_project_and_weights_are_kept_side_by_side_and_never_over_others(workspace: Path):
    (workspace / "net.safetensors").write_bytes(b"")
    assert imports.free_place("net").name == "net-2.loom.json"
    assert imports.free_place("../etc/net<1>").name == "etc_net_1.loom.json"


@pytest.mark.slow
def test_an_import_runs_in_a_process_of_its_own_and_is_kept(workspace: Path):
    job = ended(Import("squeezenet1_1", {"source": "torchvision:squeezenet1_1",
                                         "shapes": [[3, 64, 64]]}))  # fmt: skip
    assert (job.state, job.message) == ("done", "")
    assert [v["equal"] for v in job.result["verdicts"]] == [True] * 4
    path = job.keep()
    assert open_project(path).name == "squeezenet1_1"
    assert imports.weights_of(path).stat().st_size > 4 * 1_235_496


@pytest.mark.slow
def test_a_refused_import_says_one_sentence(workspace: Path):
    job = ended(Import("net.onnx", {"name": "net.onnx"}, b"nothing"))
    assert (job.state, job.message) == ("failed", "net.onnx is not an ONNX file.")


@pytest.mark.slow
def test_the_page_opens_without_a_project(workspace: Path):
    tab = Tab("import")
    tab.assert_calm()
    assert tab.at.selectbox[0].label.startswith("Search 121 models")
