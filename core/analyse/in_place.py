"""In-place operations that overwrite values which other blocks, or backward, still need."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import torch
from torch import nn

from blocks import Fix, Problem, has
from core.analyse.calls import (
    Statement,
    Wire,
    meta_module,
    real_module,
    run_statement,
    sample_values,
    statement,
)
from core.analyse.frame import Frame
from core.analyse.probe import BATCHES, STAND_INS
from core.analyse.wires import signatures
from core.common.bounded_cache import BoundedCache
from core.source.scope import Scope, Use, Value, values_of

_gradients_flow_by_chain: BoundedCache[tuple[int, ...], tuple[list[Use], bool]] = BoundedCache(
    10_000
)
"""What rows came to, by the uses, which the entry keeps alive."""
OFF = Fix("Set inplace to false", ({"op": "set", "settings": {"inplace": False}},))

Link = tuple[Statement, tuple[tuple[str, Wire], ...], str, str]
"""A statement, its wires, the input that the link before feeds ("" for the first), its output."""


def check_in_place(frame: Frame, scope: Scope) -> None:
    """Warn of blocks of one graph that overwrite needed values in place."""
    if not any(use.settings[0].get("inplace") is True for use in scope.uses):
        return
    use_by_id, readers = {use.id: use for use in scope.uses}, _readers(scope)
    inputs = {name for name, _ in scope.inputs} if frame.bound_inputs is None else set[str]()
    for use in scope.uses:
        if use.block is None or use.settings[0].get("inplace") is not True:
            continue
        row = list(_chain(use, use_by_id))
        first = next(iter(row[-1].wires.values()))
        source = row[-1] if row[-1] is not use and row[-1].block else None
        if isinstance(first, Value) and first.node in inputs and _are_views(row):
            problem = _overwrites_input(first.node)
        elif shared := next((v for v in _overwritten_values(row) if len(readers[v]) > 1), None):
            mine = {part.id for part in row}
            problem = _overwrites_shared(
                shared.node, [n for n in readers[shared] if n and n not in mine]
            )
        elif source and not _gradients_flow(frame, row):
            problem = _overwrites_needed_for_backward(source.id)
        else:
            continue
        frame.warn(use.id, [problem])


def _chain(use: Use, use_by_id: dict[str, Use]) -> Iterator[Use]:
    """A use, then its sources back to the first that allocates a result of its own."""
    yield use
    wire = next(iter(use.wires.values()))
    before = use_by_id.get(wire.node) if isinstance(wire, Value) else None
    while before is not None:
        yield before
        if not has(before.name, "views"):
            return
        wire = next(iter(before.wires.values()), None)
        before = use_by_id.get(wire.node) if isinstance(wire, Value) else None


def _gradients_flow(frame: Frame, row: list[Use]) -> bool:
    """Whether gradients flow through a chain, cached by the identity of its uses."""
    key = tuple(map(id, row))
    known = _gradients_flow_by_chain.get(key) or _gradients_flow_by_chain.put(
        key, (row, gradients_flow(tuple(_links(frame, row))))
    )
    return known[1]


def _overwritten_values(row: list[Use]) -> Iterator[Value]:
    """The values that the first of a chain overwrites: its input, also through views."""
    for use in row[:1] + [use for use in row[1:] if has(use.name, "views")]:
        wire = next(iter(use.wires.values()), None)
        if isinstance(wire, Value):
            yield wire


def _readers(scope: Scope) -> dict[Value, list[str]]:
    """Ids of the uses that read each value, "" for the graph's results."""
    result: dict[Value, list[str]] = {}
    for use in scope.uses:
        for value in values_of(use.wires):
            result.setdefault(value, []).append(use.id)
    for _, value in scope.results:
        result.setdefault(value, []).append("")
    return result


def _are_views(row: list[Use]) -> bool:
    """Whether all but the first return views of their input."""
    return all(has(use.name, "views") for use in row[1:])


def _links(frame: Frame, row: list[Use]) -> Iterator[Link]:
    """The chain in execution order, as statements."""
    outs = [next(iter(row[0].outputs)), *(value.port for value in _overwritten_values(row))]
    for place in range(len(row) - 1, -1, -1):
        use = row[place]
        if use.block is None:
            return
        wires = signatures(frame, dict(use.wires))
        port = "" if place == len(row) - 1 else next(iter(use.wires))
        text = statement(use.block, use.settings[-1], wires)
        yield text, tuple(wires.items()), port, outs[place]


def _overwrites_input(name: str) -> Problem:
    return Problem(
        "in_place",
        f"works in place on the input {name}: each pass changes the data itself.",
        "Set inplace to false; it only saves memory.",
        (OFF,),
    )


def _overwrites_shared(source: str, others: list[str]) -> Problem:
    who = " and ".join(others[:3]) or "the result"
    return Problem(
        "in_place",
        f"overwrites the output of {source}, which {who} also needs: "
        "it may receive the changed values.",
        "Set inplace to false; it only saves memory.",
        (OFF,),
    )


def _overwrites_needed_for_backward(source: str) -> Problem:
    return Problem(
        "in_place",
        f"overwrites the output of {source}, which {source} needs to compute its gradient: "
        "training would fail.",
        "Set inplace to false; it only saves memory.",
        (OFF,),
    )


@lru_cache(maxsize=4096)
def gradients_flow(links: tuple[Link, ...]) -> bool:
    """Whether backward runs through a chain of blocks; False only if an in-place operation
    overwrote what one of them saved for it."""
    value: Any = None
    try:
        for text, wires, port, output in links:
            inputs = sample_values(text, wires, BATCHES[0], STAND_INS[0])
            inputs = {name: _leaf(v) for name, v in inputs.items()} | (
                {port: value} if port else {}
            )
            module = real_module(text.init) if text.real else meta_module(text.init, text.code)
            if isinstance(module, nn.Module):
                module.train()
            value = run_statement(text, module, inputs)[output]
        value.sum().backward()
    except (RuntimeError, ValueError, TypeError, KeyError) as error:
        return "modified by an inplace operation" not in str(error)
    finally:
        for text, *_ in links:
            if isinstance(module := meta_module(text.init, text.code), nn.Module):
                module.eval()
    return True


def _leaf(value: Any) -> Any:
    """A copy that requires grad and may be changed in place, which a leaf may not."""
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.requires_grad_().clone()
    return value
