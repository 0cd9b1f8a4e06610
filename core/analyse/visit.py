"""One node at a time: an Input, an Output, a composite, or a block whose statements are run."""

from collections.abc import Mapping
from math import prod
from typing import Any

import torch

from blocks import CATALOGUE, Block, Fix, N, Problem, Signature
from blocks.checks import block_problems, block_warnings
from blocks.checks.fixes import disconnect, rewire
from blocks.validate import setting_problems
from blocks.versions import newer_settings
from core.analyse import fixes, memory, remedies
from core.analyse.composite import cannot_repeat, visit_composite
from core.analyse.probe import Outcome, probe
from core.analyse.report import NodeReport, size
from core.analyse.settings import complete, given
from core.analyse.walk import Frame, Wires, empty_wires, gather, signatures, strange_ports
from core.graph import Node
from core.graph.expression import ExpressionError
from core.graph.ports import resolve
from core.source.scope import Use, Value
from core.source.statement import construct

TORCH = str(torch.__version__)
BYTES = {"float32": 4, "float64": 8, "int64": 8, "int32": 4, "bool": 1, "float16": 2, "bfloat16": 2}


def visit(frame: Frame, name: str) -> None:
    """Analyse one node whose sources have been visited."""
    node = resolve(frame.graph.nodes[name], frame.graph.nodes)
    block = None if node.block in frame.composites else CATALOGUE.get(node.block)
    if block is None:
        if node.block in frame.composites:
            _visit(frame, name, node, None)
        else:
            _unknown(frame, name, node)
        return
    what = memory.about(frame, name, node)
    key = memory.key_of(frame, name, what) if what is not None else None
    if key is not None and memory.say_again(frame, key):
        return
    told, uses = frame.found.count, len(frame.uses)
    _visit(frame, name, node, block)
    if key is not None and what is not None and frame.found.count == told:
        memory.remember(frame, key, what, name, uses)


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
        _block(frame, name, node, block, chosen, wires)


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
        problem = Problem("bad_setting", f"has a setting that {error}.", "Correct the expression.")
        offers = remedies.legal_expression(block, name, node, frame.env)
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
    else:
        shape = (N, *chosen["shape"])
        signature = memory.one_object(Signature(shape, chosen.get("dtype", "float32")))
    frame.values[Value(name)] = signature
    frame.mark(name, "ok", settings=chosen, outputs={"output": signature}, **_bytes(signature))


def _bytes(signature: Signature) -> dict[str, int]:
    return {"activation_bytes": activation_bytes(signature)}


def activation_bytes(signature: Signature) -> int:
    """Bytes of one sample's tensor; 0 if its size depends on the data."""
    if None in signature.shape or signature.is_size:
        return 0
    return prod(size(signature)) * BYTES.get(signature.dtype, 4)


def _block(
    frame: Frame, name: str, node: Node, block: Block, chosen: dict[str, Any], wires: Wires
) -> None:
    inputs = first = signatures(frame, wires)
    rounds: list[tuple[dict[str, Any], Outcome]] = []
    if node.repeat > 1 and not (block.init and len(inputs) == len(block.outputs) == 1):
        frame.report(name, [cannot_repeat(block.name)], offers=(remedies.once(name),))
        frame.mark(name, "error", settings=chosen)
        return
    for _ in range(node.repeat):
        settings, inferred, problems = complete(block, chosen, inputs)
        problems = block_problems(block, settings, inputs) or problems
        outcome = Outcome() if problems else probe(block, settings, inputs)
        if outcome.error:
            problems = [_torch_says(block, outcome.error, inputs)]
        if problems:
            frame.report(name, problems, details=outcome.error)
            frame.mark(name, "error", settings=settings, inputs=first, inferred=inferred)
            return
        rounds.append((settings, outcome))
        if node.repeat > 1:
            inputs = {block.inputs[0].name: next(iter(dict(outcome.outputs).values()))}
    frame.warn(name, block_warnings(block, rounds[0][0], first))
    _finish(frame, name, node, block, first, rounds, wires)


def _torch_says(block: Block, error: str, inputs: Mapping[str, Any]) -> Problem:
    said = error if len(error) <= 300 else error[:297] + "..."
    came = ", ".join(f"{port} {_show(wire)}" for port, wire in inputs.items())
    return Problem(
        "torch",
        f"is a {block.name} that torch cannot run here: {said}",
        f"Look at its settings and at what it receives: {came}.",
    )


def _show(wire: Any) -> str:
    return str(wire) if isinstance(wire, Signature) else " and ".join(str(w) for w in wire)


def _finish(
    frame: Frame, name: str, node: Node, block: Block, inputs: dict[str, Any],
    rounds: list[tuple[dict[str, Any], Outcome]], wires: Wires,
) -> None:  # fmt: skip
    outputs = {port: memory.one_object(s) for port, s in rounds[-1][1].outputs}
    for port, signature in outputs.items():
        frame.values[Value(name, port)] = signature
    owner = frame.graph.nodes[name].weights_of or name
    settings = tuple(s for s, _ in rounds)
    frame.uses.append(
        Use(
            name,
            block.name,
            block,
            settings,
            wires,
            outputs,
            owner,
            path=frame.path(name),
            raw=node.settings,
        )
    )
    own = owner == name
    children = _repeats(frame, name, block, rounds) if node.repeat > 1 and block.init else ()
    frame.mark(
        name, "ok", settings=settings[0],
        inferred=tuple(s.name for s in block.settings
                       if s.infer and s.name not in node.settings and s.name in settings[0]),
        inputs=inputs, outputs=outputs, children=children,
        params=sum(o.costs.params for _, o in rounds) * own,
        trainable_params=sum(o.costs.trainable_params for _, o in rounds) * own,
        mult_adds=sum(o.costs.mult_adds for _, o in rounds),
        activation_bytes=sum(activation_bytes(s) for s in outputs.values()),
        init=construct(block, settings[0]) if block.init and own else "",
    )  # fmt: skip


def _repeats(
    frame: Frame, name: str, block: Block, rounds: list[tuple[dict[str, Any], Outcome]]
) -> tuple[str, ...]:
    paths: list[str] = []
    for index, (settings, outcome) in enumerate(rounds):
        path = f"{frame.path(name)}.{index}"
        outputs = dict(outcome.outputs)
        frame.found.nodes[path] = NodeReport(
            path, block.name, "ok", settings, (), {}, outputs, outcome.costs.params,
            outcome.costs.trainable_params, outcome.costs.mult_adds,
            sum(activation_bytes(s) for s in outputs.values()),
            1 + path.count("."), construct(block, settings),
        )  # fmt: skip
        paths.append(path)
    return tuple(paths)
