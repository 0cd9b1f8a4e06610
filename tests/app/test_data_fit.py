"""What the Data page offers to change of a network, so that it fits the data."""

import pytest

from app.pages.data_fit import wanted
from core.data import read_settings
from core.data.facts import read_own
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
    assert tab.document.fit().problem == ""


def test_a_network_is_offered_what_its_data_needs(lenet) -> None:
    lenet.document.change(data={"source": "iris"})
    lenet.go("data")
    assert "fit_network" in [button.key for button in lenet.at.button]


def test_a_language_model_is_fitted_to_the_characters_of_a_text(workspace) -> None:
    (workspace / "book.txt").write_text(TEXT + "äöüß" * 30)
    data = {"source": "text", "file": "book.txt"}
    read_own(data)
    settings = read_settings(data)
    assert len(settings.source.alphabet) == 14
    graph = templates.load_template("lstm_text").graph
    edits = wanted(graph, settings)
    assert edits == [{"op": "set", "node": "fc", "settings": {"out_features": 14}}]
    small = apply(graph, [{"op": "set", "node": "embed", "settings": {"num_embeddings": 5}}])
    assert wanted(small, settings) == [
        {"op": "set", "node": "embed", "settings": {"num_embeddings": 14}},
        *edits,
    ]
    assert wanted(apply(small, wanted(small, settings)), settings) == []
