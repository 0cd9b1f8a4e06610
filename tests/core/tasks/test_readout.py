"""What an output means: every kind says it, and a kind declared in one place is read everywhere."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from core.export.interface import interface_of
from core.export.model_card import make_card
from core.export.subject import subject_at
from core.insight.attribution.explain import explain
from core.insight.one_sample.api import look
from core.network_ref import ProjectRef
from core.samples.contract import openapi
from core.samples.outputs import answers
from core.tasks.classification import CLASSES
from core.tasks.readout import NO_READOUT, Readout
from core.tasks.registry import KINDS, TASK_OF_KIND, TASKS
from core.tasks.task import Shape, TargetKind, TaskSource, function_of

TEMPLATE = Path(__file__).parents[3] / "projects" / "mlp_iris.loom.json"
NAMES = ("score", "web", "card", "lines", "missing")
FUNCTIONS = sorted(
    {
        value
        for kind in KINDS.values()
        for field, value in vars(kind.readout).items()
        if field not in NAMES and value
    }
)


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_every_kind_has_a_score_an_answer_and_a_form_or_says_why_not(kind: TargetKind) -> None:
    assert kind.readout.lacks() == ()
    assert kind.readout.missing.keys() <= {"score", "words", "web"}
    for reason in kind.readout.missing.values():
        assert reason.endswith(".")


def test_a_kind_that_says_nothing_of_its_outputs_is_noticed() -> None:
    assert NO_READOUT.lacks() == ("score", "words", "web")
    said = Readout(words="core.tasks.labeler:predicted_number", missing={"score": "None."})
    assert said.lacks() == ("web",)


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_what_can_be_explained_can_be_selected_and_named(kind: TargetKind) -> None:
    said = kind.readout
    assert bool(said.score) == bool(said.select) == bool(said.names) == bool(said.likeliest)
    assert bool(said.probabilities) == bool(said.scores)
    assert not said.position or kind.per_position or said.lines
    assert not kind.one_class or said.scores


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_of_a_readout_is_there_and_has_a_docstring(name: str) -> None:
    assert function_of(name).__doc__


GRADES = TargetKind(
    "grades",
    CLASSES.losses,
    CLASSES.metrics,
    integer=True,
    true_words="core.tasks.labeler:class_name",
    readout=replace(CLASSES.readout, score="grade", card="a grade from {classes}"),
    one_class=True,
    names_classes=True,
)


@pytest.fixture
def graded(monkeypatch: pytest.MonkeyPatch) -> ProjectRef:
    """A project whose target is of a kind that nobody but this test knows."""
    task = TASKS["classification"]

    def fit(source: TaskSource, column: str, given: Shape, output: Shape) -> tuple[Shape, str]:
        assert task.fit is not None
        return task.fit(source, column, given, output)[0], GRADES.name

    monkeypatch.setitem(KINDS, GRADES.name, GRADES)
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
    monkeypatch.setitem(KINDS, GRADES.name, silent)
    project = graded.text.replace("Graded irises", "Silent irises")
    ref = ProjectRef(project)
    (output,) = interface_of(subject_at(ref)).json()["outputs"]
    assert output["unread"] == reason
    assert look(ref, {"part": "validation", "index": 0}, "")["prediction"] == {
        "words": "",
        "scores": [],
        "why": reason,
    }
