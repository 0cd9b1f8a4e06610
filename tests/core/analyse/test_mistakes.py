"""Warnings of training mistakes: each is named with numbers, and its fix takes it away."""

from dataclasses import replace
from typing import Any

import pytest

from core.analyse import analyse_project
from core.graph import Graph
from core.graph.edits import apply
from core.project import Project
from core.project.templates import list_templates, load_template
from tests.core.drawing import END, chain, draw

TABLE = ("data", ("Input", {"shape": (4,)}))


def linear(wide: int) -> tuple[str, dict[str, Any]]:
    return ("Linear", {"out_features": wide})


def project(graph: Graph, source: str = "iris", **training: Any) -> Project:
    return replace(
        load_template("mlp_iris"), graph=graph, data={"source": source}, training=training
    )


NET = chain(TABLE, ("fc1", linear(8)), ("relu1", "ReLU"), ("fc2", linear(3)), END)
TABLED = draw(
    {**dict([TABLE, ("fc1", linear(3)), END]), "join": "add",
     "shift": ("Buffer", {"shape": (3,), "init": "weights"})},
    ["data -> fc1", "fc1 -> join.input", "shift -> join.other", "join -> logits"],
)  # fmt: skip
FROZEN = apply(NET, [{"op": "learn", "node": "fc1", "frozen": True}])
CASES: dict[str, tuple[Project, str, str]] = {
    "frozen_by_chance": (
        project(FROZEN),
        "fc1",
        "fc1 is frozen at random initial weights, so training never improves them.",
    ),
    "values_from_weights": (
        project(TABLED),
        "shift",
        "shift takes its values from a weights file, but training starts without one: they stay "
        "zero.",
    ),
    "activation_before_loss": (
        project(
            chain(TABLE, ("fc1", linear(3)), ("softmax1", ("Softmax", {"dim": 1})), END),
            loss="CrossEntropyLoss",
        ),
        "softmax1",
        "softmax1 is a Softmax right before CrossEntropyLoss, which already includes the softmax.",
    ),
    "activation_missing": (
        project(chain(TABLE, ("fc1", linear(3)), END), loss="NLLLoss"),
        "logits",
        "logits needs a LogSoftmax before it for NLLLoss but receives Linear.",
    ),
    "width_of_output": (
        project(chain(TABLE, ("fc1", linear(5)), END)),
        "fc1",
        "fc1 outputs 5 values per sample, but iris has 3 classes.",
    ),
    "no_activation": (
        project(chain(TABLE, ("fc1", linear(8)), ("drop1", "Dropout"), ("fc2", linear(3)), END)),
        "fc2",
        "fc2 follows fc1 without an activation in between: together they are equivalent to one "
        "Linear.",
    ),
    "batch_of_one": (
        project(
            chain(TABLE, ("fc1", linear(8)), ("bn1", "BatchNorm1d"), ("r", "ReLU"),
                  ("fc2", linear(3)), END),
            batch_size=1,
        ),
        "bn1",
        "bn1 averages over the batch, but batch_size is 1.",
    ),
    "dead_branch": (
        project(
            draw(
                {**dict([TABLE, ("fc1", linear(3)), END]), "a": "ReLU", "b": "ReLU"},
                ["data -> fc1", "fc1 -> logits", "data -> a", "a -> b"],
            )
        ),
        "a",
        "a is not connected to any Output: its result is not used.",
    ),
    "missing_normalisation": (
        project(chain(TABLE, *(
            node for i in range(1, 12)
            for node in ((f"fc{i}", linear(3)), (f"relu{i}", "ReLU"))
        ), END)),
        "fc11",
        "fc11 is layer 11 in a row without normalisation: activations and "
        "gradients may vanish or explode.",
    ),
    "unused_input": (
        project(
            draw(
                {**dict([TABLE, ("fc1", linear(3)), END]), "b": ("Input", {"shape": (4,)}),
                 "act": "ReLU"},
                ["data -> fc1", "fc1 -> logits", "b -> act"],
            )
        ),
        "b",
        "b is not connected to any Output: its result is not used.",
    ),
    "too_many_weights": (
        project(chain(TABLE, ("fc1", linear(20000)), ("relu1", "ReLU"), ("fc2", linear(3)), END)),
        "fc1",
        "fc1 has the largest share of the 160,003 parameters for 120 training samples: 1,333 "
        "per sample.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("code", CASES)
def test_a_mistake_is_named_on_its_block(code: str):
    case, node, message = CASES[code]
    found = [(w.node, w.code, w.message) for w in analyse_project(case).warnings]
    assert (node, code, message) in found


@pytest.mark.parametrize("code", CASES)
def test_its_fix_takes_it_away(code: str):
    case = CASES[code][0]
    warning = next(w for w in analyse_project(case).warnings if w.code == code)
    fixed = replace(case, graph=apply(case.graph, warning.fixes[0]["edits"]))
    report = analyse_project(fixed)
    assert report.ok
    assert code not in [w.code for w in report.warnings]


def test_a_table_that_weights_fill_is_nothing_to_warn_of_where_training_begins_with_weights():
    begun = project(TABLED, start_from={"weights": "net.safetensors"})
    assert analyse_project(begun).warnings == ()
    left = project(TABLED, start_from={"weights": "net.safetensors", "leave_out": ["shift"]})
    assert [w.code for w in analyse_project(left).warnings] == ["values_from_weights"]


def test_a_sound_project_has_no_warning():
    assert analyse_project(project(NET)).warnings == ()


@pytest.mark.gate
@pytest.mark.parametrize("name", [template.name for template in list_templates()])
def test_no_template_is_warned_of(name: str):
    assert analyse_project(load_template(name)).warnings == ()


def test_a_graph_with_errors_has_no_such_warning():
    case = project(chain(TABLE, ("fc1", "Linear"), ("softmax1", ("Softmax", {"dim": 1})), END))
    assert not analyse_project(case).ok
    assert "activation_before_loss" not in [w.code for w in analyse_project(case).warnings]
