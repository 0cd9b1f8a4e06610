"""Learning-rate factors of blocks, 0 for frozen ones.

A factor of a composite multiplies those of the blocks inside it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from core.graph import Composite, Graph, Node
from core.source.scope import Scope, Use

DIGITS = 12  # of a product of factors, so that 0.1 * 0.1 is written 0.01


class RatedPart(NamedTuple):
    """A layer by its path in the drawing and in the module, and the factor of its rate.

    same: whether what it stands in has the same factor.
    """

    path: str
    module: str
    factor: float
    same: bool


def marked(graph: Graph) -> bool:
    """Whether any block of a drawing is frozen or learns with another rate."""
    graphs = [graph, *(part.graph for part in graph.composites.values())]
    return any(n.frozen or n.lr_factor != 1.0 for g in graphs for n in g.nodes.values())


def factors(graph: Graph) -> tuple[float, ...]:
    """The factors a drawing names, 0 and 1 apart, in its order; what they make of the rate."""
    graphs = [graph, *(part.graph for part in graph.composites.values())]
    named = (n.lr_factor for g in graphs for n in g.nodes.values() if not n.frozen)
    return tuple(dict.fromkeys(factor for factor in named if factor != 1.0))


def parts(graph: Graph, scope: Scope) -> list[RatedPart]:
    """List every layer that owns its weights, with the factor of its learning rate."""
    return list(_Walk(graph.composites).inside(graph.nodes, scope, "", 1.0))


def rates(parts: list[RatedPart]) -> dict[str, float]:
    """Factors by path in the module, where they differ from what the layer stands in."""
    return {part.module: part.factor for part in parts if not part.same}


def factor_of(name: str, factors: Mapping[str, float]) -> float:
    """The factor of a weight by its name in the module: that of the innermost part named."""
    if not factors:
        return 1.0
    parts_ = name.split(".")
    paths = (".".join(parts_[:count]) for count in range(len(parts_), 0, -1))
    return next((factors[path] for path in paths if path in factors), 1.0)


@dataclass(frozen=True)
class _Walk:
    composites: Mapping[str, Composite]

    def inside(
        self, nodes: Mapping[str, Node], scope: Scope, prefix: str, outer: float
    ) -> Iterator[RatedPart]:
        """The layers of a scope whose module is at `prefix` and learns with the factor `outer`."""
        index, chain = 0, (scope.is_chain or scope.is_loop) and bool(scope.name)
        for use in scope.uses:
            if use.owner == use.id:
                node = nodes[use.id]
                own = 0.0 if node.frozen else float(f"{outer * node.lr_factor:.{DIGITS}g}")
                first = prefix + (str(index) if chain else use.id)
                yield from self._use(use, node, first, (outer, own), chain)
            index += len(use.settings)

    def _use(
        self, use: Use, node: Node, first: str, rate: tuple[float, float], chain: bool
    ) -> Iterator[RatedPart]:
        """A layer, its repetitions (side by side in a chain), and what is in it."""
        outer, own = rate
        count = len(use.settings)
        if not chain or count == 1:
            yield RatedPart(use.path, first, own, own == outer)
        where, _, number = first.rpartition(".")
        for turn in range(count):
            path, module = use.path, first
            if count > 1 and chain:
                path, module = f"{use.path}.{turn}", f"{where}.{int(number) + turn}".lstrip(".")
                yield RatedPart(path, module, own, own == outer)
            elif count > 1:
                path, module = f"{use.path}.{turn}", f"{first}.{turn}"
                yield RatedPart(path, module, own, True)
            if use.inner:
                nodes = self.composites[node.block].graph.nodes
                yield from self.inside(nodes, use.inner[turn], f"{module}.", own)
