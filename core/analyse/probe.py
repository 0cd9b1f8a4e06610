"""Run a block's own generated statements on the meta device and look what comes out.

Two runs with different batch sizes tell how each dimension depends on the batch: a * N + b. Where
a size is unknown before data runs through, runs with two stand-ins tell what depends on it; blocks
whose own result depends on the data run on small real tensors. Answers are remembered by
statement and input signature.
"""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from blocks import Batch, Block, Dim, Signature
from blocks.signature import size_of
from core.analyse.report import size
from core.insight.costs import Costs, costs, watch
from core.source.audit import audit_expression, audit_statement
from core.source.statement import construct, express, follow, returns

BATCHES = (127, 131)  # primes, so that N // 2 cannot look like a constant
STAND_INS = (4001, 4003)
"""Sizes in place of one that the data decide: large, for what takes the best 1,000; few where real
tensors are calculated with."""
FEW = (5, 7)


class _Torchvision:
    """torchvision, imported when a block first needs it."""

    def __getattr__(self, name: str) -> Any:
        import torchvision

        return getattr(torchvision, name)


NAMES = {"torch": torch, "nn": nn, "F": F, "torchvision": _Torchvision()}

Wire = Signature | tuple[Signature, ...]


@dataclass(frozen=True)
class Outcome:
    """What the statements gave: outputs by port and costs for batch 1, or torch's error."""

    outputs: tuple[tuple[str, Signature], ...] = ()
    costs: Costs = field(default_factory=Costs)
    error: str = ""


@dataclass(frozen=True)
class Statement:
    """Constructor ("" for a plain expression) and expression, inputs named after their ports."""

    init: str
    forward: str
    returns: str
    after: str = ""
    unknown: tuple[tuple[str, tuple[int, ...]], ...] = ()


def statement(block: Block, settings: Mapping[str, Any], wires: Mapping[str, Wire]) -> Statement:
    """Write the statements of a block for the ports that are connected."""
    names = {
        port: _variable(port)
        if isinstance(wire, Signature)
        else [f"{port}_{i}" for i in range(len(wire))]
        for port, wire in wires.items()
    }
    init = construct(block, settings) if block.init else ""
    forward = express(block, settings, names, module="module")
    after = follow(block, settings, names, "result")
    unknown = tuple((port.name, port.unknown) for port in block.outputs if port.unknown)
    return Statement(init, forward, returns(block, settings), after, unknown)


def _variable(port: str) -> str:
    return port.replace(".", "_")  # shape.0, a single place of a setting


def probe(block: Block, settings: Mapping[str, Any], wires: Mapping[str, Wire]) -> Outcome:
    """Run a block on meta tensors of the wires' signatures. Never raises for torch's refusals."""
    return _probe(statement(block, settings, wires), tuple(wires.items()))


@lru_cache(maxsize=8192)
def _probe(text: Statement, wires: tuple[tuple[str, Wire], ...]) -> Outcome:
    open_sizes = any(_unknown(w) for _, wire in wires for w in _each(wire))
    try:
        module = module_of(text.init)
        one, other = FEW if text.unknown else STAND_INS
        first, second = (_run(text, module, wires, n, one) for n in BATCHES)
        third = _run(text, module, wires, BATCHES[0], other) if open_sizes else first
        if not first.keys() == second.keys() == third.keys():
            return Outcome(error="the number of its outputs changes with the batch")
        outputs = tuple(
            (port, _signature(a, second[port], third[port], _open_dims(text, port)))
            for port, a in first.items()
        )
        return Outcome(outputs, Costs() if open_sizes else _costs(text, module, wires))
    except (
        RuntimeError,
        ValueError,
        TypeError,
        IndexError,
        AssertionError,
        OverflowError,
    ) as error:
        return Outcome(error=_first_line(error))


def _unknown(signature: Signature) -> bool:
    return signature.value is None if signature.is_size else None in signature.shape


def _costs(text: Statement, module: Any, wires: tuple[tuple[str, Wire], ...]) -> Costs:
    if isinstance(module, nn.Parameter):
        return Costs(module.numel(), module.numel() * module.requires_grad)
    if not isinstance(module, nn.Module):
        return Costs()
    with watch(module) as calls:
        outputs = _run(text, module, wires, 1)
    return costs(module, next(iter(outputs.values())).shape, calls)


