"""Where the nodes of an imported graph stand: in columns by their distance from the inputs."""

import networkx as nx

from core.graph import Graph
from core.graph.order import as_digraph

STEP_X, STEP_Y = 240, 120
"""Pixels from column to column and from row to row."""
ROW = 8
"""Columns until the drawing goes on below."""


def arrange(graph: Graph) -> dict[str, tuple[float, float]]:
    """Place every node: column by column from left to right, wrapped like text."""
    layers = list(nx.topological_generations(as_digraph(graph)))
    rows = [layers[i : i + ROW] for i in range(0, len(layers), ROW)]
    places: dict[str, tuple[float, float]] = {}
    rank = {name: i for i, name in enumerate(graph.nodes)}
    top = 0
    for row in rows:
        for column, layer in enumerate(row):
            for line, name in enumerate(sorted(layer, key=lambda n: rank[n])):
                places[name] = (column * STEP_X, (top + line) * STEP_Y)
        top += max(len(layer) for layer in row) + 1
    return {name: places[name] for name in graph.nodes}
