"""The verdict on the Train page: what it says, and a remedy that starts a run with its change."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from app.services import remedies
from core.runs.remedies import Remedy

RULE = {"metric": "val_accuracy", "value": 0.1, "rule": "always predicting “3”", "samples": 359}


def guessed(lr: float = 1e-5, **more: Any) -> Path:
    """A run of LeNet that is as good as guessing, as far as the page reads it."""
    folder = Path(os.environ["LAYERLOOM_RUNS"], "lenet-001")
    folder.mkdir(parents=True)
    training = {"lr": lr, "epochs": 8, "optimizer": "AdamW"}
    spec = {"format": 1, "project": "LeNet on digits", "training": training, **more}
    status = {"state": "finished", "attempt": 1, "epoch": 8, "step": 320, "metrics": {}}
    flat = {"val_accuracy": [0.1] * 8, "val_loss": [2.3] * 8, "train_loss": [2.3] * 8}
    for name, content in (("spec", spec), ("status", status), ("baseline", RULE)):
        (folder / f"{name}.json").write_text(json.dumps(content))
    record = {"attempt": 1, "kind": "epoch", "epoch": list(range(1, 9)), **flat}
    (folder / "metrics.jsonl").write_text(json.dumps(record, separators=(",", ":")) + "\n")
    return folder


def words(tab: Any) -> str:
    shown = [*tab.at.markdown, *tab.at.caption]
    return "\n".join(each.value.replace("\\", "").replace("\u2060", "") for each in shown)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What training was asked for, in place of starting it."""
    calls: list[Any] = []

    def train(document: Any, remedy: Any = None, launcher: Any = None) -> str:
        calls.append((dict(document.project.training), remedy))
        return "lenet-002"

    monkeypatch.setattr("app.services.training.start", train)
    return calls


def test_a_run_that_guesses_says_so_and_a_button_trains_it_with_the_remedy(
    lenet: Any, asked: list[Any]
) -> None:
    guessed()
    before = dict(lenet.at.session_state["document"].project.training)
    lenet.go("train").assert_calm()
    assert "As good as guessing" in words(lenet)
    assert "#### 10.0% :small[± 3.1]\n" in words(lenet)
    assert (
        "Validation accuracy after epoch 1 (359 samples); always predicting “3” gets 10.0%."
        in words(lenet)
    )
    lenet.press("remedy_lenet-001_0").assert_calm()
    ((training, remedy),) = asked
    assert training["lr"] == 0.003
    assert remedy == {"run": "lenet-001", "title": "Learning rate 0.003", "changes": {"lr": 0.003}}
    document = lenet.at.session_state["document"]
    assert document.project.training["lr"] == 0.003
    taken = lenet.at.session_state["remedy_taken"]
    assert taken.run == "lenet-002"
    remedies.undo(document, taken)
    assert dict(document.project.training) == before


def test_a_run_of_another_project_names_what_would_help_without_a_button(lenet: Any) -> None:
    guessed(document="other.loom.json", project="Other")
    lenet.go("train").press("run_lenet-001").assert_calm()
    assert "Suggested fixes (open its project to apply them): Learning rate 0.003." in words(lenet)
    assert not [b for b in lenet.at.button if (b.key or "").startswith("remedy_")]


def test_where_the_template_of_the_data_reaches_more_it_opens_with_a_button(lenet: Any) -> None:
    guessed(lr=0.003, data={"source": "digits"})
    lenet.go("train").assert_calm()
    assert "The template “LeNet on digits” reaches 98.6%." in (words(lenet))
    before = lenet.document.doc_id
    lenet.press("verdict_template").assert_calm()
    assert lenet.document.doc_id != before
    assert lenet.document.project.name == "LeNet on digits"


def test_compare_says_the_verdict_beside_the_best_result_and_in_its_table(lenet: Any) -> None:
    guessed()
    lenet.go("compare").assert_calm()
    assert "As good as guessing" in words(lenet)
    tables = "".join(str(each.value) for each in lenet.at.get("html"))
    assert "<th scope='row'>Verdict</th><td>As good as guessing</td>" in tables


def test_a_change_is_described_with_the_value_before() -> None:
    changes = Remedy("", {"lr": 0.003, "clip_norm": None, "drop.p": 0.2}).changes
    assert remedies.describe_changes(changes, {"lr": 1e-5, "clip_norm": 1.0}) == (
        "lr 1e-05 → 0.003, clip_norm 1 → none, drop.p = 0.2"
    )


def test_why_a_run_exploded_is_said_once(lenet: Any) -> None:
    folder, why = guessed(lr=1000.0), "The loss became NaN at step 12."
    status = json.loads((folder / "status.json").read_text())
    (folder / "status.json").write_text(
        json.dumps({**status, "state": "failed", "message": why, "hint": "Lower it."})
    )
    (folder / "events.jsonl").write_text('{"attempt":1,"kind":"diverged","message":"","t":0}\n')
    lenet.go("train").assert_calm()
    assert "Exploded" in words(lenet)
    assert [text for text in (*lenet.texts, *words(lenet).splitlines()) if why in text] == [
        f"{why} A learning rate of 1000 is far above 0.003, which is usual for AdamW."
    ]
