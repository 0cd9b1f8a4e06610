"""Drafts to a graph: equal drafts become one composite, with settings for what differs.

Equal neighbours in a chain become one node that repeats.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from blocks import CATALOGUE
from core.graph import Composite, Edge, Graph, Node
from core.graph.names import camel_case, check_id, fresh_id
from core.source.parameters import same
from core.source.statement import is_default
from core.wings.importing.draw.chains import incoming, is_numbered, ports, shared_inputs
from core.wings.importing.draw.composite_settings import CompositeSettings
from core.wings.importing.draw.draft import Draft, DraftNode, End

Place = tuple[str, str]
"""A node of a draft and one of its settings."""
Modules = Mapping[str, object]


def build_graph(root: Draft, class_name: str, modules: Modules) -> Graph:
    """The graph of a draft, with a composite for every kind of inner draft.

    modules: the model's modules by path, for the attribute names of their sizes.
    """
    composites: dict[str, Composite] = {}
    heights: dict[int, list[Draft]] = {}
    for draft in inner_drafts(root):
        heights.setdefault(draft.height, []).append(draft)
    names = NodeNames(class_name, inner_drafts(root))
    for _, drafts in sorted(heights.items()):
        for draft in drafts:
            fold_repeats(draft)
        for group in _groups(drafts):
            name = names.choose(group[0])
            composites[name] = _unify(group, name, composites, modules)
    fold_repeats(root)
    count_layers(root)
    used = _used(root, composites)
    graph = _graph(root, composites)
    return replace(graph, composites={n: c for n, c in composites.items() if n in used})


def inner_drafts(draft: Draft) -> Iterator[Draft]:
    """All drafts inside one, outer ones first."""
    for node in draft.nodes.values():
        if node.inner:
            yield node.inner
            yield from inner_drafts(node.inner)


def _used(root: Draft, composites: dict[str, Composite]) -> set[str]:
    result: set[str] = set()
    new = [n.name for n in root.nodes.values() if n.name]
    while new:
        name = new.pop()
        if name in composites and name not in result:
            result.add(name)
            new += [n.block for n in composites[name].graph.nodes.values()]
    return result


class NodeNames:
    """Names of composites: the model's class, with what distinguishes a variant as a suffix."""

    def __init__(self, class_name: str, drafts: Iterable[Draft]) -> None:
        self.taken = {class_name, *CATALOGUE}
        self.smallest: dict[str, Draft] = {}
        for draft in drafts:
            least = self.smallest.setdefault(draft.label, draft)
            if len(draft.nodes) < len(least.nodes):
                self.smallest[draft.label] = draft

    def choose(self, draft: Draft) -> str:
        """Name the composite of a draft."""
        label = draft.label[:37]
        extra = [
            n if d.path else camel_case(d.block.name if d.block else n)
            for n, d in draft.nodes.items()
            if n not in self.smallest[draft.label].nodes
        ]
        named = extra[:1] if not draft.is_listed else []
        candidates = [f"{label}{camel_case(name)}"[:40] for name in named]
        candidates += [label, *(f"{label}{i}" for i in range(2, 1000))]
        name = next(c for c in candidates if c not in self.taken and check_id(c) is None)
        self.taken.add(name)
        return name


def _groups(drafts: list[Draft]) -> list[list[Draft]]:
    groups: dict[Any, list[Draft]] = {}
    for draft in drafts:
        groups.setdefault((draft.label, skeleton(draft)), []).append(draft)
    return sorted(groups.values(), key=len, reverse=True)


def skeleton(draft: Draft) -> Any:
    """A comparable form of a draft without the values of its settings."""
    nodes = tuple(
        (
            name,
            node.block.name if node.block else node.name,
            node.owner,
            node.repeat,
            tuple(node.settings),
            node.frozen,
            node.unused,
        )
        for name, node in draft.nodes.items()
    )
    return nodes, tuple(draft.wires), tuple(draft.inputs), tuple(draft.outputs)


def _unify(
    group: list[Draft], name: str, composites: dict[str, Composite], modules: Modules
) -> Composite:
    """One composite for drafts of the same skeleton; each use gets its settings."""
    unified = CompositeSettings(group, [attributes(modules.get(d.path)) for d in group])
    defaults = {n: Counter(v).most_common(1)[0][0] for n, v in unified.settings.items()}
    for index, draft in enumerate(group):
        for user in draft.users:
            user.name = name
            user.settings = {n: v[index] for n, v in unified.settings.items()}
    return Composite(defaults, _graph(group[0], composites, unified.holes))


def attributes(module: object) -> dict[str, Any]:
    """A module's plain attributes by name, with lists as tuples."""
    public = {n: v for n, v in vars(module).items() if n[0] != "_"} if module else {}
    public = {n: tuple(v) if isinstance(v, list) else v for n, v in public.items()}
    return {n: v for n, v in public.items() if isinstance(v, (int, float, str, tuple))}


