"""Facts of a drawn network for training settings: depth, families of blocks. No torch."""

from collections.abc import Iterator
from dataclasses import dataclass

from blocks import CATALOGUE, declaration, has
from core.graph import Graph, Node
from core.graph.ending import ending

DEEPEST = 8  # nesting depth of composites that counts; deeper ones do not change the settings


@dataclass(frozen=True)
class Network:
    """layers: blocks with weights, repetitions counted. blocks: what is drawn, "Linear", composites
    looked into. saturating: sigmoids between layers, other than those of gates, which multiply.
    ends: the block that makes the output, past what changes no values. last: its id."""

    layers: int = 0
    families: frozenset[str] = frozenset()
    blocks: frozenset[str] = frozenset()
    saturating: bool = False
    skips: bool = False
    ends: str = ""
    last: str = ""

    @property
    def plain_and_deep(self) -> bool:
        """Whether gradients pass many layers that nothing normalises or goes around."""
        return self.layers > 4 and "normalisation" not in self.families and not self.skips

    def of_family(self, family: str) -> tuple[str, ...]:
        """Its blocks of a family, by name."""
        return tuple(sorted(block for block in self.blocks if _family(block) == family))


def facts_of(graph: Graph) -> Network:
    """Collect the facts of a drawing, composites included; it may be unfinished."""
    nodes = list(_nodes(graph, DEEPEST))
    last = ending(graph)
    ends = graph.nodes[last].block if last else ""
    gated = any(has(node.block, "multiplies") for node, _ in nodes)
    sigmoids = sum(has(node.block, "sigmoid") for node, _ in nodes) - has(ends, "sigmoid")
    return Network(
        layers=sum(_layers(node) * times for node, times in nodes),
        families=frozenset(_family(node.block) for node, _ in nodes),
        blocks=frozenset(node.block for node, _ in nodes),
        saturating=sigmoids > 0 and not gated,
        skips=any(has(node.block, "adds") for node, _ in nodes),
        ends=ends,
        last=last,
    )


def _nodes(graph: Graph, deepest: int) -> Iterator[tuple[Node, int]]:
    """Every block with how often it follows itself, those inside composites in its place."""
    for node in graph.nodes.values():
        inner = graph.composites.get(node.block)
        if inner is None:
            yield node, node.repeat
        elif deepest:
            known = Graph(inner.graph.nodes, inner.graph.edges, graph.composites)
            for part, times in _nodes(known, deepest - 1):
                yield part, times * node.repeat


def _family(block: str) -> str:
    return CATALOGUE[block].family if block in CATALOGUE else ""


def _layers(node: Node) -> int:
    layers = node.settings.get("num_layers", 1)
    many = layers if isinstance(layers, int) and layers > 0 else 1
    return many * declaration(node.block).depth if has(node.block, "weighted") else 0
