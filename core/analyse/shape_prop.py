"""Shape propagation (as torch.fx's ShapeProp): visit every node, sources first, for its signatures.

A use of a composite is propagated once per repetition, with its Inputs bound from outside.
An error stops only what depends on it: everything else keeps its shapes.
"""

from collections.abc import Mapping
from typing import Any

import torch

from blocks import CATALOGUE, Block, Fix, N, Problem, Signature, has
from blocks.checks.fixes import disconnect, rewire
from blocks.checks.sizes import another_size
from blocks.validate import setting_problems
from blocks.versions import newer_settings
from core.analyse import cache, fixes, remedies
from core.analyse.custom_blocks import may_run
from core.analyse.frame import Frame
from core.analyse.in_place import check_in_place
from core.analyse.layer import (
    cannot_repeat,
    reads_unused,
    say_unused,
    visit_layer,
    visit_unused_layer,
)
from core.analyse.misplaced import misplaced_settings
from core.analyse.report import NodeReport, activation_bytes
from core.analyse.settings import evaluate_settings
from core.analyse.weight_sharing import check_weight_sharing
from core.analyse.wires import (
    Wires,
    incoming_wires,
    report_empty_wires,
    report_unknown_ports,
    signatures,
)
from core.graph import Edge, Node
from core.graph.expression import ExpressionError
from core.graph.order import cycle_through, loops, order
from core.graph.ports import output_ports, resolve, write_edge
from core.graph.python import own_block
from core.source.scope import Scope, Use, Value

TORCH = str(torch.__version__)
Wired = Mapping[str, Any]


def propagate(frame: Frame) -> Scope:
    """Visit every node of a graph, sources first. Findings go into the frame."""
    ordered = order(frame.graph)
    if len(ordered) < len(frame.graph.nodes):
        _report_loops(frame, set(frame.graph.nodes) - set(ordered))
    for node in ordered:
        visit(frame, node)
    ends = [(n, frame.graph.into(n)) for n in frame.graph.of_block("Output")]
    results = tuple((n, Value(wires[0].source, wires[0].source_port)) for n, wires in ends if wires)
    inputs = tuple(
        (n, frame.values[Value(n)])
        for n in frame.graph.of_block("Input")
        if Value(n) in frame.values
    )
    own = frame.composites[frame.name].settings if frame.name else {}
    static_shapes: dict[str, Any] = {
        n: frame.graph.nodes[n].settings.get("static_shape") for n, _ in inputs
    }
    static = {} if frame.name else {n: tuple(sizes) for n, sizes in static_shapes.items() if sizes}
    return Scope(frame.name, dict(frame.env), inputs, tuple(frame.uses), results, own, static)


def _report_loops(frame: Frame, stuck: set[str]) -> None:
    """Report each cycle once; what comes after it only waits."""
    looped: set[str] = set()
    for part in loops(frame.graph):
        ids = [n for n in frame.graph.nodes if n in part]
        looped |= part
        path = cycle_through(frame.graph, ids[0])
        steps = {*zip(path, [*path[1:], path[0]], strict=True)}
        edge = next(e for e in reversed(frame.graph.edges) if (e.source, e.target) in steps)
        text = write_edge(edge, frame.graph.nodes, frame.composites)
        offer = {"title": f"Remove {text}", "edits": [{"op": "disconnect", "edge": text}]}
        loop = " -> ".join([*path, path[0]])
        frame.add(
            ids[0],
            "cycle",
            f"{frame.path(ids[0])} is part of a loop: {loop}.",
            "Remove one of these wires; data must flow from Input to Output.",
            (offer,),
        )
    for node in stuck:
        frame.set_state(node, "error" if node in looped else "waiting")


