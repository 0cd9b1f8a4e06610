"""One node at a time: its wires and settings first, then what kind of node it is."""

from collections.abc import Mapping
from typing import Any

import torch

from blocks import CATALOGUE, Block, Fix, N, Problem, Signature
from blocks.checks.fixes import disconnect, rewire
from blocks.checks.static import another_size
from blocks.validate import setting_problems
from blocks.versions import newer_settings
from core.analyse import cache, fixes, remedies
from core.analyse.composite import visit_composite
from core.analyse.layer import visit_layer
from core.analyse.own import may_run
from core.analyse.report import activation_bytes
from core.analyse.settings import given
from core.analyse.walk import Frame, empty_wires, gather, signatures, strange_ports
from core.graph import Node
from core.graph.expression import ExpressionError
from core.graph.ports import resolve
from core.graph.python import own_block
from core.source.scope import Value

TORCH = str(torch.__version__)


def visit(frame: Frame, name: str) -> None:
    """Analyse one node whose sources have been visited."""
    node = resolve(frame.graph.nodes[name], frame.graph.nodes)
    block = None if node.block in frame.composites else CATALOGUE.get(node.block)
    if block is None:
        if own := own_block(node.block, frame.composites):
            if may_run(frame, name, own):
                _visit(frame, name, node, own)
        elif node.block in frame.composites:
            _visit(frame, name, node, None)
        else:
            _unknown(frame, name, node)
        return
    what = cache.about(frame, name, node)
    key = cache.key_of(frame, name, what) if what is not None else None
    if key is not None and cache.say_again(frame, key):
        return
    told, uses = frame.found.count, len(frame.uses)
    _visit(frame, name, node, block)
    if key is not None and what is not None and frame.found.count == told:
        cache.remember(frame, key, what, name, uses)


def _visit(frame: Frame, name: str, node: Node, block: Block | None) -> None:
    if strange_ports(frame, name) or empty_wires(frame, name):
        frame.mark(name, "error")
        return
    wires, missing, ready = gather(frame, name)
    for port in missing:
        _unconnected(frame, name, port)
    chosen = _settings(frame, name, node, block)
    if chosen is None:
        frame.mark(name, "error")
    elif missing or not ready:
        frame.mark(name, "waiting", settings=chosen)
    elif node.block == "Input":
        _input(frame, name, chosen)
    elif node.block == "Output":
        signature = signatures(frame, wires)["input"]
        if signature.is_size and frame.bound is None:
            frame.report(name, [_no_tensor(signature)])
            frame.mark(name, "error", inputs={"input": signature})
            return
        frame.mark(name, "ok", inputs={"input": signature}, outputs={"output": signature})
    elif block is None:
        visit_composite(frame, name, node, chosen, wires)
    else:
        visit_layer(frame, name, node, block, chosen, wires)


def _no_tensor(signature: Signature) -> Problem:
    return Problem(
        "wrong_kind",
        f"needs a tensor but receives the integer {signature}.",
        "Return a tensor; integers stay inside the network.",
        (rewire("input"), disconnect("input")),
    )


def _unknown(frame: Frame, name: str, node: Node) -> None:
    mine = frame.graph.nodes[name]
    if mine.weights_of and not node.block:
        frame.add(
            name,
            "weights_of",
            f"{frame.path(name)} shares the weights of {mine.weights_of}, which is not there.",
            "Set weights_of to the id of a layer of this graph, or remove the node.",
            (*remedies.other_owner(frame.drawn(), name), remedies.removed(name)),
        )
        frame.mark(name, "error")
        return
    frame.add(
        name,
        "unknown_block",
        f"{frame.path(name)} is a {node.block!r}, which this version does not know.",
        "Replace it by a block from the palette, or open the project with a newer version.",
        (
            *remedies.known_block(frame.drawn(), name, node),
            *remedies.taken_out(frame.drawn(), name),
            remedies.removed(name),
        ),
    )
    frame.mark(name, "error")


def _unconnected(frame: Frame, name: str, port: str) -> None:
    frame.add(
        name,
        "unconnected",
        f"{frame.path(name)} needs a wire into its port {port!r} but has none.",
        "Draw a wire from the block whose result it should work on.",
        fixes.connections(frame.drawn(), name, port),
    )


def _settings(frame: Frame, name: str, node: Node, block: Block | None) -> dict[str, Any] | None:
    """Work out the given settings; None if there is something wrong with them (reported)."""
    try:
        chosen = given(node.settings, frame.env)
    except ExpressionError as error:
        of = remedies.owner_of(frame.graph, name)
        problem = Problem("bad_setting", f"has a setting that {error}.", "Correct the expression.")
        offers = remedies.legal_expression(block, of, node, frame.env)
        frame.report(name, [problem], offers=tuple(offers))
        return None
    if block is None:
        known = frame.composites[node.block].settings
        problems = [_not_of_composite(node.block, k) for k in chosen if k not in known]
        chosen = {**given(known, {}), **chosen}
    elif node.block == "Input" and frame.bound is not None:
        problems = []  # inside a composite the use decides the shape
    else:
        problems = setting_problems(block, chosen) or newer_settings(block, chosen, TORCH)
    frame.report(name, problems)
    return None if problems else chosen


def _not_of_composite(block: str, name: str) -> Problem:
    remove = Fix(f"Remove {name!r}", ({"op": "set", "settings": {name: None}},))
    said = f"has a setting {name!r} that {block} does not know."
    return Problem("unknown_setting", said, "Remove it.", (remove,))


def _input(frame: Frame, name: str, chosen: Mapping[str, Any]) -> None:
    if frame.bound is not None:
        signature = frame.bound[name]
    elif problem := another_size(chosen):
        frame.report(name, [problem])
        frame.mark(name, "error", settings=chosen)
        return
    else:
        shape = (N, *chosen["shape"])
        signature = cache.one_object(Signature(shape, chosen.get("dtype", "float32")))
    frame.values[Value(name)] = signature
    size = activation_bytes(signature)
    outputs = {"output": signature}
    frame.mark(name, "ok", settings=chosen, outputs=outputs, activation_bytes=size)
