"""Probe a block: run its own generated statements on the meta device, and read off the outputs.

Two runs with different batch sizes tell how each dimension depends on the batch: a * N + b. A
size that is unknown before data runs through is probed with two stand-ins; blocks whose result
depends on values, or whose meta kernel is wrong, run on small real tensors. Results are cached by
statement and input signature.
"""

import warnings
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import torch
from torch import nn

from blocks import Batch, Block, Dim, Signature
from blocks.signature import size_of
from core.analyse.calls import (
    Statement,
    Wire,
    meta_module,
    real_module,
    run_statement,
    sample_values,
    statement,
)
from core.analyse.costs import Costs, costs, counting, mult_adds_of
from core.analyse.custom_class import CustomClassError, raising_custom_errors
from core.analyse.meta_values import MetaValues

BATCHES = (127, 131)  # primes, so that N // 2 cannot look like a constant
STAND_INS = (4001, 4003)
"""Sizes in place of one that the data decide: large, for what takes the best 1,000; few where real
tensors are calculated with."""
FEW = (5, 7)


@dataclass(frozen=True)
class Outcome:
    """What the statements gave: outputs by port and costs for batch 1, or torch's error."""

    outputs: tuple[tuple[str, Signature], ...] = ()
    costs: Costs = field(default_factory=Costs)
    error: str = ""
    line: int = 0  # of the project's own class, where that raised it


def probe(block: Block, settings: Mapping[str, Any], wires: Mapping[str, Wire]) -> Outcome:
    """Run a block on meta tensors of the wires' signatures. Never raises for torch's refusals."""
    text, given = statement(block, settings, wires), tuple(wires.items())
    if not text.code:
        return _probe(text, given)
    try:
        return _own(text, given)
    except CustomClassError as error:
        if "meta" not in error.text:
            return Outcome(error=error.text, line=error.line)
    try:
        return _own(replace(text, real=True), given)  # its code looks at values: zeros will do
    except CustomClassError as error:
        return Outcome(error=error.text, line=error.line)


@lru_cache(maxsize=2048)
def _own(text: Statement, wires: tuple[tuple[str, Wire], ...]) -> Outcome:
    """The same for a project's own class. What it raises is not remembered: it may be mended
    from outside, as by installing what it imports."""
    with raising_custom_errors(text.code):
        return _ran(text, wires)


@lru_cache(maxsize=8192)
def _probe(text: Statement, wires: tuple[tuple[str, Wire], ...]) -> Outcome:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch's warnings are shown when the network runs
            return _ran(text, wires)
    except (
        RuntimeError,
        ValueError,
        TypeError,
        IndexError,
        AssertionError,
        OverflowError,
    ) as error:
        return Outcome(error=_first_line(error))


def _ran(text: Statement, wires: tuple[tuple[str, Wire], ...]) -> Outcome:
    open_sizes = any(_unknown(w) for _, wire in wires for w in _each(wire))
    make = real_module if text.real else meta_module
    module = make(text.init, text.code)
    one, other = FEW if text.real else STAND_INS
    first, second = (_run(text, module, wires, n, one) for n in BATCHES)
    third = _run(text, module, wires, BATCHES[0], other) if open_sizes else first
    if not first.keys() == second.keys() == third.keys():
        return Outcome(error="its number of outputs changes with the batch size")
    outputs = tuple(
        (port, _signature(a, second[port], third[port], _open_dims(text, port)))
        for port, a in first.items()
    )
    if not open_sizes and not text.unknown:
        outputs = _for_one_sample(text, module, wires, outputs)
    return Outcome(outputs, Costs() if open_sizes else _costs(text, module, wires))


def _for_one_sample(
    text: Statement,
    module: Any,
    wires: tuple[tuple[str, Wire], ...],
    outputs: tuple[tuple[str, Signature], ...],
) -> tuple[tuple[str, Signature], ...]:
    """Open sizes that stay the same in large batches but not in small ones, such as min(N, 16)."""
    fixed = [port for port, s in outputs if s.shape and not _grows(s)]
    if not fixed or not any(_grows(w) for _, wire in wires for w in _each(wire)):
        return outputs
    try:
        few = _run(text, module, wires, 1)
    except (RuntimeError, IndexError, ValueError):  # it needs more, and will say so with fewer
        return outputs
    return tuple(
        (port, _opened(s, few[port].shape) if port in fixed and port in few else s)
        for port, s in outputs
    )


def _grows(signature: Signature) -> bool:
    return any(isinstance(dim, Batch) for dim in signature.shape)


def _opened(signature: Signature, shape: tuple[int, ...]) -> Signature:
    if len(shape) != signature.rank:
        return signature
    dims = tuple(a if a == b else None for a, b in zip(signature.shape, shape, strict=True))
    return Signature(dims, signature.dtype)


def _unknown(signature: Signature) -> bool:
    return signature.value is None if signature.is_size else None in signature.shape


def constructed_costs(module: Any) -> Costs:
    """Count what a constructor made, and nothing that is computed with it."""
    if isinstance(module, nn.Parameter):
        return Costs(module.numel(), module.numel() * module.requires_grad)
    return costs(module if isinstance(module, nn.Module) else None)


def _costs(text: Statement, module: Any, wires: tuple[tuple[str, Wire], ...]) -> Costs:
    if isinstance(module, nn.Parameter):
        return constructed_costs(module)
    found = module if isinstance(module, nn.Module) else None
    try:
        return costs(found, _mult_adds(text, module, wires, 1))
    except (RuntimeError, ValueError, IndexError):  # as BatchNorm1d without running values
        return costs(found, _mult_adds(text, module, wires, 2) // 2)


def _mult_adds(
    text: Statement, module: Any, wires: tuple[tuple[str, Wire], ...], batch: int
) -> int:
    # answers from the start, as a second try would be counted on top of the first
    with counting() as counter, nullcontext() if text.code else MetaValues():
        _run(text, module, wires, batch)
    return mult_adds_of(counter)


def _each(wire: Wire) -> tuple[Signature, ...]:
    return (wire,) if isinstance(wire, Signature) else wire


def _open_dims(text: Statement, port: str) -> tuple[int, ...]:
    return dict(text.unknown).get(port.partition(".")[0], ())


def _run(
    text: Statement,
    module: Any,
    wires: tuple[tuple[str, Wire], ...],
    batch: int,
    stand_in: int = STAND_INS[0],
) -> dict[str, Any]:
    return run_statement(text, module, sample_values(text, wires, batch, stand_in))


def _signature(first: Any, second: Any, third: Any, unknown: tuple[int, ...]) -> Signature:
    if not isinstance(first, torch.Tensor):
        return size_of(None if third != first else _dim(first, second))
    if not first.dim() == second.dim() == third.dim():
        return Signature((None,), _dtype(first))
    dims = tuple(
        None if a != c or place in unknown else _dim(a, b)
        for place, (a, b, c) in enumerate(zip(first.shape, second.shape, third.shape, strict=True))
    )
    return Signature(dims, _dtype(first))


def _dim(first: int, second: int) -> Dim:
    if first == second:
        return first
    low, high = BATCHES
    times, rest = divmod(second - first, high - low)
    return None if rest else Batch(times, first - times * low)


def _dtype(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
