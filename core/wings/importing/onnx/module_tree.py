"""The tree of modules of an ONNX file's nodes, in execution order."""

import networkx as nx

from core.wings.importing.onnx.reader import OnnxNode


class Tree:
    """Nodes and modules in execution order. items: node numbers and inner trees."""

    def __init__(self, path: str, kind: str, items: "list[int | Tree]") -> None:
        self.path, self.kind, self.items = path, kind, items

    def numbers(self) -> list[int]:
        """All nodes, inner ones included."""
        return [n for i in self.items for n in (i.numbers() if isinstance(i, Tree) else [i])]


def tree_of(nodes: tuple[OnnxNode, ...]) -> Tree:
    """Put nodes into their modules; a module whose nodes cannot run as one unit is left out."""
    makers = {out: i for i, node in enumerate(nodes) for out in node.outputs if out}
    scopes = {i: [s for s in node.scopes if s[0]] for i, node in enumerate(nodes)}
    wires = {
        i: {makers[v] for v in node.inputs if v in makers and makers[v] != i}
        for i, node in enumerate(nodes)
    }
    return _level("", "", list(range(len(nodes))), scopes, wires, 0)


def _level(
    path: str,
    kind: str,
    numbers: list[int],
    scopes: dict[int, list[tuple[str, str]]],
    wires: dict[int, set[int]],
    depth: int,
) -> Tree:
    while True:
        keys = {n: _key(n, scopes[n], depth) for n in numbers}
        graph = nx.DiGraph()
        graph.add_nodes_from(keys.values())
        inside = set(numbers)
        graph.add_edges_from(
            (keys[m], keys[n]) for n in numbers for m in wires[n] & inside if keys[m] != keys[n]
        )
        knots = [
            k
            for part in nx.strongly_connected_components(graph)
            if len(part) > 1
            for k in part
            if isinstance(k, str)
        ]
        if not knots:
            break
        for n in numbers:
            if keys[n] in knots:
                del scopes[n][depth]
    first: dict[int | str, int] = {}
    for n in numbers:
        first.setdefault(keys[n], n)
    items: list[int | Tree] = []
    for key in nx.lexicographical_topological_sort(graph, key=lambda k: first[k]):
        mine = [n for n in numbers if keys[n] == key]
        if isinstance(key, int):
            items.append(key)
        else:
            inner = scopes[mine[0]][depth]
            items.append(_level(inner[0], inner[1], mine, scopes, wires, depth + 1))
    return Tree(path, kind, items)


def _key(number: int, scopes: list[tuple[str, str]], depth: int) -> int | str:
    return scopes[depth][0] if len(scopes) > depth else number