def fold_repeats(draft: Draft) -> None:
    """Merge equal neighbours of a numbered chain into one repeated node."""
    if is_numbered(draft):
        _join(draft)
    for name, node in draft.nodes.items():
        inner = node.inner
        if inner is None or not is_numbered(inner) or len(inner.nodes) != 1 or node.owner:
            continue
        ((key, only),) = inner.nodes.items()
        if only.repeat > 1 and (only.inner or only.block) and not _is_owner(draft, name):
            draft.nodes[name] = DraftNode(
                node.path,
                only.block,
                only.inner,
                dict(only.settings),
                "",
                only.repeat,
                only.name,
                only.rounds,
                only.frozen or node.frozen,
            )
            if only.inner:
                only.inner.users.append(draft.nodes[name])
            _rewire(draft, name, incoming(inner, key))


def count_layers(root: Draft) -> None:
    """Rename numbered layers of the whole model to conv1, conv2, ...: it is no nn.Sequential in the
    source, so that their indices say nothing."""
    taken = {*root.nodes, *root.inputs, *(name for name, _ in root.outputs)}
    new: dict[str, str] = {}
    for name, node in root.nodes.items():
        stem, _, number = name.rpartition("_")
        if stem and number.isdigit() and not node.owner and node.path.rpartition(".")[2] == number:
            new[name] = fresh_id(stem, taken | set(new.values()))
    root.nodes = {new.get(name, name): node for name, node in root.nodes.items()}
    for node in root.nodes.values():
        node.owner = new.get(node.owner, node.owner)
    root.wires = [
        ((new.get(a, a), out), (new.get(b, b), into)) for (a, out), (b, into) in root.wires
    ]
    root.outputs = [(name, (new.get(a, a), out)) for name, (a, out) in root.outputs]


def _is_owner(draft: Draft, name: str) -> bool:
    return any(node.owner == name for node in draft.nodes.values())


def _rewire(draft: Draft, name: str, its: Mapping[str, End]) -> None:
    """Wire a repeated node with the ports of what it repeats. its: the sources of those, by
    port."""
    node = draft.nodes[name]
    out = ports(node)[1]
    new = {end: port for port, (end, _) in its.items()}
    draft.wires = [
        ((name, out) if s[0] == name else s, (name, new[t[1]]) if t[0] == name else t)
        for s, t in draft.wires
    ]
    draft.outputs = [(n, (name, out) if e[0] == name else e) for n, e in draft.outputs]


def _join(draft: Draft) -> None:
    further = shared_inputs(draft)
    nodes: dict[str, DraftNode] = {}
    last = ""
    for name, node in draft.nodes.items():
        if last and _alike(nodes[last], node):
            first = nodes[last]
            first.rounds = [*(first.rounds or [replace(first)]), node]
            first.repeat += 1
        else:
            last, nodes[name] = name, node
    draft.nodes = nodes
    draft.wires, source = [], (draft.inputs[0], "output")
    for name, node in nodes.items():
        draft.wires.append((source, (name, ports(node)[0])))
        draft.wires += [(end, (name, port)) for port, end in further.items()]
        source = (name, ports(node)[1])
    draft.outputs = [(draft.outputs[0][0], source)]


def _alike(a: DraftNode, b: DraftNode) -> bool:
    called = (a.block, a.name, a.frozen) == (b.block, b.name, b.frozen) and list(
        a.settings
    ) == list(b.settings)
    return called and all(same(v, b.settings[k]) for k, v in a.settings.items())


def _graph(
    draft: Draft, composites: dict[str, Composite], holes: dict[Place, Any] | None = None
) -> Graph:
    nodes = {name: Node("Input") for name in draft.inputs}
    for name, node in draft.nodes.items():
        nodes[name] = _node(name, node, holes or {}, composites)
    nodes |= {name: Node("Output") for name, _ in draft.outputs}
    ends = [(end, (name, "input")) for name, end in draft.outputs]
    edges = tuple(Edge(*source, *target) for source, target in [*draft.wires, *ends])
    return Graph(nodes, edges)


def _node(
    name: str, node: DraftNode, holes: dict[Place, Any], composites: dict[str, Composite]
) -> Node:
    if node.owner:
        return Node("", weights_of=node.owner)
    settings: dict[str, Any] = {}
    for key, value in node.settings.items():
        setting = node.block.setting(key) if node.block else None
        if (name, key) in holes:
            settings[key] = holes[name, key]
        elif setting is None:
            settings |= {} if same(composites[node.name].settings[key], value) else {key: value}
        elif not is_default(setting, value):
            settings[key] = value
    block = node.block.name if node.block else node.name
    return Node(block, settings, repeat=node.repeat, frozen=node.frozen, unused=node.unused)
