"""Analyse a layer or operation: run its statements once per repetition, and report the results."""

from collections.abc import Mapping
from typing import Any

from torch import nn

from blocks import Block, Problem, Signature
from blocks.checks import block_problems, block_warnings
from blocks.checks.fixes import insert
from blocks.checks.ports import wires as port_signatures
from core.analyse import cache, remedies
from core.analyse.calls import constructed_on_meta
from core.analyse.costs import Costs
from core.analyse.custom_blocks import custom_error, received, shortened, wrong_results
from core.analyse.custom_class import CustomClassError
from core.analyse.frame import Frame
from core.analyse.matching_widths import matching_widths
from core.analyse.parametrized import weight_problem, weight_warnings
from core.analyse.probe import Outcome, constructed_costs, probe
from core.analyse.report import NodeReport, activation_bytes
from core.analyse.settings import complete_settings
from core.analyse.wires import Wires, signatures
from core.common.article import an
from core.graph import Node
from core.source.scope import Use, Value
from core.source.statement import construct

Repetition = tuple[dict[str, Any], Outcome]
"""All settings of one repetition, and what its statements gave."""


def visit_layer(
    frame: Frame, name: str, node: Node, block: Block, chosen: dict[str, Any], wires: Wires
) -> None:
    """Analyse a node of a block whose settings and wires are valid in themselves."""
    inputs = first = signatures(frame, wires)
    rounds: list[Repetition] = []
    if node.repeat > 1 and not _can_follow(block, inputs):
        owner = remedies.owner_of(frame.graph, name)
        frame.report(name, [cannot_repeat(block.name)], offers=(remedies.set_repeat(owner),))
        frame.set_state(name, "error", settings=chosen)
        return
    for _ in range(node.repeat):
        settings, inferred, problems = complete_settings(block, chosen, inputs)
        problems = block_problems(block, settings, inputs) or problems
        problems = problems or dtype_mismatch(block, settings, inputs)
        outcome = Outcome() if problems else probe(block, settings, inputs)
        if outcome.error:
            describe_error = custom_error if block.code else _torch_error
            problems = [weight_problem(block, settings) or describe_error(block, outcome, inputs)]
        elif block.code and not problems:
            problems = wrong_results(block, outcome)
        if problems:
            widths = any(problem.code == "unequal_shapes" for problem in problems)
            offers = matching_widths(frame.full_graph(), name, inputs) if widths else ()
            frame.report(name, problems, details=outcome.error, offers=offers)
            frame.set_state(name, "error", settings=settings, inputs=first, inferred=inferred)
            return
        rounds.append((settings, outcome))
        if node.repeat > 1:
            inputs = {**inputs, next(iter(inputs)): next(iter(dict(outcome.outputs).values()))}
    frame.warn(name, block_warnings(block, rounds[0][0], first))
    frame.warn(name, weight_warnings(block, rounds[0][0]))
    outputs = _add_use(frame, name, node, block, wires, rounds)
    _report(frame, name, node, block, rounds, first, outputs)


def cannot_repeat(block: str) -> Problem:
    """The problem of a repeated node whose single output cannot be its own input."""
    return Problem(
        "bad_repeat",
        f"is repeated, but {block} does not have an input and exactly one output.",
        "Set repeat to 1, or wrap it in a composite with one Output. Each copy then feeds the "
        "first "
        "Input of the next; all copies receive the same values at the other Inputs.",
    )


def visit_unused_layer(
    frame: Frame, name: str, node: Node, block: Block, chosen: dict[str, Any]
) -> None:
    """Construct and count a layer that forward does not call. Its settings say all its sizes."""
    settings, _, _ = complete_settings(block, chosen, {})
    problem, params = _constructed(block, settings)
    if problem is None and node.repeat > 1:
        problem = Problem("bad_repeat", "is not used in forward, but repeated.", "Set repeat to 1.")
    if problem is not None:
        frame.report(name, [problem], offers=(remedies.remove_node(name),))
        frame.set_state(name, "error", settings=settings)
        return
    path, raw = frame.path(name), node.settings
    frame.uses.append(
        Use(name, block.name, block, (settings,), {}, {}, name, path=path, raw=raw, unused=True)
    )
    frame.set_state(
        name,
        "ok",
        settings=settings,
        params=params.params,
        trainable_params=params.trainable_params,
        init=construct(block, settings),
    )
    say_unused(frame, name)


def _constructed(block: Block, settings: Mapping[str, Any]) -> tuple[Problem | None, Costs]:
    """What is wrong with a layer that is kept for its weights, and what it has of them."""
    missing = [s.name for s in block.settings if s.infer and s.name not in settings]
    if not block.init:
        message = f"is not used in forward, but {an(block.name)} has no weights."
        return Problem("unused_operation", message, "Connect its input, or remove it."), Costs()
    if missing:
        message = f"is not used in forward, so no wire determines its {' and its '.join(missing)}."
        return Problem("unused_size", message, "Set it, or connect its input."), Costs()
    try:
        made = constructed_on_meta(block, settings)
    except (RuntimeError, ValueError, TypeError, AssertionError, CustomClassError) as error:
        outcome = Outcome(error=str(error).partition("\n")[0])
        return weight_problem(block, settings) or _torch_error(block, outcome, {}), Costs()
    return None, constructed_costs(made)


