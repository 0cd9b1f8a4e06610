"""One version of a project as a drawing: all blocks of its main graph, and inside composites."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.common import fonts
from core.common.escaping import xml
from core.common.fonts.lettering import FACE
from core.graph import Graph
from core.graph.ports import resolve
from core.project import Project
from core.project.base_names import scopes
from core.project.title import title
from core.wings.team.cards import CardWire, DiffCard, Section, about_node
from core.wings.team.drawing import DiffDrawing, draw
from core.wings.team.ink import Ground, rules
from core.wings.team.report_pieces import ReportPlot
from core.wings.team.side_by_side import shapes_of

PAGE, APART = 960, 32
NARROW = 560
"""Pixels: a drawing that leaves room for tables at its side."""
TITLES = {"light": "#1E1F2B", "dark": "#ECEDF5"}


def whole(project: Project, report: Mapping[str, Any], ground: Ground = "auto") -> ReportPlot:
    """The drawing, with its typeface in it. report: as `report_json` gives it."""
    used = {node.block for graph in scopes(project).values() for node in graph.nodes.values()}
    every = [
        _section(scope, graph, shapes_of(report))
        for scope, graph in scopes(project).items()
        if not scope or scope in used
    ]
    elements, room = _in_rows([draw([section]) for section in every if section.cards])
    wide, tall = (round(side + 4) for side in room)
    words = f"The drawing of {title(project)}"
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 -2 {wide} {tall}" width="{wide}" '
        f'height="{tall}" role="img" aria-label="{xml(words)}" '
        f'font-family="{fonts.SANS}, system-ui, sans-serif">'
        f"<style>{fonts.embedded(FACE)}{rules(ground)}{_titles(ground)}</style>"
        f"{''.join(elements)}</svg>\n"
    )
    return ReportPlot(svg, words, side=wide <= NARROW)


def _in_rows(drawings: Sequence[DiffDrawing]) -> tuple[list[str], tuple[float, float]]:
    """Drawings beside each other, in rows that a page has room for; and the room they take."""
    elements: list[str] = []
    x = y = wide = below = 0.0
    for each in drawings:
        if x and x + each.width > PAGE:
            x, y = 0.0, below + APART
        elements.append(f'<g transform="translate({x:.1f} {y:.1f})">{"".join(each.elements)}</g>')
        wide, below = max(wide, x + each.width), max(below, y + each.height)
        x += each.width + APART
    return elements, (wide, below)


def _titles(ground: Ground) -> str:
    """Names of blocks in the colour of text: here no block is what did not change."""
    rule = "text[font-weight='600']{{fill:{}}}"
    if ground != "auto":
        return rule.format(TITLES[ground])
    dark = rule.format(TITLES["dark"])
    return f"{rule.format(TITLES['light'])}@media(prefers-color-scheme:dark){{{dark}}}"


def _section(scope: str, graph: Graph, shapes: Mapping[str, str]) -> Section:
    cards = tuple(
        DiffCard(name, "same", name, _line(graph, name, "" if scope else shapes.get(name, "")))
        for name in graph.nodes
    )
    return Section(scope, cards, tuple(_wires(graph)))


def _line(graph: Graph, name: str, shape: str) -> str:
    """Its kind, its shape, and its label, which may be cut."""
    node = resolve(graph.nodes[name], graph.nodes)
    kind, _, label = about_node(node).partition(" · ")
    return " · ".join(part for part in (kind, shape, label) if part)


def _wires(graph: Graph) -> Iterator[CardWire]:
    for edge in graph.edges:
        if edge.source in graph.nodes and edge.target in graph.nodes:
            several = len({each.target_port for each in graph.into(edge.target)}) > 1
            yield CardWire(edge.source, edge.target, "same", edge.target_port if several else "")
