"""What an output means: every kind says it, and a kind declared in one place is read everywhere."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from core.common.network_ref import ProjectRef
from core.export.interface import interface_of
from core.export.model_card import make_card
from core.export.subject import subject_at
from core.insight.attribution.explain import explain
from core.insight.one_sample.api import look
from core.samples.contract import openapi
from core.samples.outputs import answers
from core.tasks.classification import CLASSES
from core.tasks.measure import Measure
from core.tasks.readings.catalogue import READINGS
from core.tasks.readings.classes import ClassScores
from core.tasks.readings.sums import RightOrWrong
from core.tasks.readout import NO_READOUT, Readout
from core.tasks.registry import KINDS, TASK_OF_KIND, TASKS
from core.tasks.task import Shape, TargetKind, TaskSource

TEMPLATE = Path(__file__).parents[3] / "projects" / "mlp_iris.loom.json"


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_every_kind_has_a_score_an_answer_and_a_form_or_says_why_not(kind: TargetKind) -> None:
    assert kind.readout.lacks() == ()
    assert kind.readout.missing.keys() <= {"score", "words", "web"}
    for reason in kind.readout.missing.values():
        assert reason.endswith(".")


def test_a_kind_that_says_nothing_of_its_outputs_is_noticed() -> None:
    assert NO_READOUT.lacks() == ("score", "words", "web")
    said = Readout(words=True, missing={"score": "None."})
    assert said.lacks() == ("web",)


MEASURED = [kind for kind in KINDS.values() if kind.metrics]


def has_own(reading: type[Measure], method: str) -> bool:
    """Whether a reading has another method of this name than a kind without a word of its own."""
    return getattr(reading, method) is not getattr(Measure, method)


def test_every_kind_that_is_measured_has_a_reading_and_every_reading_a_kind() -> None:
    assert READINGS.keys() == {kind.name for kind in MEASURED}
    assert all(reading.declared is KINDS[name] for name, reading in READINGS.items())
    assert all(reading.__doc__ for reading in READINGS.values())


@pytest.mark.parametrize("kind", MEASURED, ids=lambda kind: kind.name)
def test_a_reading_has_what_its_kind_declares(kind: TargetKind) -> None:
    said, reading = kind.readout, READINGS[kind.name]
    assert has_own(reading, "rows") != has_own(reading, "several")
    assert has_own(reading, "several") == (kind.outputs > 1)
    assert said.words == (has_own(reading, "words") or has_own(reading, "scores"))
    assert has_own(reading, "probabilities") == has_own(reading, "scores")
    assert not kind.one_class or has_own(reading, "scores")
    assert said.positions >= kind.per_position
    assert not said.positions or kind.per_position or said.lines
    assert not said.positions or said.score
    assert has_own(reading, "words") or has_own(reading, "arrays") or kind.draws_input


GRADES = TargetKind(
    "grades",
    CLASSES.losses,
    CLASSES.metrics,
    integer=True,
    readout=replace(CLASSES.readout, score="grade", card="a grade from {classes}"),
    one_class=True,
    names_classes=True,
)


class Grades(ClassScores):
    """A score for each grade."""

    declared = GRADES


@pytest.fixture
def graded(monkeypatch: pytest.MonkeyPatch) -> ProjectRef:
    """A project whose target is of a kind that nobody but this test knows."""
    task = TASKS["classification"]

    def fit(source: TaskSource, column: str, given: Shape, output: Shape) -> tuple[Shape, str]:
        assert task.fit is not None
        return task.fit(source, column, given, output)[0], GRADES.name

    monkeypatch.setitem(KINDS, GRADES.name, GRADES)
    monkeypatch.setitem(READINGS, GRADES.name, Grades)
    monkeypatch.setitem(TASK_OF_KIND, GRADES.name, task)
    monkeypatch.setitem(TASKS, task.name, replace(task, kinds=(GRADES,), fit=fit))
    project = json.loads(TEMPLATE.read_text("utf-8")) | {"name": "Graded irises"}
    return ProjectRef(json.dumps(project))


def test_a_new_kind_has_why_an_answer_a_form_and_a_card(graded: ProjectRef) -> None:
    aim = explain(graded, 0, "saliency").aim
    assert (aim.kind, aim.what) == ("grades", "grade")
    prediction = look(graded, {"part": "validation", "index": 0}, "")["prediction"]
    assert sum(score["value"] for score in prediction["scores"]) == pytest.approx(1.0)
    assert prediction["words"] == aim.predicted
    subject = subject_at(graded)
    interface = interface_of(subject).json()
    (output,) = interface["outputs"]
    assert (output["kind"], output["shown_as"]) == ("grades", "classes")
    (said,) = answers(
        {"inputs": [], "outputs": [output]}, [], [0], [torch.tensor([[0.0, 9.0, 0.0]])]
    )
    assert said[output["name"]]["class"] == output["classes"][1]
    contract = json.dumps(openapi(interface, "Irises", "", 1, secured=False))
    assert '"probabilities"' in contract
    card = bytes(make_card(subject).content).decode()
    assert f"a grade from {', '.join(output['classes'])}." in card


def test_a_kind_without_a_form_gives_its_reason_to_the_page_and_the_canvas(
    graded: ProjectRef, monkeypatch: pytest.MonkeyPatch
) -> None:
    reason = "A grade is not shown."
    silent = replace(GRADES, readout=Readout(missing=dict.fromkeys(("words", "web"), reason)))
    reading = type("Silent", (RightOrWrong,), {"declared": silent})
    monkeypatch.setitem(KINDS, GRADES.name, silent)
    monkeypatch.setitem(READINGS, GRADES.name, reading)
    project = graded.text.replace("Graded irises", "Silent irises")
    ref = ProjectRef(project)
    (output,) = interface_of(subject_at(ref)).json()["outputs"]
    assert output["unread"] == reason
    assert look(ref, {"part": "validation", "index": 0}, "")["prediction"] == {
        "words": "",
        "scores": [],
        "why": reason,
    }
