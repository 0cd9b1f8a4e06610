"""Choosing data, fitting a network or coming to Train: settings that suit; a student's own stay."""

from dataclasses import replace

import pytest

from app.services import first_network, suggestions
from tests.bench.first_networks import project_of
from tests.bench.first_shapes import SHAPES

ADOPTED = {"lr": 0.01, "epochs": 50, "batch_size": 16, "scheduler": {"name": "OneCycleLR"}}
SENTENCE = "Suggested for 120 samples of 4 columns: 50 epochs of batches of 16"


def drawn(tab, source="iris", **training):
    """A network drawn by hand in an empty project, on a data set."""
    tab.press("empty")
    document = tab.document
    graph = project_of({}, SHAPES["one hidden layer"]("iris")).graph
    data = {"source": source}
    document.replace(replace(document.project, graph=graph, data=data, training=training))
    return document


def settings(training):
    """Training settings as lists and dicts."""
    return {k: dict(v) if hasattr(v, "items") else v for k, v in training.items()}


def captions(tab):
    return " ".join(caption.value for caption in tab.at.caption).replace("\\", "")


def test_a_network_drawn_by_hand_trains_with_what_suits_it(tab):
    document = drawn(tab)
    tab.go("train").assert_calm()
    assert settings(document.project.training) == ADOPTED
    assert SENTENCE in captions(tab)
    assert "use_suggested" not in [button.key for button in tab.at.button]
    assert tab.at.number_input(key=f"{document.form.key}:epochs").value == 50


@pytest.mark.gate
def test_what_a_student_sets_stays_is_named_and_gives_way_on_demand(tab):
    document = drawn(tab)
    tab.go("train")
    tab.at.number_input(key=f"{document.form.key}:batch_size").set_value(64).run()
    assert document.project.training["batch_size"] == 64
    assert "Your own settings: batch size." in captions(tab)
    tab.press("use_suggested").assert_calm()
    assert settings(document.project.training) == ADOPTED
    tab.press("undo_suggested").assert_calm()
    assert document.project.training["batch_size"] == 64
    assert tab.at.number_input(key=f"{document.form.key}:batch_size").value == 64


def test_other_data_brings_other_settings_but_not_for_a_students_own(tab):
    document = drawn(tab)
    tab.go("train")
    tab.at.number_input(key=f"{document.form.key}:epochs").set_value(7).run()
    tab.go("data")
    (chosen,) = [box for box in tab.at.selectbox if box.label == "Data set"]
    chosen.set_value("breast_cancer").run()
    tab.assert_calm()
    training = settings(document.project.training)
    assert training == {**ADOPTED, "epochs": 7, "batch_size": 32}
    assert "Suggested for 455 samples of 30 columns" in captions(tab)
    assert "Your own settings: epochs." in captions(tab)


def test_settings_follow_the_network_while_they_are_the_suggested_ones(tab):
    document = drawn(tab)
    tab.go("train")
    graph = project_of({}, SHAPES["linear"]("iris")).graph
    document.replace(replace(document.project, graph=graph))
    tab.at.run()
    assert document.project.training["lr"] == 0.05


def test_settings_of_a_file_are_shown_beside_and_never_replaced(tab):
    document = drawn(tab, epochs=30, lr=0.02)
    tab.go("train").assert_calm()
    assert settings(document.project.training) == {"epochs": 30, "lr": 0.02}
    assert "Different from the suggestion: learning rate, epochs" in captions(tab)
    tab.press("use_suggested")
    assert document.project.training["lr"] == 0.01


def test_fitting_the_network_to_its_data_makes_its_settings_suit(tab):
    document = drawn(tab, source="wine")
    tab.go("data").assert_calm()
    tab.press("fit_network").assert_calm()
    assert settings(document.project.training) == {**ADOPTED, "epochs": 45}


def test_networks_that_learn_against_each_other_are_left_alone(tab):
    tab.press("open_template_dcgan_digits").go("train").assert_calm()
    assert "Suggested for" not in captions(tab)


def test_nothing_is_suggested_for_data_alone_as_each_network_needs_other_settings(tab):
    tab.press("empty")
    document = tab.document
    document.replace(replace(document.project, data={"source": "iris"}))
    suggestions.follow(document)
    assert suggestions.offer(document) is None
    first_network.make(document)
    offer = suggestions.offer(document)
    assert offer is not None
    assert "50 epochs of batches of 16" in offer.sentence
