"""How alike drawings are: their blocks, settings and wires, whatever they are called or stand.

Each node has a label of its block and settings, then labels of what leads into it, one and two
wires back (Weisfeiler and Lehman). Similarity is the share of the labels that two drawings have in
common, without those of the drawing that all began with. A person judges; nothing is concluded.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from core.graph import Graph

ROUNDS = 2
LEAST = 0.8
"""Pairs that are less alike are not listed."""
MOST_PAIRS = 50
Labels = Counter[str]


@dataclass(frozen=True)
class AlikePair:
    """Two hand-ins, by their place in the list. similarity: from 0 to 1."""

    first: int
    second: int
    similarity: float


def labels_of(graph: Graph) -> Labels:
    """The labels of a drawing and of its composites, each with how often it is there."""
    return _labels(graph, graph, frozenset())


def _labels(graph: Graph, whole: Graph, above: frozenset[str]) -> Labels:
    now = {name: _digest([*_own(node, whole, above)]) for name, node in graph.nodes.items()}
    found = Counter(now.values())
    for _ in range(ROUNDS):
        into: dict[str, list[list[str]]] = {name: [] for name in now}
        for edge in graph.edges:
            if edge.source in now and edge.target in now:
                into[edge.target].append([edge.target_port, edge.source_port, now[edge.source]])
        now = {name: _digest([now[name], *sorted(into[name])]) for name in now}
        found.update(now.values())
    return found


def _own(node: Any, whole: Graph, above: frozenset[str]) -> list[Any]:
    """What a node is: its block, or what its composite is made of, and its settings."""
    part = whole.composites.get(node.block)
    if part is None or node.block in above:
        made: Any = node.block
    elif part.python:
        made = part.python
    else:
        made = sorted(_labels(part.graph, whole, above | {node.block}).items())
    return [made, sorted(node.settings.items()), node.repeat, bool(node.weights_of)]


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def similarity(one: Mapping[str, int], other: Mapping[str, int], start: Mapping[str, int]) -> float:
    """The share of labels in common beyond the start; 0 where neither drawing changed it."""
    begun = Counter(start)
    first, second = Counter(one) - begun, Counter(other) - begun
    union = (first | second).total()
    return (first & second).total() / union if union else 0.0


def alike(drawings: Sequence[Mapping[str, int]], start: Mapping[str, int]) -> list[AlikePair]:
    """The pairs that are most alike, most alike first. A drawing without labels has none."""
    found = [
        AlikePair(i, j, round(similarity(drawings[i], drawings[j], start), 3))
        for i, j in combinations(range(len(drawings)), 2)
        if drawings[i] and drawings[j]
    ]
    near = [pair for pair in found if pair.similarity >= LEAST]
    return sorted(near, key=lambda p: (-p.similarity, p.first, p.second))[:MOST_PAIRS]
