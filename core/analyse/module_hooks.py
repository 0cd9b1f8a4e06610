"""Which blocks of a source are modules that a forward hook sees, and the hooks on them.

A block is seen by hooks where its class calls it as `x = self.conv1(x)`, outside a loop and nowhere
else in another way. What a function computes, and what indexes or names the result, has a statement
only.
"""

import ast
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from torch import nn
from torch.utils.hooks import RemovableHandle

ASKING = (
    nn.Transformer,
    nn.TransformerEncoder,
    nn.TransformerDecoder,
    nn.TransformerEncoderLayer,
    nn.TransformerDecoderLayer,
    nn.MultiheadAttention,
)
"""Modules that calculate in another way, and so with other last digits, where they have hooks."""
Calls = Mapping[str, tuple[int, ...]]
"""The lines of a class that call each of its modules, by the module's name, in their order."""


class Look(Protocol):
    """What the hooks report to, see `core.analyse.activations`."""

    def into(self, line: int) -> Any: ...
    def out(self, value: Any) -> Any: ...


def plain_calls(forward: ast.FunctionDef) -> Calls:
    """The modules of a class that its forward calls in plain statements alone."""
    lines: dict[str, list[int]] = {}
    for statement in forward.body:
        if name := called(statement):
            lines.setdefault(name, []).append(statement.lineno)
    uses = {name: 0 for name in lines}
    for node in ast.walk(forward):
        if (name := _of_self(node)) in uses:
            uses[name] += 1
    for node in ast.walk(forward):  # its weight, say, which calls nothing
        if isinstance(node, ast.Attribute) and (name := _of_self(node.value)) in uses:
            uses[name] -= 1
    return {name: tuple(at) for name, at in lines.items() if uses[name] == len(at)}


def called(statement: ast.stmt) -> str:
    """The NAME of a statement `... = self.NAME(...)`, "" for any other."""
    if not isinstance(statement, ast.Assign) or isinstance(statement.targets[0], ast.Subscript):
        return ""
    call = statement.value
    return _of_self(call.func) if isinstance(call, ast.Call) else ""


def _of_self(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.attr if node.value.id == "self" else ""
    return ""


def hooked(parts: list[nn.Module], calls: Calls) -> frozenset[str]:
    """The names that hooks can be put on: in every instance a module of its own."""
    return frozenset(
        name
        for name in calls
        if all(isinstance(getattr(part, name, None), nn.Module) for part in parts)
        and not any(isinstance(getattr(part, name), ASKING) for part in parts)
        and len({id(getattr(part, name)) for part in parts}) == len(parts)
    )


def put(
    part: nn.Module, names: frozenset[str], calls: Calls, look: Look
) -> Iterator[RemovableHandle]:
    """Hooks on modules of one instance of a class; each enters and leaves its node of `look`."""
    for name in names:
        yield from _pair(getattr(part, name), calls[name], look)


def _pair(module: nn.Module, lines: tuple[int, ...], look: Look) -> Iterator[RemovableHandle]:
    """A module that several nodes share is called once for each, in the order of their lines."""
    count = 0

    def enter(_module: nn.Module, _inputs: Any) -> None:
        nonlocal count
        look.into(lines[count % len(lines)])
        count += 1

    def leave(_module: nn.Module, _inputs: Any, output: Any) -> None:
        look.out(output)

    yield module.register_forward_pre_hook(enter)
    yield module.register_forward_hook(leave)
