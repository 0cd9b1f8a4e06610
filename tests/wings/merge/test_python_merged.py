"""Own Python of two versions: merged as a whole."""

from dataclasses import replace

from core.graph.python import composite_of
from core.project import read_text, write_text
from core.wings.merge import merge
from tests.core.project.test_python_in_files import BASE, GATE, with_gate


def test_a_merge_takes_the_text_that_one_side_changed() -> None:
    other = with_gate(GATE.replace("torch.sigmoid", "torch.tanh"))
    for ours, theirs in ((BASE, other), (other, BASE), (other, other)):
        merged = merge(BASE, ours, theirs)
        assert merged.conflicts == ()
        assert merged.project.graph.composites["Gate"].python == GATE.replace("sigmoid", "tanh")


def test_two_changed_texts_are_a_conflict_and_ours_holds() -> None:
    ours = with_gate(GATE.replace("torch.sigmoid", "torch.tanh"))
    theirs = with_gate(GATE + "  # theirs")
    merged = merge(BASE, ours, theirs)
    assert [c.message for c in merged.conflicts] == [
        "The Python of Gate was changed in ours and in theirs."
    ]
    assert merged.project == ours


def test_a_class_of_another_name_is_another_block() -> None:
    text = GATE.replace("class Gate", "class Valve")
    parts = {"Valve": composite_of("Valve", text), "Halves": BASE.graph.composites["Halves"]}
    nodes = {
        name: replace(node, block="Valve") if node.block == "Gate" else node
        for name, node in BASE.graph.nodes.items()
    }
    other = replace(BASE, graph=replace(BASE.graph, nodes=nodes, composites=parts))
    merged = merge(BASE, other, with_gate(GATE + "  # theirs"))
    assert [c.place for c in merged.conflicts] == ["Gate"]
    assert merged.project.graph.composites["Valve"].python == text
    assert read_text(write_text(merged.project)) == merged.project
