"""Warnings about the end of a network: an activation that cuts it off, a loss of other outputs."""

from typing import Any

import pytest

from core.analyse import analyse_project
from core.analyse.report import Finding
from core.common.errors import TrainingError
from core.graph import Edge, Graph, Node
from core.project.model import Project
from core.settings.validate import resolve

COLUMNS = {"iris": 4, "breast_cancer": 30, "diabetes": 10}


def found(source: str, outputs: int, last: str = "", **training: Any) -> dict[str, Finding]:
    nodes = {
        "row": Node("Input", {"shape": (COLUMNS[source],)}),
        "fc": Node("Linear", {"out_features": outputs}),
        **({"act": Node(last)} if last else {}),
        "out": Node("Output"),
    }
    names = list(nodes)
    wires = [Edge(a, "output", b, "input") for a, b in zip(names, names[1:], strict=False)]  # noqa: RUF007
    data = {"source": source, "normalize": True}
    project = Project(name="p", graph=Graph(nodes, tuple(wires)), data=data, training=training)
    return {warning.code: warning for warning in analyse_project(project).warnings}


@pytest.mark.parametrize("last", ["ReLU", "Sigmoid", "Tanh", "Softplus", "ReLU6", "ELU"])
def test_an_activation_that_cuts_off_scores_is_named_and_can_be_removed(last: str) -> None:
    warning = found("iris", 3, last, loss="CrossEntropyLoss")["output_cut_off"]
    assert warning.node == "act"
    assert warning.message.endswith("but CrossEntropyLoss needs scores, which can be any number.")
    assert warning.fixes[0]["edits"] == [
        {"op": "remove", "node": "act"},
        {"op": "connect", "edge": "fc -> out"},
    ]


@pytest.mark.parametrize("last", ["square", "abs", "exp", "ReLU", "sqrt", "sin", "cosh"])
def test_a_function_that_cuts_off_standardised_targets_is_named(last: str) -> None:
    assert found("diabetes", 1, last, loss="MSELoss")["output_cut_off"].node == "act"


@pytest.mark.parametrize("last", ["Softmax", "Softmin"])
def test_a_softmax_over_one_value_is_replaced(last: str) -> None:
    warnings = found("breast_cancer", 1, last, loss="BCELoss")
    assert "activation_missing" not in warnings
    warning = warnings["constant_softmax"]
    assert warning.message == (
        f"act is a {last} over one value, so its output is always 1, whatever the network learns."
    )
    assert warning.fixes[0]["edits"] == [
        {"op": "replace", "node": "act", "block": "Sigmoid", "settings": {}}
    ]
    assert "always 0" in found("breast_cancer", 1, "LogSoftmax")["constant_softmax"].message
    assert "constant_softmax" not in found("iris", 3, last)


def test_the_range_is_in_the_message() -> None:
    message = found("iris", 3, "ReLU")["output_cut_off"].message
    assert message.startswith(
        "act is a ReLU right before the Output and outputs only values of 0 or more, but "
    )
    assert "outputs only values from -1 to 1, but the targets are standardised" in (
        found("diabetes", 1, "Tanh", loss="MSELoss")["output_cut_off"].message
    )


@pytest.mark.parametrize(
    ("source", "outputs", "last", "loss"),
    [
        ("iris", 3, "", "CrossEntropyLoss"),
        ("iris", 3, "LeakyReLU", "CrossEntropyLoss"),
        ("iris", 3, "LogSoftmax", "NLLLoss"),
        ("diabetes", 1, "", "MSELoss"),
        ("breast_cancer", 1, "Sigmoid", "BCELoss"),
    ],
)
def test_ends_that_suit_their_loss_are_left_alone(
    source: str, outputs: int, last: str, loss: str
) -> None:
    assert not {"output_cut_off", "loss_of_output", "outputs_of_data"} & set(
        found(source, outputs, last, loss=loss)
    )


def test_one_output_and_a_loss_of_classes_names_both_ways_out() -> None:
    warning = found("breast_cancer", 1, loss="CrossEntropyLoss")["loss_of_output"]
    assert warning.node == "out"
    assert warning.message == (
        "out has one value per sample, but CrossEntropyLoss needs a score for each of the 2"
        " classes of breast_cancer."
    )
    assert warning.hint == (
        "Set fc to 2 outputs, or choose BCEWithLogitsLoss or BCELoss, which needs one."
    )
    edit = {"op": "set", "node": "fc", "settings": {"out_features": 2}}
    assert warning.fixes[0]["edits"] == [edit]


@pytest.mark.parametrize(
    ("source", "outputs", "loss", "hint"),
    [
        ("breast_cancer", 2, "BCEWithLogitsLoss", "Choose CrossEntropyLoss or NLLLoss."),
        ("iris", 3, "BCEWithLogitsLoss", "Choose CrossEntropyLoss or NLLLoss."),
        ("iris", 3, "MSELoss", "Choose CrossEntropyLoss or NLLLoss."),
        ("diabetes", 1, "CrossEntropyLoss", "Choose MSELoss or L1Loss."),
    ],
)
def test_other_pairs_of_loss_and_outputs_are_named_too(
    source: str, outputs: int, loss: str, hint: str
) -> None:
    warning = found(source, outputs, loss=loss)["loss_of_output"]
    assert (warning.node, warning.hint) == ("out", hint)
    assert loss in warning.message


def test_too_many_outputs_for_one_number_are_named() -> None:
    warning = found("diabetes", 2, loss="MSELoss")["outputs_of_data"]
    assert "(N, 1)" in warning.message
    assert warning.hint == "Set out_features of the last Linear to 1."


def test_the_error_of_a_training_says_the_same() -> None:
    one = ("BCEWithLogitsLoss", "BCELoss")
    with pytest.raises(TrainingError) as error:
        resolve({"loss": "CrossEntropyLoss"}, "classification", one)
    assert error.value.message == (
        "CrossEntropyLoss needs a score for each class, but the Output gives one number for each "
        "sample."
    )
    assert error.value.hint.startswith("Give the last layer 2 outputs, or choose BCEWithLogitsLoss")
    with pytest.raises(TrainingError, match="BCEWithLogitsLoss needs one number for each sample"):
        resolve({"loss": "BCEWithLogitsLoss"}, "classification", ("CrossEntropyLoss",))
