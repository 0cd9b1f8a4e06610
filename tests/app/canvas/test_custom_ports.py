"""Custom blocks between Python and the canvas: what is read off, and that nothing of it counts."""

import copy
from typing import Any

from app.canvas.custom_ports import with_ports, without_ports
from app.canvas.protocol import read_graph
from core.files.trust import forget, trust
from tests.app.canvas.test_session import Bench

LINES = [
    "class Gate(nn.Module):",
    '    """Opens as far as it should."""',
    "",
    "    def __init__(self, channels: int, scale: float = 1.0) -> None:",
    "        super().__init__()",
    "",
    "    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:",
    "        return x",
]
GRAPH: dict[str, Any] = {
    "nodes": {"image": {"block": "Input"}, "gate1": {"block": "Gate", "settings": {"channels": 4}}},
    "edges": ["image -> gate1.x"],
    "composites": {"Gate": {"python": LINES}},
}


def test_the_canvas_receives_ports_and_settings_by_name() -> None:
    part = with_ports(GRAPH)["composites"]["Gate"]
    assert part["python"] == LINES
    assert (part["nodes"], part["edges"]) == ({}, [])
    read = part["read"]
    assert read["summary"] == "Opens as far as it should."
    assert [(p["name"], p["optional"]) for p in read["inputs"]] == [("x", False), ("mask", True)]
    assert [p["name"] for p in read["outputs"]] == ["output"]
    assert [(s["name"], s["kind"], s["required"], s.get("default")) for s in read["settings"]] == [
        ("channels", "int", True, None),
        ("scale", "float", False, 1.0),
    ]


def test_the_pieces_of_a_tuple_are_ports_of_their_own() -> None:
    two = [line.replace("-> Tensor", "-> tuple[Tensor, Tensor]") for line in LINES]
    part = with_ports({**GRAPH, "composites": {"Gate": {"python": two}}})["composites"]["Gate"]
    outputs = [(port["name"], port["kind"]) for port in part["read"]["outputs"]]
    assert outputs == [("output.0", "tensor"), ("output.1", "tensor")]


def test_what_comes_back_is_the_file_s_again() -> None:
    assert without_ports(with_ports(GRAPH)) == GRAPH
    assert read_graph(with_ports(GRAPH)) == read_graph(GRAPH)


def test_ports_that_a_browser_made_up_count_for_nothing() -> None:
    forged = copy.deepcopy(with_ports(GRAPH))
    forged["composites"]["Gate"]["read"] = {"inputs": [{"name": "evil"}]}
    forged["composites"]["Gate"]["nodes"] = {"conv1": {"block": "Conv2d"}}
    assert read_graph(forged) == read_graph(GRAPH)


def with_gate() -> Bench:
    bench = Bench()
    bench.send(graph=with_ports(GRAPH))
    return bench


def test_the_drawing_is_analysed_anew_when_trust_changes(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path))
    bench = with_gate()
    bench.doc.analysed()
    before = len(bench.analysis.asked)
    bench.doc.analysed()
    assert len(bench.analysis.asked) == before
    trust("\n".join(LINES))
    bench.doc.analysed()
    assert len(bench.analysis.asked) == before + 1
    forget("\n".join(LINES))
    bench.doc.analysed()
    assert len(bench.analysis.asked) == before + 2


def test_no_message_of_the_canvas_trusts_anything(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path))
    bench = with_gate()
    for number, name in enumerate(("code", "review", "trust", "train", "save"), 2):
        action = {"id": f"a-{number}", "name": name, "args": {"block": "Gate", "trust": True}}
        bench.doc.receive(
            bench.up(graph=with_ports(GRAPH), rev=number, semRev=number, action=action)
        )
    assert list(tmp_path.iterdir()) == []
