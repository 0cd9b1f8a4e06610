"""What the template Digits from 30 labels tells to do, done on its pages."""

import os
from pathlib import Path

import pytest

from core.graph.edits import learn
from core.runs.files import read_json
from tests.transfer import FIRST, SECOND, quick, train, with_training


@pytest.mark.slow
def test_the_steps_of_the_template_lead_from_one_run_to_the_next(tab):
    runs = Path(os.environ["LAYERLOOM_RUNS"])
    assert train(quick(FIRST), runs).name == "digits-without-labels-001"

    tab.press(f"open_template_{SECOND}").go("train").assert_calm()
    field = f"{tab.document.doc_id}:start_from"
    tab.at.selectbox(key=field).set_value("run digits-without-labels-001").run()
    assert any("head.weight is not in the best weights" in text for text in tab.texts)
    tab.press("leave_out_these").assert_calm()
    start = tab.document.project.training["start_from"]
    assert start == {"run": "digits-without-labels-001", "leave_out": ("head",)}
    captions = [caption.value.replace("\\", "") for caption in tab.at.caption]
    assert any(
        text.startswith("4 tensors of the best weights of digits-without-labels-001")
        for text in captions
    )
    frozen = learn(tab.document.project.graph, "encoder", frozen=True, lr_factor=None)
    tab.document.change(graph=frozen)
    tab.go("train").assert_calm()
    assert not tab.at.button(key="train").disabled

    run = train(with_training(tab.document.project, epochs=1), runs)
    assert read_json(run / "spec.json")["start"]["left_out"] == ["head"]
    tab.go("train").press(f"run_{run.name}").press("start_run").assert_calm()
    assert tab.at.session_state["run"] == "digits-without-labels-001"
