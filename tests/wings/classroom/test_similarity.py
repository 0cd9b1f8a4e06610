"""Similarity of drawings: of blocks, settings and wires, whatever they are called or stand."""

from dataclasses import replace

from core.graph.edits import apply
from core.project import Project, read_text, write_text
from core.project.templates import load_template
from core.wings.classroom.similarity import alike, labels_of, similarity

START = load_template("mlp_iris")
LENET = load_template("lenet_digits")
BEGUN = labels_of(START.graph)


def edited(*edits: dict) -> Project:
    return replace(START, graph=apply(START.graph, edits))


def test_renamed_and_moved_it_is_the_same_drawing() -> None:
    text = write_text(LENET)
    for number, name in enumerate(LENET.graph.nodes):
        text = text.replace(f'"{name}"', f'"node{number}"')
        text = text.replace(f'"{name} ->', f'"node{number} ->')
        text = text.replace(f'-> {name}"', f'-> node{number}"')
    renamed = replace(read_text(text), layout={})
    assert set(renamed.graph.nodes) & set(LENET.graph.nodes) == set()
    assert labels_of(renamed.graph) == labels_of(LENET.graph)
    assert similarity(labels_of(renamed.graph), labels_of(LENET.graph), BEGUN) == 1.0


def test_a_setting_makes_a_difference_and_the_start_makes_no_similarity() -> None:
    wide = edited({"op": "set", "node": "fc1", "settings": {"out_features": 20}})
    wider = edited({"op": "set", "node": "fc1", "settings": {"out_features": 21}})
    one, other = labels_of(wide.graph), labels_of(wider.graph)
    assert similarity(one, one, BEGUN) == 1.0
    assert similarity(one, other, BEGUN) == 0.0
    assert similarity(BEGUN, BEGUN, BEGUN) == 0.0


def test_pairs_are_listed_from_the_most_alike() -> None:
    wide = labels_of(edited({"op": "set", "node": "fc1", "settings": {"out_features": 20}}).graph)
    lenet = labels_of(LENET.graph)
    found = alike([wide, lenet, {}, wide, lenet, BEGUN], BEGUN)
    assert [(p.first, p.second, p.similarity) for p in found] == [(0, 3, 1.0), (1, 4, 1.0)]