def visit(frame: Frame, name: str) -> None:
    """Analyse one node whose sources have been visited."""
    node = resolve(frame.graph.nodes[name], frame.graph.nodes)
    unused = frame.graph.is_unused(name)
    block = None if node.block in frame.composites else CATALOGUE.get(node.block)
    if block is None:
        if own := own_block(node.block, frame.composites):
            if may_run(frame, name, own):
                (_visit_unused if unused else _visit)(frame, name, node, own)
        elif node.block in frame.composites:
            (_visit_unused if unused else _visit)(frame, name, node, None)
        else:
            _unknown(frame, name, node)
        return
    if unused:
        _visit_unused(frame, name, node, block)
        return
    dependencies = cache.dependencies_of(frame, name, node)
    key = cache.cache_key(frame, name, dependencies) if dependencies is not None else None
    if key is not None and cache.replay(frame, key):
        return
    findings_before, uses = frame.findings.count, len(frame.uses)
    _visit(frame, name, node, block)
    if key is not None and dependencies is not None and frame.findings.count == findings_before:
        cache.store(frame, key, dependencies, name, uses)


def _visit(frame: Frame, name: str, node: Node, block: Block | None) -> None:
    if report_unknown_ports(frame, name) or report_empty_wires(frame, name):
        frame.set_state(name, "error")
        return
    wires, missing, ready = incoming_wires(frame, name)
    for port in missing:
        _unconnected(frame, name, port)
    chosen = _evaluated_settings(frame, name, node, block)
    if chosen is None:
        frame.set_state(name, "error")
    elif missing or not ready:
        frame.set_state(name, "waiting", settings=chosen)
    elif node.block == "Input":
        _input(frame, name, chosen)
    elif node.block == "Output":
        signature = signatures(frame, wires)["input"]
        if signature.is_size and frame.bound_inputs is None:
            frame.report(name, [_no_tensor(signature)])
            frame.set_state(name, "error", inputs={"input": signature})
            return
        frame.set_state(name, "ok", inputs={"input": signature}, outputs={"output": signature})
    elif block is None:
        visit_composite(frame, name, node, chosen, wires)
    else:
        visit_layer(frame, name, node, block, chosen, wires)


def _visit_unused(frame: Frame, name: str, node: Node, block: Block | None) -> None:
    """Analyse a node that forward does not call: it is constructed and counted, and has no
    result."""
    for edge in frame.graph.out_of(name):
        frame.report(edge.target, [reads_unused(name)], offers=(_cut(frame, edge),))
    chosen = _evaluated_settings(frame, name, node, block)
    if chosen is None:
        frame.set_state(name, "error")
    elif block is not None:
        visit_unused_layer(frame, name, node, block, chosen)
    elif problem := _no_kept_composite(frame, node):
        frame.report(name, [problem], offers=(remedies.remove_node(name),))
        _report_group(frame, frame.path(name), node, chosen, {}, {}, [], "error")
    else:
        before = len(frame.findings.errors)
        scope, _, children = _propagate_once(frame, node, chosen, {}, f"{frame.path(name)}.")
        path = frame.path(name)
        frame.uses.append(
            Use(
                name, node.block, None, (chosen,), {}, {}, name, (scope,), path, node.settings, True
            )
        )
        state = "error" if len(frame.findings.errors) > before else "ok"
        _report_group(frame, path, node, chosen, {}, {}, children, state)
        say_unused(frame, name)


def _no_kept_composite(frame: Frame, node: Node) -> Problem | None:
    """What keeps a composite from being kept for its weights: blocks in it that are called."""
    graph = frame.composites[node.block].graph
    called = [name for name in graph.nodes if not graph.is_unused(name)]
    if not called and node.repeat == 1:
        return None
    why = f"contains {called[0]}, which is used" if called else "is repeated"
    return Problem(
        "unused_composite",
        f"is not used in forward, but {node.block} {why}.",
        "Connect its inputs, or remove it. A composite kept only for its weights must contain only "
        "unused blocks, each once.",
    )


def _cut(frame: Frame, edge: Edge) -> fixes.Offer:
    text = write_edge(edge, frame.graph.nodes, frame.composites)
    return remedies.offer(f"Remove {text}", {"op": "disconnect", "edge": text})


