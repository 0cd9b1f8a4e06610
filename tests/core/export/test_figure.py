"""Figures show the drawing as it is; text from a file stays text."""

from dataclasses import replace

import pytest

from core.analyse import analyse_project
from core.common.network_ref import ProjectRef
from core.export.figure import draw, make_figure
from core.export.figure_style import FigureStyle
from core.export.result import ExportError
from core.export.run import figures
from core.graph import Node
from core.project import Project, write_text
from core.project.templates import load_template
from tests.core.drawing import chain

NET = chain(
    ("data", ("Input", {"shape": (4,)})), ("fc1", ("Linear", {"out_features": 3})),
    ("logits", "Output"),
)  # fmt: skip

renders = pytest.mark.needs("dot")


def project() -> Project:
    layout = {"data": (0.0, 0.0), "fc1": (240.0, 40.0), "logits": (480.0, 0.0)}
    return replace(load_template("mlp_iris"), graph=NET, layout=layout)


def lines(look: FigureStyle | None = None, of: Project | None = None) -> list[str]:
    found = of or project()
    return [line.strip() for line in draw(found, analyse_project(found), look).source.splitlines()]


def test_every_node_and_wire_is_drawn_with_its_shape():
    text = lines()
    assert 'fc1 [label="fc1\\nLinear\\n15 parameters" fillcolor="#E8E1FB"]' in text
    assert 'data -> fc1 [label=" (N, 4) "]' in text
    assert 'fc1 -> logits [label=" (N, 3) "]' in text


def test_places_of_the_canvas_are_kept_in_points():
    text = lines(FigureStyle(layout="canvas"))
    assert any(line.startswith("fc1 [") and 'pos="180,-30!"' in line for line in text)


def test_an_opened_composite_is_a_frame_and_a_folded_one_a_box():
    resnet = load_template("resnet_digits")
    use = next(n for n, node in resnet.graph.nodes.items() if node.block in resnet.graph.composites)
    folded, opened = lines(of=resnet), lines(FigureStyle(unfold=True), of=resnet)
    assert any(line.startswith(f"{use} [") for line in folded)
    assert not any("subgraph" in line for line in folded)
    assert f"subgraph cluster_{use} {{" in opened
    assert not any(line.startswith(f"{use} [") for line in opened)
    assert not any(f"-> {use} " in line for line in opened)


@renders
@pytest.mark.parametrize("label", ['a"]; b [image="/etc/passwd', "<b>bold</b>", "back\\slash\\N"])
def test_a_hostile_label_stays_a_label(label: str):
    nodes = {**NET.nodes, "fc1": Node("Linear", {"out_features": 3}, label=label)}
    case = replace(project(), graph=replace(NET, nodes=nodes))
    svg = make_figure(case, analyse_project(case), "svg").content.decode()
    assert "<image" not in svg
    assert "<b>" not in svg
    assert svg.count('class="node"') == 3


@renders
def test_svg_pdf_and_png_are_what_they_say():
    case = project()
    report = analyse_project(case)
    assert b"<svg" in make_figure(case, report, "svg").content
    assert make_figure(case, report, "pdf").content.startswith(b"%PDF")
    assert make_figure(case, report, "png").content.startswith(b"\x89PNG")


def test_without_graphviz_the_text_is_offered(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", "")
    case = project()
    with pytest.raises(
        ExportError, match="A figure as SVG needs Graphviz's program dot, which is not on this"
    ):
        make_figure(case, analyse_project(case), "svg")
    assert make_figure(case, analyse_project(case), "dot").content.startswith(b"digraph")


def test_opened_composites_stand_in_a_frame_where_the_canvas_has_them():
    resnet = load_template("resnet_digits")
    text = lines(FigureStyle(unfold=True, layout="canvas"), of=resnet)
    frame = text.index("subgraph cluster_stage1 {")
    assert text[frame + 1].startswith('bb="')
    assert all("pos=" in line for line in text if "parameters" in line)


@renders
def test_a_frame_of_the_canvas_is_rendered_with_its_title():
    resnet = load_template("resnet_digits")
    look = FigureStyle(unfold=True, layout="canvas")
    svg = make_figure(resnet, analyse_project(resnet), "svg", look).content.decode()
    assert svg.count('class="cluster"') == 2
    assert svg.count('class="node"') == 29


def test_data_may_flow_to_the_right():
    assert any("rankdir=LR" in line for line in lines(FigureStyle(direction="right")))
    assert any("rankdir=TB" in line for line in lines())


@renders
def test_a_page_gets_the_figure_in_all_its_formats(tmp_path):
    place = ProjectRef(write_text(load_template("resnet_digits")))
    look = {"layout": "graphviz", "unfold": True, "direction": "right"}
    made, missing = figures(place, look)
    assert missing == ""
    assert sorted(made) == ["dot", "pdf", "png", "svg"]
    assert b"subgraph cluster_stage1" in made["dot"]
    assert b"conv1" in made["svg"]


def test_a_page_without_graphviz_gets_the_text_and_why_the_rest_is_missing(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setenv("PATH", "")
    place = ProjectRef(write_text(load_template("mlp_iris")))
    made, missing = figures(place, {"layout": "graphviz"})
    assert sorted(made) == ["dot"]
    assert "needs Graphviz's program dot" in missing