def built(block: Block, settings: Mapping[str, Any]) -> nn.Module | torch.Tensor | None:
    """What the constructor of a block makes, on the meta device; None without one."""
    return module_of(construct(block, settings)) if block.init else None


def _each(wire: Wire) -> tuple[Signature, ...]:
    return (wire,) if isinstance(wire, Signature) else wire


@lru_cache(maxsize=2048)
def module_of(init: str) -> nn.Module | torch.Tensor | None:
    """What a constructor makes, on the meta device; None of ""."""
    if not init:
        return None
    code = compile(audit_expression(init), "<constructor>", "eval")
    with torch.device("meta"):
        made = eval(code, {"__builtins__": {}, "float": float, **NAMES})
    return made.eval() if isinstance(made, nn.Module) else made


def _open_dims(text: Statement, port: str) -> tuple[int, ...]:
    return dict(text.unknown).get(port.partition(".")[0], ())


def _value(signature: Signature, batch: int, stand_in: int, device: str) -> torch.Tensor | int:
    if signature.is_size:
        (value,) = _sizes((signature.value,), batch, stand_in)
        return value
    dtype = getattr(torch, signature.dtype)
    sizes = _sizes(signature.shape, batch, stand_in)
    if device == "meta":
        return torch.empty(sizes, dtype=dtype, device=device)
    return torch.zeros(sizes, dtype=dtype)


def _sizes(shape: tuple[Dim, ...], batch: int, stand_in: int) -> tuple[int, ...]:
    known = tuple(stand_in if dim is None else dim for dim in shape)
    return size(Signature(known), batch)


def _run(
    text: Statement, module: Any, wires: tuple[tuple[str, Wire], ...], batch: int,
    stand_in: int = STAND_INS[0],
) -> dict[str, Any]:  # fmt: skip
    return call(text, module, values_of(text, wires, batch, stand_in))


def values_of(
    text: Statement, wires: tuple[tuple[str, Wire], ...], batch: int, stand_in: int
) -> dict[str, Any]:
    """Values for the wires, under the names they have in the statement."""
    values: dict[str, Any] = {}
    device = "cpu" if text.unknown else "meta"
    for port, wire in wires:
        if isinstance(wire, Signature):
            values[_variable(port)] = _value(wire, batch, stand_in, device)
        else:
            given = enumerate(_value(w, batch, stand_in, device) for w in wire)
            values |= {f"{port}_{i}": value for i, value in given}
    return values


def call(text: Statement, module: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Run a statement on given values, named after their ports; the outputs by port."""
    values: dict[str, Any] = {"module": module, **NAMES, **given}
    code = compile(_audited_call(text.forward), "<expression>", "eval")
    # torch imports its own parts on first use by the caller's builtins; the audit keeps it from us
    builtins = {"__import__": __import__}
    result = eval(code, {"__builtins__": builtins, "float": float, "slice": slice}, values)
    if text.after:
        _assign(text.after, {**values, "result": result})
    return _unpack(ast.parse(re.sub(r"[{}]", "", text.returns), mode="eval").body, result)


def _assign(text: str, values: dict[str, Any]) -> None:
    """Try the assignment behind an expression; meta tensors let any shape pass, so compare here."""
    (statement,) = audit_statement(text).body
    assert isinstance(statement, ast.Assign)
    part, value = (
        eval(
            compile(ast.Expression(_read(side)), "<statement>", "eval"),
            {"__builtins__": {}},
            values,
        )
        for side in (statement.targets[0], statement.value)
    )
    if isinstance(value, torch.Tensor):
        value.expand(part.shape)


def _read(side: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(side), mode="eval").body  # a target is written, here it is read


@lru_cache(maxsize=8192)
def _audited_call(forward: str) -> ast.Expression:
    audit_expression(forward.replace("module(", "self.module(", 1))
    return ast.parse(forward, mode="eval")


def _unpack(form: ast.expr, value: Any) -> dict[str, Any]:
    """Match torch's nested result with the block's named outputs; a None has no entry."""
    if isinstance(form, ast.Name):
        if isinstance(value, (tuple, list)):
            return {f"{form.id}.{i}": item for i, item in enumerate(value)}  # a list port
        return {form.id: value} if isinstance(value, torch.Tensor | int) else {}
    assert isinstance(form, ast.Tuple)
    found: dict[str, Any] = {}
    for part, item in zip(form.elts, value, strict=True):
        found |= _unpack(part, item)
    return found


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
