"""Fixes that need the whole graph: unknown blocks, weight sharing, repetition, size."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from blocks import CATALOGUE, Block, Setting
from blocks.validate import sensible, show_value
from core.graph import Edge, Graph, GraphError, Node
from core.graph.edits import apply
from core.graph.expression import ExpressionError, evaluate
from core.graph.names import default_base, fresh_id
from core.graph.ports import input_ports, output_ports, resolve, write_edge

Offer = Mapping[str, Any]
Edit = dict[str, Any]


def offer(title: str, *edits: Edit) -> Offer:
    """Make an offer: its title on the button, and the edits that are one undo step."""
    return {"title": title, "edits": list(edits)}


def block_of(graph: Graph, name: str) -> str:
    """The block of a node, also of one that shares weights."""
    return resolve(graph.nodes[name], graph.nodes).block


def owner_of(graph: Graph, name: str) -> str:
    """The node whose settings, and weights, a node has: itself unless it shares another's."""
    seen = {name}
    while (of := graph.nodes[name].weights_of) in graph.nodes and of not in seen:
        seen.add(of)
        name = of
    return name


def remove_node(node: str) -> Offer:
    """Offer to take a node away, and its wires with it."""
    return offer(f"Remove {node}", {"op": "remove", "node": node})


def bypass_node(graph: Graph, node: str) -> tuple[Offer, ...]:
    """Offer to take a node out of its path: what fed it feeds what it fed."""
    into, out = graph.into(node), graph.out_of(node)
    if not into or not out:
        return ()
    first = into[0]
    joined = [Edge(first.source, first.source_port, e.target, e.target_port) for e in out]
    edits: list[Edit] = [{"op": "remove", "node": node}]
    for edge in joined:
        text = write_edge(edge, graph.nodes, graph.composites)
        edits.append({"op": "connect", "edge": text})
    made = offer(f"Remove {node} and join its wires", *edits)
    return (made,) if is_applicable(graph, made) else ()


def is_applicable(graph: Graph, fix: Offer) -> bool:
    """Whether the edits of an offer can be carried out."""
    try:
        apply(graph, fix["edits"])
    except (GraphError, KeyError, ValueError):
        return False
    return True


def known_block(graph: Graph, name: str, node: Node) -> Iterator[Offer]:
    """Suggest the block that an unknown name probably means, with those settings that it has."""
    names = {known.lower(): known for known in (*CATALOGUE, *graph.composites)}
    near = get_close_matches(node.block.lower(), names, n=2, cutoff=0.75)
    for block in (names[word] for word in near):
        declared = CATALOGUE.get(block)
        kept = {
            k: v
            for k, v in node.settings.items()
            if declared is None or declared.setting(k) is not None
        }
        start = {k: v for k, v in (declared.start if declared else {}).items() if k not in kept}
        edit = {
            "op": "replace",
            "node": name,
            "block": block,
            "settings": _plain({**start, **kept}),
        }
        yield offer(f"Make {name} a {block}", edit)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, tuple) else value


def other_owner(graph: Graph, name: str) -> Iterator[Offer]:
    """Offer layers of this graph whose weights a node could share; the nearest in name first."""
    wanted = graph.nodes[name].weights_of
    owners = [
        n
        for n, node in graph.nodes.items()
        if n != name
        and not node.weights_of
        and node.block in CATALOGUE
        and CATALOGUE[node.block].init
    ]
    near = get_close_matches(wanted, owners, n=2, cutoff=0.0)
    for owner in near:
        edit = {"op": "share", "node": name, "with": owner}
        made = offer(f"Share the weights of {owner}", edit)
        if is_applicable(graph, made):
            yield made


def own_weights(graph: Graph, name: str) -> Offer:
    """Offer to stop sharing: the same block and settings, with weights of its own."""
    node = resolve(graph.nodes[name], graph.nodes)
    edit = {"op": "replace", "node": name, "block": node.block, "settings": _plain(node.settings)}
    return offer(f"Give {name} its own weights", edit)


def set_repeat(name: str, times: int = 1) -> Offer:
    """Offer another number of repetitions."""
    return offer(f"Set repeat of {name} to {times}", {"op": "repeat", "node": name, "times": times})


def legal_expression(
    block: Block | None, name: str, node: Node, env: Mapping[str, Any]
) -> Iterator[Offer]:
    """Offer, for expressions that cannot be worked out: the nearest name, or a plain value."""
    for key, value in node.settings.items():
        if not isinstance(value, str) or not value.startswith("=") or _has_value(value, env):
            continue
        for near in get_close_matches(value[1:], list(env), n=1, cutoff=0.5):
            yield _set(name, key, f"={near}")
        setting = block.setting(key) if block else None
        if setting is not None:
            yield _set(name, key, None if setting.infer else _legal_value(setting))


def _legal_value(setting: Setting) -> Any:
    return _plain(sensible(setting))


def _has_value(value: str, env: Mapping[str, Any]) -> bool:
    try:
        evaluate(value, env)
    except ExpressionError:
        return False
    return True


def _set(node: str, key: str, value: Any) -> Offer:
    title = f"Remove {key} of {node}" if value is None else f"Set {key} to {show_value(value)}"
    return offer(title, {"op": "set", "node": node, "settings": {key: value}})


def smaller(graph: Graph, name: str, times: float) -> Iterator[Offer]:
    """Offer to make a node's largest number smaller, or to repeat it less. times: how much.

    In a composite it is the largest number of the nodes inside.
    """
    node = resolve(graph.nodes[name], graph.nodes)
    if node.block in graph.composites:
        inner = graph.composites[node.block].graph
        part = Graph(inner.nodes, inner.edges, graph.composites)
        inside = [o for n in part.nodes for o in smaller(part, n, times)]
        for made in inside[:2]:
            edits = [{"composite": node.block, **edit} for edit in made["edits"]]
            yield {"title": f"{made['title']} in {node.block}", "edits": edits}
    owner = owner_of(graph, name)
    numbers = {k: v for k, v in node.settings.items() if type(v) is int and v > times}
    if numbers:
        key = max(numbers, key=lambda k: numbers[k])
        fitting = 1 << max(int(numbers[key] / times).bit_length() - 1, 0)
        yield _set(owner, key, fitting)
    if node.repeat > 1:
        yield set_repeat(name, max(int(node.repeat / times), 1))


def composite_output(graph: Graph, use: str, block: str) -> Iterator[Offer]:
    """Offer an Output inside a composite, wired to what leads nowhere in it, and the use to it."""
    part = graph.composites[block].graph
    name = fresh_id(default_base("Output"), set(part.nodes))
    loose = [
        n
        for n in part.nodes
        if not part.out_of(n) and output_ports(resolve(part.nodes[n], part.nodes), graph.composites)
    ]
    if not loose:
        return
    inside = {"composite": block}
    waiting = [
        n
        for n in graph.nodes
        if not graph.into(n) and input_ports(resolve(graph.nodes[n], graph.nodes), graph.composites)
    ]
    wire = {"op": "connect", "edge": f"{use} -> {waiting[0]}"} if waiting else None
    yield offer(
        f"Add an Output inside {block}, behind {loose[-1]}",
        {"op": "add", "id": name, "block": "Output", "settings": {}, **inside},
        {"op": "connect", "edge": f"{loose[-1]} -> {name}", **inside},
        *((wire,) if wire and not graph.out_of(use) else ()),
    )
