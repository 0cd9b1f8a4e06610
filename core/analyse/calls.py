"""Run a block's own generated statements, after an audit, on values named after its ports."""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from blocks import Block, Dim, Signature
from blocks.parametrize import PARAMETRIZATIONS
from core.analyse.custom_class import custom_class
from core.analyse.meta_values import with_meta_values
from core.analyse.report import size
from core.common.device import CPU
from core.source.audit import audit_expression, audit_statement
from core.source.statement import construct, express, follow, returns


class _Torchvision:
    """torchvision, imported on first use."""

    def __getattr__(self, name: str) -> Any:
        import torchvision

        return getattr(torchvision, name)


EVALUATION = SimpleNamespace(training=False)
"""What stands for the module that a statement asks for its mode."""
NAMES = {"torch": torch, "nn": nn, "F": F, "torchvision": _Torchvision()}

Wire = Signature | tuple[Signature, ...]


@dataclass(frozen=True)
class Statement:
    """Constructor ("" for a plain expression) and expression, with inputs named after ports.

    code: the class that `init` constructs, if it is the project's own.
    """

    init: str
    forward: str
    returns: str
    after: str = ""
    unknown: tuple[tuple[str, tuple[int, ...]], ...] = ()
    code: str = ""
    real: bool = False  # run on small real tensors, not on meta


def statement(block: Block, settings: Mapping[str, Any], wires: Mapping[str, Wire]) -> Statement:
    """The statements of a block for the ports that are connected."""
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
    real = block.real or bool(unknown)
    return Statement(init, forward, returns(block, settings), after, unknown, block.code, real)


def _variable(port: str) -> str:
    return port.replace(".", "_")  # shape.0, a single place of a setting


def constructed_on_meta(
    block: Block, settings: Mapping[str, Any]
) -> nn.Module | torch.Tensor | None:
    """The module or parameter that a block constructs, on the meta device; None without one."""
    return meta_module(construct(block, settings), block.code) if block.init else None


@lru_cache(maxsize=2048)
def meta_module(init: str, code: str = "") -> nn.Module | torch.Tensor | None:
    """The result of a constructor on the meta device; None for "". code: the class, if an own
    one."""
    if not init:
        return None
    with torch.device("meta"):
        return _construct(init, code)


def real_module(init: str, code: str = "") -> nn.Module | torch.Tensor | None:
    """The same with real values, for layers without weights and for own classes."""
    return _construct(init, code) if init else None


def _construct(init: str, code: str) -> nn.Module | torch.Tensor:
    own = custom_class(code) if code else {}
    text = compile(audit_expression(init, frozenset(own)), "<constructor>", "eval")
    space = {"__builtins__": {}, "float": float, **NAMES, **_parametrizing(init), **own}
    made = eval(text, space)
    return made.eval() if isinstance(made, nn.Module) else made


def _parametrizing(init: str) -> dict[str, Any]:
    """The functions and classes around a constructor that computes its weight."""
    found: dict[str, Any] = {}
    for way in PARAMETRIZATIONS.values():
        module, name = way.imported
        if init.startswith(f"{name}("):
            found[name] = getattr(import_module(module), name)
            found |= custom_class(way.code) if way.code else {}
    return found


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


def sample_values(
    text: Statement, wires: tuple[tuple[str, Wire], ...], batch: int, stand_in: int
) -> dict[str, Any]:
    """Sample tensors for the wires, under their names in the statement."""
    values: dict[str, Any] = {}
    device = CPU if text.real else "meta"
    for port, wire in wires:
        if isinstance(wire, Signature):
            values[_variable(port)] = _value(wire, batch, stand_in, device)
        else:
            given = enumerate(_value(w, batch, stand_in, device) for w in wire)
            values |= {f"{port}_{i}": value for i, value in given}
    return values


def run_statement(text: Statement, module: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Run a statement on values named after its ports; returns the outputs by port."""
    values: dict[str, Any] = {"module": module, "self": EVALUATION, **NAMES, **given}
    code = compile(_audited_call(text.forward), "<expression>", "eval")
    # torch imports its own parts on first use by the caller's builtins; the audit keeps it from us
    builtins = {"__import__": __import__}
    space = {"__builtins__": builtins, "float": float, "slice": slice}
    result = (
        eval(code, space, values)
        if text.code
        else with_meta_values(lambda: eval(code, space, values))
    )
    if text.after:
        _assign(text.after, {**values, "result": result})
    return _unpack(ast.parse(re.sub(r"[{}]", "", text.returns), mode="eval").body, result)


def _assign(text: str, values: dict[str, Any]) -> None:
    """Check the assignment behind an expression: meta tensors accept any shape there."""
    (statement,) = audit_statement(text).body
    assert isinstance(statement, ast.Assign)
    part, value = (
        eval(
            compile(ast.Expression(_read(side)), "<statement>", "eval"),
            {"__builtins__": {"__import__": __import__}},  # for torch, as in `call`
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
    """Match torch's nested result with the block's named outputs, without those that are None."""
    if isinstance(form, ast.Name):
        if isinstance(value, (tuple, list)):
            return {f"{form.id}.{i}": item for i, item in enumerate(value)}  # a list port
        return {form.id: value} if isinstance(value, torch.Tensor | int) else {}
    assert isinstance(form, ast.Tuple)
    found: dict[str, Any] = {}
    for part, item in zip(form.elts, value, strict=True):
        found |= _unpack(part, item)
    return found