def _no_tensor(signature: Signature) -> Problem:
    return Problem(
        "wrong_kind",
        f"needs a tensor but receives the integer {signature}.",
        "Return a tensor; integers can only be used inside the network.",
        (rewire("input"), disconnect("input")),
    )


def _unknown(frame: Frame, name: str, node: Node) -> None:
    mine = frame.graph.nodes[name]
    if mine.weights_of and not node.block:
        frame.add(
            name,
            "weights_of",
            f"{frame.path(name)} shares the weights of {mine.weights_of}, which does not exist.",
            "Set weights_of to the id of a layer in this graph, or remove the block.",
            (*remedies.other_owner(frame.full_graph(), name), remedies.remove_node(name)),
        )
        frame.set_state(name, "error")
        return
    frame.add(
        name,
        "unknown_block",
        f"{frame.path(name)} is a {node.block!r}, a block that this version does not have.",
        "Replace it with a block from the palette, or update Layerloom.",
        (
            *remedies.known_block(frame.full_graph(), name, node),
            *remedies.bypass_node(frame.full_graph(), name),
            remedies.remove_node(name),
        ),
    )
    frame.set_state(name, "error")


def _unconnected(frame: Frame, name: str, port: str) -> None:
    frame.add(
        name,
        "unconnected",
        f"{frame.path(name)} needs a wire into its port {port!r} but has none.",
        "Draw a wire from the block that should feed it.",
        fixes.connections(frame.full_graph(), name, port),
    )


def _evaluated_settings(
    frame: Frame, name: str, node: Node, block: Block | None
) -> dict[str, Any] | None:
    """The evaluated settings of a node; None if they are invalid (reported)."""
    try:
        chosen = evaluate_settings(node.settings, frame.env)
    except ExpressionError as error:
        of = remedies.owner_of(frame.graph, name)
        problem = Problem("bad_setting", f"has an expression that {error}.", "Fix the expression.")
        offers = remedies.legal_expression(block, of, node, frame.env)
        frame.report(name, [problem], offers=tuple(offers))
        return None
    if block is None:
        known = frame.composites[node.block].settings
        problems = [_not_of_composite(node.block, k) for k in chosen if k not in known]
        problems += misplaced_settings(node, known)
        chosen = {**evaluate_settings(known, {}), **chosen}
    elif node.block == "Input" and frame.bound_inputs is not None:
        problems = []  # inside a composite the use decides the shape
    else:
        problems = setting_problems(block, chosen) or newer_settings(block, chosen, TORCH)
        problems += misplaced_settings(node, {setting.name for setting in block.settings})
    frame.report(name, problems)
    return None if problems else chosen


def _not_of_composite(block: str, name: str) -> Problem:
    remove = Fix(f"Remove {name!r}", ({"op": "set", "settings": {name: None}},))
    message = f"has a setting {name!r} that {block} does not have."
    return Problem("unknown_setting", message, "Remove it.", (remove,))


def _input(frame: Frame, name: str, chosen: Mapping[str, Any]) -> None:
    if frame.bound_inputs is not None:
        signature = frame.bound_inputs[name]
    elif problem := another_size(chosen):
        frame.report(name, [problem])
        frame.set_state(name, "error", settings=chosen)
        return
    else:
        shape = (N, *chosen["shape"])
        signature = cache.interned(Signature(shape, chosen.get("dtype", "float32")))
    frame.values[Value(name)] = signature
    size = activation_bytes(signature)
    outputs = {"output": signature}
    frame.set_state(name, "ok", settings=chosen, outputs=outputs, activation_bytes=size)


