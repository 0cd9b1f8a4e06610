"""The run page says what a run has of others; a project without data shows its runs."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow
TEACHER = {
    "from": "the best weights of big-001 (epoch 7)",
    "accuracy": 0.983,
    "note": "",
    "sha256": "0",
    "source_sha256": "0",
    "params": 99,
}
DISTIL = {"run": "big-001", "which": "best", "temperature": 3.0, "alpha": 0.75}
START = {"from": "the best weights of first-001 (epoch 2)", "loaded": 4, "unused": 2}
BEGUN = {"run": "first-001", "which": "best", "leave_out": ["head"]}


def run(name: str, **spec: Any) -> Path:
    """A run folder as far as its page reads it."""
    folder = Path(os.environ["LAYERLOOM_RUNS"], name)
    folder.mkdir()
    (folder / "spec.json").write_text(json.dumps({"format": 1, "project": "LeNet", **spec}))
    status = {"state": "finished", "attempt": 1, "metrics": {"val_accuracy": 0.9}}
    (folder / "status.json").write_text(json.dumps(status))
    return folder


@pytest.fixture
def page(lenet):
    """The Train page with a run chosen."""

    def show(name: str):
        lenet.go("train")
        lenet.press(f"run_{name}").assert_calm()
        return lenet

    return show


def captions(tab: Any) -> list[str]:
    return [caption.value.replace("\\", "").replace("\u2060", "") for caption in tab.at.caption]


def keys(tab: Any) -> set[str]:
    return {button.key for button in tab.at.button}


def leads(tab: Any, button: str, to: str) -> None:
    """Follow a button of a run to another one, which has no such button."""
    tab.press(button).assert_calm()
    assert tab.at.session_state["run"] == to
    assert button not in keys(tab)


def test_a_run_shows_its_teacher_with_checkpoint_and_numbers_and_leads_to_it(page):
    run("big-001")
    run("small-001", teacher=TEACHER, training={"distil": DISTIL})
    tab = page("small-001")
    assert (
        ":material/school: Learns from the best weights of big-001 (epoch 7), accuracy 98.3%: 75% "
        "of the loss (alpha 0.75) at temperature 3. Validation uses the targets alone."
    ) in captions(tab)
    leads(tab, "teacher_run", "big-001")


def test_a_teacher_whose_run_was_deleted_is_shown_as_gone_without_a_button(page):
    run("small-001", teacher=TEACHER, training={"distil": DISTIL})
    tab = page("small-001")
    (caption,) = [text for text in captions(tab) if "Learns from" in text]
    assert caption.endswith("big-001 was deleted; this run has its own copy of what it needs.")
    assert "teacher_run" not in keys(tab)


def test_a_run_shows_what_it_began_with_and_leads_to_it(page):
    run("first-001")
    run("second-001", start={**START, "left_out": ["head"]}, training={"start_from": BEGUN})
    tab = page("second-001")
    assert (
        ":material/flag: Starts with the best weights of first-001 (epoch 2): 4 tensors; head "
        "starts from random weights; 2 of its tensors are not used."
    ) in captions(tab)
    tab.press("start_run").assert_calm()
    assert tab.at.session_state["run"] == "first-001"


def test_weights_of_a_file_lead_nowhere(page):
    start = {"from": "net.safetensors", "loaded": 4, "left_out": [], "unused": 0}
    run("second-001", start=start, training={"start_from": {"weights": "net.safetensors"}})
    tab = page("second-001")
    assert ":material/flag: Starts with net.safetensors: 4 tensors." in captions(tab)
    assert "start_run" not in keys(tab)


def test_a_branch_says_that_it_keeps_the_teacher(page):
    run("big-001")
    run("small-001", teacher=TEACHER, training={"distil": DISTIL})
    branch = {"run": "small-001", "checkpoint": "last", "epoch": 3}
    run("small-002", teacher=TEACHER, training={"distil": DISTIL}, branch=branch)
    tab = page("small-002")
    assert (
        ":material/call_split: Branched from small-001 after epoch 3 and keeps its teacher."
    ) in captions(tab)
    assert {"branch_run", "teacher_run"} <= keys(tab)


@pytest.mark.parametrize("name", ["../big-001", "..", ".", "a/../../b"])
def test_a_name_that_leads_elsewhere_has_no_button(page, name: str):
    run("small-001", teacher=TEACHER, training={"distil": {**DISTIL, "run": name}})
    assert "teacher_run" not in keys(page("small-001"))


def test_a_project_without_data_shows_its_runs(lenet):
    run("first-001")
    tab = lenet
    tab.document.change(data={})
    tab.go("train").assert_calm()
    assert "run_first-001" in keys(tab)
    assert tab.at.button(key="train").disabled
    assert "There is no data to train on yet. Choose a data set in the settings." in tab.texts
    tab.press("run_first-001").assert_calm()
    assert tab.at.session_state["run"] == "first-001"
    assert tab.document.project.data == {}


def test_the_compare_table_shows_teacher_temperature_and_alpha(lenet):
    run("small-001", training={"epochs": 2, "distil": None})
    run("small-002", teacher=TEACHER, training={"epochs": 2, "distil": DISTIL})
    lenet.go("compare").assert_calm()
    (table,) = [h.value for h in lenet.at.get("html") if "<th scope='row'>Teacher: run" in h.value]
    for name, value in (("run", "big-001"), ("temperature", "3"), ("alpha", "0.75")):
        row = f"<th scope='row'>Teacher: {name}</th><td>{value}</td><td></td>"
        assert row in table
