"""Each kind of requirement: what it says, where it holds, and the reason where it does not."""

from dataclasses import replace
from typing import Any

import pytest

from core.analyse import analyse_project, report_json
from core.claims import Check
from core.graph import Graph, Node
from core.graph.edits import apply
from core.project import Project
from core.project.templates import load_template
from core.wings.classroom import ClassTask, GradedLine, Requirement
from core.wings.classroom.judge import counted, judge_each
from core.wings.classroom.kinds import KINDS, Evidence, Learned

IRIS = load_template("mlp_iris")


def judged(
    kind: str, project: Project = IRIS, facts: Evidence | None = None, **fields: Any
) -> GradedLine:
    facts = facts or Evidence(counted(project), report_json(analyse_project(project)))
    task = ClassTask("", "", project, (Requirement(Check(kind, fields), 3, "Try again."),))
    return next(judge_each(task, facts))


def changed(*edits: dict[str, Any]) -> Project:
    return replace(IRIS, graph=apply(IRIS.graph, edits))


def test_the_outputs_are_those_of_the_analysis() -> None:
    assert judged("outputs", shapes=((3,),)) == GradedLine("The network outputs (N, 3).", 3, 3)
    wrong = judged("outputs", shapes=((4,),))
    assert (wrong.points, wrong.reason) == (0, "Now (N, 3). Try again.")
    two = judged("outputs", shapes=((3,), (3,)))
    assert (two.text, two.points) == ("The network outputs (N, 3) and (N, 3).", 0)


def test_multiply_adds_are_torchs_count() -> None:
    # 4*16 + 16*16 + 16*3 weights, each used once for a sample
    under, over = judged("mult_adds_below", count=369), judged("mult_adds_below", count=368)
    assert (under.points, under.reason) == (3, "Now 368.")
    assert (over.points, over.reason) == (0, "Now 368. Try again.")


def test_a_block_beside_the_network_is_not_used() -> None:
    beside = changed({"op": "add", "id": "trick", "block": "Dropout"})
    into = changed(
        {"op": "add", "id": "trick", "block": "Dropout"},
        {"op": "connect", "edge": "fc1 -> trick"},
    )
    used = changed(
        {"op": "add", "id": "trick", "block": "Dropout"},
        {"op": "connect", "edge": "fc1 -> trick"},
        {"op": "connect", "edge": "trick -> relu1"},
    )
    points = [judged("uses", project, block="Dropout").points for project in (beside, into, used)]
    assert points == [0, 0, 3]


def test_a_composite_that_nothing_uses_counts_for_nothing() -> None:
    from core.graph import Composite

    inner = Graph({"x": Node("Input"), "d": Node("Dropout"), "y": Node("Output")})
    graph = replace(IRIS.graph, composites={"Spare": Composite(graph=inner)})
    assert judged("uses", replace(IRIS, graph=graph), block="Dropout").points == 0


def test_what_was_not_run_is_named_and_earns_nothing() -> None:
    refused = {"ok": False, "errors": [{"message": "gate is not trusted."}], "outputs": []}
    facts = Evidence(IRIS, refused, own_python=("Gate",))
    why = "Own Python was not run: Gate. Try again."
    for kind, fields in (
        ("outputs", {"shapes": ((3,),)}),
        ("no_errors", {}),
        ("params_below", {"count": 9}),
        ("mult_adds_below", {"count": 9}),
    ):
        assert judged(kind, facts=facts, **fields).reason == why
    assert judged("uses", facts=facts, block="ReLU").points == 3


LEARNS = {"metric": "accuracy", "epochs": 5, "at_least": 0.9}


@pytest.mark.parametrize(
    ("learned", "points", "reason"),
    [
        (Learned({"accuracy": 0.9}), 3, "accuracy: 90%."),
        (Learned({"accuracy": 0.8999}), 0, "accuracy: 89.99%. Try again."),
        (Learned({"loss": 0.1}), 0, "There is no accuracy. Figures: loss. Try again."),
        (Learned({}, "It diverged."), 0, "It diverged. Try again."),
    ],
)
def test_what_is_learned_is_held_against_the_figure(learned, points, reason) -> None:
    budgets = []
    facts = Evidence(IRIS, {"ok": True}, learn=lambda *budget: budgets.append(budget) or learned)
    line = judged("learns", facts=facts, **LEARNS)
    assert (line.points, line.reason, budgets) == (points, reason, [(5, 0)])
    assert line.text == (
        "Trained from scratch within 5 epochs, it reaches at least 90% accuracy on data that you "
        "do not have."
    )


def test_without_hidden_data_what_is_learned_stays_open() -> None:
    line = judged("learns", **LEARNS)
    assert (line.judged, line.points, line.holds) == (False, 0, False)


def test_the_run_must_be_of_this_drawing() -> None:
    asked = {"metric": "val_loss", "at_most": 0.5}
    good = Evidence(IRIS, {"ok": True}, run={"val_loss": 0.5})
    line = judged("run_stays_below", facts=good, **asked)
    reason = "validation loss: 0.5. As handed in, not trained again."
    assert (line.points, line.reason) == (3, reason)
    other = judged("run_stays_below", facts=replace(good, same_run=False), **asked)
    assert other.reason == "The run that was handed in trained another drawing. Try again."
    none = judged("run_stays_below", facts=replace(good, run=None), **asked)
    assert (none.points, none.reason) == (0, "No run was handed in. Try again.")


def test_no_kind_asks_for_a_mistake() -> None:
    assert "error_on" not in KINDS
    assert {kind.needs for kind in KINDS.values()} == {"", "hidden", "run"}
