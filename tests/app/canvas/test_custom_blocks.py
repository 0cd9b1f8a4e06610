"""Putting the code of a custom block into a drawing: its uses follow, its faults have lines."""

import json

from app.canvas import custom_blocks
from core.graph import Graph
from core.project import read_text

GATE = """class Gate(nn.Module):
    def __init__(self, channels: int, scale: float = 1.0) -> None:
        super().__init__()
        self.fc = nn.Linear(channels, channels)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.fc(x)"""


def drawing(text: str = GATE) -> Graph:
    project = {
        "layerloom": 1,
        "name": "two gates",
        "graph": {
            "nodes": {
                "image": {"block": "Input", "settings": {"shape": [8]}},
                "gate1": {"block": "Gate", "settings": {"channels": 8, "scale": 2.0}},
                "gate2": {"weights_of": "gate1"},
                "stage": {"block": "Stage"},
                "logits": {"block": "Output"},
            },
            "edges": [
                "image -> gate1.x",
                "image -> gate1.mask",
                "gate1 -> gate2.x",
                "gate2 -> stage",
                "stage -> logits",
            ],
        },
        "composites": {
            "Gate": {"python": text.split("\n")},
            "Stage": {
                "nodes": {
                    "input": {"block": "Input"},
                    "inner": {"block": "Gate", "settings": {"channels": 8}},
                    "output": {"block": "Output"},
                },
                "edges": ["input -> inner.x", "inner -> output"],
            },
        },
    }
    return read_text(json.dumps(project)).graph


def wires(graph: Graph) -> list[str]:
    return [f"{e.source}.{e.source_port} -> {e.target}.{e.target_port}" for e in graph.edges]


def test_a_new_class_stands_behind_the_others_and_the_drawing_stays() -> None:
    graph = drawing()
    other = GATE.replace("class Gate", "class Other")
    found = custom_blocks.put(graph, other)
    assert list(found.composites) == ["Gate", "Stage", "Other"]
    assert found.composites["Other"].python == other
    assert (found.nodes, found.edges) == (graph.nodes, graph.edges)


def test_all_uses_follow_a_class_of_another_name() -> None:
    found = custom_blocks.put(drawing(), GATE.replace("class Gate", "class Door"), "Gate")
    assert list(found.composites) == ["Door", "Stage"]
    assert found.nodes["gate1"].block == "Door"
    assert found.composites["Stage"].graph.nodes["inner"].block == "Door"
    assert found.composites["Stage"].graph.nodes["inner"].settings == {"channels": 8}


def test_a_wire_follows_a_renamed_port_and_goes_with_one_that_is_gone() -> None:
    text = GATE.replace("x: Tensor", "image: Tensor").replace("self.fc(x)", "self.fc(image)")
    renamed = custom_blocks.put(drawing(), text, "Gate")
    assert wires(renamed)[:3] == [
        "image.output -> gate1.image",
        "image.output -> gate1.mask",
        "gate1.output -> gate2.image",
    ]
    gone = custom_blocks.put(drawing(), GATE.replace(", mask: Tensor | None = None", ""), "Gate")
    assert wires(gone)[:2] == ["image.output -> gate1.x", "gate1.output -> gate2.x"]


def test_ports_that_change_places_keep_their_wires_by_name() -> None:
    text = GATE.replace("x: Tensor, mask: Tensor | None = None", "mask: Tensor, x: Tensor")
    assert wires(custom_blocks.put(drawing(), text, "Gate"))[:2] == [
        "image.output -> gate1.x",
        "image.output -> gate1.mask",
    ]


def test_the_wire_of_one_output_is_the_first_of_several_and_back() -> None:
    two = GATE.replace("-> Tensor:", "-> tuple[Tensor, Tensor]:").replace(
        "return self.fc(x)", "return self.fc(x), x"
    )
    several = custom_blocks.put(drawing(), two, "Gate")
    assert "gate2.output.0 -> stage.input" in wires(several)
    assert "gate2.output -> stage.input" in wires(custom_blocks.put(several, GATE, "Gate"))


def test_a_setting_that_is_gone_goes_from_all_uses() -> None:
    found = custom_blocks.put(drawing(), GATE.replace(", scale: float = 1.0", ""), "Gate")
    assert found.nodes["gate1"].settings == {"channels": 8}


def test_the_name_of_another_block_is_refused_with_its_line() -> None:
    graph = drawing()
    taken = [str(f) for f in custom_blocks.faults_of(graph, GATE)]
    assert taken == ["Line 1 has the name of another block of this project: Gate."]
    relu = [
        str(f) for f in custom_blocks.faults_of(graph, GATE.replace("class Gate", "class ReLU"))
    ]
    assert relu == ["Line 1 has the name of an existing block: ReLU."]
    assert custom_blocks.faults_of(graph, GATE, "Gate") == ()


def test_the_example_is_a_block_under_a_free_name() -> None:
    graph = drawing()
    text = custom_blocks.example(graph)
    assert text.startswith("class Gate2(nn.Module):")
    assert custom_blocks.faults_of(graph, text.strip("\n")) == ()
    assert custom_blocks.class_name(custom_blocks.example(Graph())) == "Gate"