def visit_composite(
    frame: Frame, name: str, node: Node, chosen: dict[str, Any], wires: Wires
) -> None:
    """Propagate through a composite for one use. An error inside stops what depends on the use."""
    start, path = signatures(frame, wires), frame.path(name)
    ports = [port.name for port in output_ports(node, frame.composites)]
    if not ports or (node.repeat > 1 and not (start and len(ports) == 1)):
        _report_unusable(frame, name, node, bool(ports))
        _report_group(frame, path, node, chosen, start, {}, [], "error")
        return
    scopes, children, outputs = _propagate_repetitions(frame, name, node, chosen, start)
    if outputs is None:
        _report_group(frame, path, node, chosen, start, {}, children, "error")
        return
    for port, signature in outputs.items():
        frame.values[Value(name, port)] = signature
    owner = frame.graph.nodes[name].weights_of or name
    settings, raw = (chosen,) * node.repeat, node.settings
    frame.uses.append(
        Use(name, node.block, None, settings, wires, outputs, owner, scopes, path, raw)
    )
    _report_group(frame, path, node, chosen, start, outputs, children, "ok", owner == name)


def _report_unusable(frame: Frame, name: str, node: Node, ends: bool) -> None:
    """Report a composite that cannot be used here. ends: whether it has an Output."""
    if ends:
        owner = remedies.owner_of(frame.graph, name)
        frame.report(name, [cannot_repeat(node.block)], offers=(remedies.set_repeat(owner),))
        return
    offers = tuple(remedies.composite_output(frame.full_graph(), name, node.block))
    frame.report(name, [_no_output(node.block)], offers=offers)


def _propagate_repetitions(
    frame: Frame, name: str, node: Node, chosen: Wired, start: Wired
) -> tuple[tuple[Scope, ...], list[str], dict[str, Signature] | None]:
    """Propagate through every repetition: scopes, paths inside, and outputs; None after an
    error."""
    path, before = frame.path(name), len(frame.findings.errors)
    ports = len(output_ports(node, frame.composites))
    scopes: list[Scope] = []
    children: list[str] = []
    inputs, outputs = start, dict[str, Signature]()
    for index in range(node.repeat):
        prefix = f"{path}." if node.repeat == 1 else f"{path}.{index}."
        scope, outputs, inside = _propagate_once(frame, node, chosen, inputs, prefix)
        scopes.append(scope)
        children += inside
        if len(frame.findings.errors) > before or len(outputs) < ports:
            return tuple(scopes), children, None
        inputs = {**inputs, **dict(zip(inputs, outputs.values(), strict=False))}
    return tuple(scopes), children, outputs


def _propagate_once(
    frame: Frame, node: Node, chosen: Wired, inputs: Wired, prefix: str
) -> tuple[Scope, dict[str, Signature], list[str]]:
    graph = frame.composites[node.block].graph
    inner = Frame(graph, frame.composites, frame.findings, inputs, chosen, prefix, node.block)
    scope = propagate(inner)
    check_weight_sharing(inner, scope)
    check_in_place(inner, scope)
    outputs = {name: inner.values[v] for name, v in scope.results if v in inner.values}
    children = [f"{prefix}{name}" for name in graph.nodes]
    if node.repeat == 1:
        return scope, outputs, children
    path = prefix.rstrip(".")
    _report_group(frame, path, node, chosen, inputs, outputs, children, "ok")
    return scope, outputs, [path]


def _report_group(
    frame: Frame,
    path: str,
    node: Node,
    settings: Wired,
    inputs: Wired,
    outputs: Mapping[str, Signature],
    children: list[str],
    state: Any,
    own: bool = True,
) -> None:
    parts = [frame.findings.nodes[c] for c in children if c in frame.findings.nodes]
    frame.findings.nodes[path] = NodeReport(
        path,
        node.block,
        state,
        settings,
        (),
        inputs,
        outputs,
        sum(p.params for p in parts) * own,
        sum(p.trainable_params for p in parts) * own,
        sum(p.mult_adds for p in parts),
        sum(p.activation_bytes for p in parts if not has(p.block, "end")),
        1 + path.count("."),
        "",
        tuple(children),
    )


def _no_output(block: str) -> Problem:
    return Problem(
        "no_output",
        f"uses the composite {block}, which has no Output.",
        f"Add an Output inside {block}.",
    )
