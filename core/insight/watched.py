"""A forward that tells what every node put out, made from the source by its own syntax tree.

Forward hooks see modules only; a sum, a concatenation or a flatten has none. So each assignment
`x = self.conv1(x)` becomes `x = look.into(LINE).out(self.conv1(x))`: `into` notes which node is
running (composites nest), `out` keeps a copy and hands the value on untouched. The copy is taken
at once, since the next layer may work in place.
"""

import ast
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MethodType
from typing import Any

import torch
from torch import nn
from torch.utils.hooks import RemovableHandle

from core.source.audit import audit

LOOK = "look"


class Look:
    """Collects values by node path while a watched forward runs.

    local: line of the source to the id, inside its class, of the node whose statement starts
    there. wanted: the paths to keep, None for all.
    """

    def __init__(self, local: Mapping[int, str], wanted: frozenset[str] | None) -> None:
        self.local = local
        self.wanted = wanted
        self.place: list[str] = []
        self.values: dict[str, Any] = {}

    def into(self, line: int) -> "Look":
        """A node's statement starts."""
        self.place.append(self.local.get(line, f"line{line}"))
        return self

    def out(self, value: Any) -> Any:
        """The statement that was entered last gave this value."""
        path = ".".join(self.place)
        self.place.pop()
        if self.wanted is None or path in self.wanted:
            self.values[path] = kept(value)
        return value


def kept(value: Any) -> Any:
    """A copy of a nested value that nothing changes any more."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, (tuple, list)):
        return tuple(kept(part) for part in value)
    return value


class _Rewrite(ast.NodeTransformer):
    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        place = _call(ast.Name(LOOK, ast.Load()), "into", ast.Constant(node.lineno))
        node.value = _call(place, "out", node.value)
        return node


def _call(owner: ast.expr, name: str, argument: ast.expr) -> ast.Call:
    return ast.Call(ast.Attribute(owner, name, ast.Load()), [argument], [])


def watched_forwards(module: nn.Module, source: str, look: Look) -> dict[str, Callable[..., Any]]:
    """The forward of every class in the source, by class name, telling `look` what it does."""
    space = {**vars(sys.modules[type(module).__module__]), LOOK: look}
    found: dict[str, Callable[..., Any]] = {}
    for part in audit(source).body:
        if isinstance(part, ast.ClassDef):
            methods = [m for m in part.body if isinstance(m, ast.FunctionDef)]
            forward = _Rewrite().visit(next(m for m in methods if m.name == "forward"))
            tree = ast.fix_missing_locations(ast.Module([forward], []))
            names: dict[str, Any] = {}
            exec(compile(tree, f"<watched {part.name}>", "exec"), space, names)
            found[part.name] = names["forward"]
    return found


@contextmanager
def watching(
    module: nn.Module,
    source: str,
    lines: Mapping[str, tuple[int, ...]],
    wanted: frozenset[str] | None = None,
) -> Iterator[Look]:
    """Watch all nodes of a module built from `source` while the block runs.

    lines: node path to its lines. The module is the same as before when the block is left.
    """
    local = {line: path.rpartition(".")[2] for path, numbers in lines.items() for line in numbers}
    look = Look(local, wanted)
    forwards = watched_forwards(module, source, look)
    parts = [p for p in module.modules() if type(p).__module__ == type(module).__module__]
    handles = [handle for s in module.modules() for handle in _steps(s, look)]
    try:
        for part in parts:
            part.__dict__["forward"] = MethodType(forwards[type(part).__name__], part)
        yield look
    finally:
        for part in parts:
            part.__dict__.pop("forward", None)
        for handle in handles:
            handle.remove()


def _steps(chain: nn.Module, look: Look) -> Iterator[RemovableHandle]:
    """Hooks on the repetitions of a node, which stand in an nn.Sequential under their numbers."""
    if type(chain) is not nn.Sequential:
        return
    for name, step in chain.named_children():

        def enter(_step: nn.Module, _args: Any, name: str = name) -> None:
            look.place.append(name)

        def leave(_step: nn.Module, _args: Any, output: Any) -> None:
            look.out(output)

        yield step.register_forward_pre_hook(enter)
        yield step.register_forward_hook(leave)