def reads_unused(source: str) -> Problem:
    """The problem of a block that reads the output of an unused block."""
    return Problem(
        "unused_source",
        f"reads {source}, which is not used in forward and so has no output.",
        f"Connect the input of {source}, or remove the wire.",
    )


def say_unused(frame: Frame, name: str) -> None:
    """Warn of a node that forward does not call; of the outermost one only."""
    if frame.name and all(frame.graph.is_unused(node) for node in frame.graph.nodes):
        return
    message = "is not used in forward: it is constructed, counted and saved, but computes nothing."
    hint = "Connect its input to use it, or remove it."
    frame.warn(name, [Problem("unused_layer", message, hint)], (remedies.remove_node(name),))


def _can_follow(block: Block, inputs: Mapping[str, Any]) -> bool:
    """Whether a layer's output may be its own first input."""
    if not block.init or len(block.outputs) != 1 or block.outputs[0].listed or not inputs:
        return False
    (port, received), *further = inputs.items()
    return not further or (port == block.inputs[0].name and isinstance(received, Signature))


def _torch_error(block: Block, outcome: Outcome, inputs: Mapping[str, Any]) -> Problem:
    return Problem(
        "torch",
        f"is {an(block.name)} that fails in torch: {shortened(outcome.error)}",
        f"Check its settings and its input: {received(inputs)}.",
    )


def _add_use(
    frame: Frame, name: str, node: Node, block: Block, wires: Wires, rounds: list[Repetition]
) -> dict[str, Signature]:
    """Set the output values, and add the use for the source. Returns the outputs by port."""
    outputs = {port: cache.interned(s) for port, s in rounds[-1][1].outputs}
    for port, signature in outputs.items():
        frame.values[Value(name, port)] = signature
    owner = frame.graph.nodes[name].weights_of or name
    settings = tuple(s for s, _ in rounds)
    path, raw = frame.path(name), node.settings
    use = Use(name, block.name, block, settings, wires, outputs, owner, path=path, raw=raw)
    frame.uses.append(use)
    return outputs


def _report(
    frame: Frame,
    name: str,
    node: Node,
    block: Block,
    rounds: list[Repetition],
    inputs: Wires | dict[str, Any],
    outputs: dict[str, Signature],
) -> None:
    own = not frame.graph.nodes[name].weights_of
    settings = rounds[0][0]
    frame.set_state(
        name,
        "ok",
        settings=settings,
        inferred=tuple(
            s.name
            for s in block.settings
            if s.infer and s.name not in node.settings and s.name in settings
        ),
        inputs=inputs,
        outputs=outputs,
        children=_repeats(frame, name, block, rounds) if node.repeat > 1 else (),
        params=sum(o.costs.params for _, o in rounds) * own,
        trainable_params=sum(o.costs.trainable_params for _, o in rounds) * own,
        mult_adds=sum(o.costs.mult_adds for _, o in rounds),
        activation_bytes=sum(activation_bytes(s) for s in outputs.values()),
        init=construct(block, settings) if block.init and own else "",
    )


def _repeats(frame: Frame, name: str, block: Block, rounds: list[Repetition]) -> tuple[str, ...]:
    """Report every repetition of a layer. Returns their paths."""
    paths: list[str] = []
    for index, (settings, outcome) in enumerate(rounds):
        path = f"{frame.path(name)}.{index}"
        outputs = dict(outcome.outputs)
        frame.findings.nodes[path] = NodeReport(
            path,
            block.name,
            "ok",
            settings,
            (),
            {},
            outputs,
            outcome.costs.params,
            outcome.costs.trainable_params,
            outcome.costs.mult_adds,
            sum(activation_bytes(s) for s in outputs.values()),
            1 + path.count("."),
            construct(block, settings),
        )
        paths.append(path)
    return tuple(paths)


def dtype_mismatch(
    block: Block, settings: Mapping[str, Any], inputs: Mapping[str, Any]
) -> list[Problem]:
    """Wires whose floating dtype differs from that of the block's weights.

    torch raises for them on data, but not on the meta device.
    """
    floats = [
        (name, signature)
        for port in block.inputs
        if block.init and port.dtype == "float"
        for name, signature in port_signatures(port, inputs)
        if signature.floating
    ]
    if all(signature.dtype == "float32" for _, signature in floats):
        return []  # what every block is made with
    module = constructed_on_meta(block, settings)
    kinds = [w.dtype for w in module.parameters()] if isinstance(module, nn.Module) else []
    kind = next((str(k).removeprefix("torch.") for k in kinds if k.is_floating_point), "")
    return [
        Problem(
            "other_floats",
            f"has weights of {kind} but receives {signature.dtype} in {signature} at {name}.",
            f"Convert the input to {kind} first.",
            (insert(name, "to", dtype=kind),),
        )
        for name, signature in floats
        if kind and signature.dtype != kind
    ]
