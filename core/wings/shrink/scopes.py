"""The drawn graphs of a project with the modules each stands for: the main one and composites.

A composite is one drawing and as many modules as it is used, so an edit of it is made once and its
weights in all of them; a number that differs between uses becomes a setting of the composite.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from core.graph import Graph, Node
from core.graph.ports import resolve
from core.project import Project


@dataclass(frozen=True)
class GraphScope:
    """One drawn graph. name: of its composite, "" for the main graph.

    uses: node of the main graph that uses it -> the prefixes of its modules' keys; {"": [""]} for
    the main graph itself.
    """

    name: str
    graph: Graph
    uses: Mapping[str, tuple[str, ...]]

    @property
    def prefixes(self) -> tuple[str, ...]:
        """The prefixes of all its modules."""
        return tuple(prefix for each in self.uses.values() for prefix in each)

    def block(self, node: str) -> Node:
        """A node as its owner declares it."""
        return resolve(self.graph.nodes[node], self.graph.nodes)

    def shares(self, node: str) -> bool:
        """Whether other nodes have the same weights."""
        nodes = self.graph.nodes
        return bool(nodes[node].weights_of) or any(n.weights_of == node for n in nodes.values())

    def computed(self, node: str) -> str:
        """What computes a node's weight from what is learned, "" where the weight is learned."""
        return str(self.block(node).settings.get("parametrize") or "")

    def path(self, node: str) -> str:
        """A node as errors name it."""
        return f"{self.name}.{node}" if self.name else node


def scopes(project: Project) -> Iterator[GraphScope]:
    """The main graph, and each drawn composite that only the main graph uses."""
    main = project.graph
    yield GraphScope("", main, {"": ("",)})
    inside = {n.block for part in main.composites.values() for n in part.graph.nodes.values()}
    for name, part in main.composites.items():
        users = {n: node for n, node in main.nodes.items() if main_block(main, node) == name}
        shared = any(node.weights_of for node in users.values())
        if users and not part.python and name not in inside and not shared:
            graph = replace(part.graph, composites=main.composites)
            yield GraphScope(name, graph, {n: repeats(n, node) for n, node in users.items()})


def main_block(graph: Graph, node: Node) -> str:
    """The block of a node, or of the one whose weights it shares."""
    return resolve(node, graph.nodes).block


def repeats(name: str, node: Node, prefix: str = "") -> tuple[str, ...]:
    """The prefixes of the keys of a node's modules: "fc1." or "stage1.0.", "stage1.1."."""
    if node.repeat == 1:
        return (f"{prefix}{name}.",)
    return tuple(f"{prefix}{name}.{at}." for at in range(node.repeat))


def replace_graph(project: Project, scope: GraphScope, graph: Graph) -> Project:
    """The project with another graph in the place of a scope's."""
    main = project.graph
    if not scope.name:
        return replace(project, graph=replace(graph, composites=main.composites))
    part = main.composites[scope.name]
    inner = replace(graph, composites=part.graph.composites)
    parts = {**main.composites, scope.name: replace(part, graph=inner)}
    return replace(project, graph=replace(main, composites=parts))


def set_width(
    project: Project, scope: GraphScope, node: str, setting: str, widths: Mapping[str, int]
) -> Project:
    """Write a number into a node's setting. widths: by use of the scope.

    In a composite it becomes a setting, NODE_SETTING, with a value for each use.
    """
    main = project.graph
    if not scope.name:
        nodes = {**main.nodes, node: with_settings(main.nodes[node], {setting: widths[""]})}
        return replace(project, graph=replace(main, nodes=nodes))
    part, own = main.composites[scope.name], f"{node}_{setting}"
    inner = part.graph.nodes
    changed = {**inner, node: with_settings(inner[node], {setting: f"={own}"})}
    made = replace(
        part,
        settings={**part.settings, own: next(iter(widths.values()))},
        graph=replace(part.graph, nodes=changed),
    )
    users = {use: with_settings(main.nodes[use], {own: width}) for use, width in widths.items()}
    graph = replace(
        main,
        nodes={**main.nodes, **users},
        composites={**main.composites, scope.name: made},
    )
    return replace(project, graph=graph)


def with_settings(node: Node, settings: Mapping[str, object]) -> Node:
    """A node with some settings put in; None takes one out."""
    merged = {**node.settings, **settings}
    return replace(node, settings={k: v for k, v in merged.items() if v is not None})
