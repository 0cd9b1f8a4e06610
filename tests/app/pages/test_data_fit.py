"""What the Data page offers to change of a network, so that it fits the data."""

from dataclasses import replace
from itertools import pairwise

import pytest

from app.pages.data.fit import fit_edits
from app.services import training
from core.data import read_settings
from core.data.facts.metadata import read_own
from core.graph import Edge, Graph, Node
from core.graph.edits import apply
from core.project import templates

TEXT = "abcd efgh. " * 120


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["dcgan_digits", "gru_digits", "lstm_waves", "two_inputs_diabetes"]
)
def test_nothing_is_offered_to_a_network_that_fits_in_its_own_way(name: str, tab) -> None:
    """Noise that goes in, rows of a picture one after the other, columns in two parts."""
    tab.press(f"open_template_{name}").go("data").assert_calm()
    assert "fit_network" not in [button.key for button in tab.at.button]
    assert training.fit(tab.document).problem == ""


@pytest.mark.gate
def test_a_network_is_offered_what_its_data_needs(lenet) -> None:
    lenet.document.change(data={"source": "iris"})
    lenet.go("data")
    assert "fit_network" in [button.key for button in lenet.at.button]


def test_a_picture_that_goes_into_a_linear_row_by_row_is_flattened(lenet) -> None:
    document = lenet.document
    nodes = {
        "image": Node("Input", {"shape": (1, 28, 28)}),
        "fc1": Node("Linear", {"out_features": 10}),
        "relu1": Node("ReLU"),
        "fc2": Node("Linear", {"out_features": 10}),
        "logits": Node("Output"),
    }
    wires = tuple(Edge(a, "output", b, "input") for a, b in pairwise(nodes))
    document.replace(replace(document.project, graph=Graph(nodes, wires)))
    lenet.go("data").assert_calm()
    assert any("fc1 needs a flatten before it" in part.value for part in lenet.at.markdown)
    lenet.press("fit_network").assert_calm()
    assert [n.block for n in document.project.graph.nodes.values()].count("flatten") == 1
    assert training.fit(document).problem == ""


@pytest.mark.slow
def test_what_is_chosen_while_the_network_is_fitted_is_kept(lenet) -> None:
    """The page is drawn anew then: what a student chose meanwhile must reach the project."""
    document = lenet.document
    seven = {"op": "set", "node": "fc3", "settings": {"out_features": 7}}
    document.replace(replace(document.project, graph=apply(document.project.graph, [seven])))
    lenet.go("data")
    (vary,) = lenet.at.multiselect
    (normal,) = [toggle for toggle in lenet.at.toggle if toggle.label == "Normalise"]
    vary.set_value(["GaussianNoise"])
    normal.set_value(True)
    lenet.press("fit_network").assert_calm()
    assert document.project.graph.nodes["fc3"].settings["out_features"] == 10
    assert document.project.data["normalize"] is True
    assert [entry["name"] for entry in document.project.data["transform"]] == ["GaussianNoise"]


@pytest.mark.slow
def test_data_that_came_with_another_drawing_is_what_the_form_says(lenet) -> None:
    document = lenet.document
    lenet.go("data")
    (before,) = lenet.at.multiselect
    assert before.value == []
    varied = {**document.project.data, "transform": [{"name": "GaussianNoise"}]}
    document.replace(replace(document.project, data=varied))
    lenet.at.run()
    (after,) = lenet.at.multiselect
    assert after.value == ["GaussianNoise"]
    assert [entry["name"] for entry in document.project.data["transform"]] == ["GaussianNoise"]


def test_a_language_model_is_fitted_to_the_characters_of_a_text(workspace) -> None:
    (workspace / "book.txt").write_text(TEXT + "äöüß" * 30)
    data = {"source": "text", "file": "book.txt"}
    read_own(data)
    settings = read_settings(data)
    assert len(settings.source.alphabet) == 14
    graph = templates.load_template("lstm_text").graph
    edits = fit_edits(graph, settings)
    assert edits == [{"op": "set", "node": "fc", "settings": {"out_features": 14}}]
    small = apply(graph, [{"op": "set", "node": "embed", "settings": {"num_embeddings": 5}}])
    assert fit_edits(small, settings) == [
        {"op": "set", "node": "embed", "settings": {"num_embeddings": 14}},
        *edits,
    ]
    assert fit_edits(apply(small, fit_edits(small, settings)), settings) == []


def test_an_empty_drawing_is_no_network_with_problems(tab) -> None:
    tab.press("empty").go("data").assert_calm()
    shown = " ".join(part.value for part in tab.at.markdown)
    assert "There is no network yet." in shown
    assert "receives no data" not in shown
