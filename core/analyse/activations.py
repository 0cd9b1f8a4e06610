"""Record every node's output (its activation): modules by forward hooks, functions by statements.

Forward hooks see modules only; a sum, a concatenation or a flatten has none. So the assignment
`x = a + b` becomes `x = look.into(LINE).out(a + b)`: `into` enters the node of that line
(composites nest), `out` copies the value and returns it. It is copied at once, since the next layer
may work in place. The hooks on a module do the same before and after it.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from types import CodeType, MethodType
from typing import Any

import torch
from torch import nn
from torch.utils.hooks import RemovableHandle

from core.analyse import module_hooks
from core.analyse.build import loaded
from core.source.audit import audit, own_classes
from core.source.paths import Ids, inner_ids, step_names

LOOK = "look"


class ActivationRecorder:
    """Collects values by node path while an instrumented forward runs.

    local: line of the source to the ids, inside its class, of the nodes whose statement starts
    there, several in a loop. paths: those to record, None for all.
    """

    def __init__(self, local: Mapping[int, tuple[str, ...]], paths: frozenset[str] | None) -> None:
        self.local = local
        self.rounds: dict[tuple[str, ...], dict[int, int]] = {}
        self.paths = paths
        self.stack: list[str] = []
        self.values: dict[str, Any] = {}

    def into(self, line: int) -> "ActivationRecorder":
        """Enter the node of a line. In a loop, each iteration is the next node's."""
        ids = self.local.get(line, (f"line{line}",))
        counts = self.rounds.get(tuple(self.stack), {})
        number = counts.get(line, 0)
        if line in counts:
            counts[line] += 1
        self.stack.append(ids[min(number, len(ids) - 1)])
        return self

    def loop(self, first: int, last: int) -> None:
        """A loop over these lines starts."""
        self.rounds[tuple(self.stack)] = dict.fromkeys(range(first, last + 1), 0)

    def out(self, value: Any) -> Any:
        """Leave the node that was entered last, with its value."""
        path = ".".join(self.stack)
        self.stack.pop()
        if self.paths is None or path in self.paths:
            self.values[path] = detached_copy(value)
        return value


def detached_copy(value: Any) -> Any:
    """A detached copy of a nested value."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, (tuple, list)):
        return tuple(detached_copy(part) for part in value)
    return value


class _Rewrite(ast.NodeTransformer):
    """Watches the statements of a forward. hooked: names of modules whose calls hooks watch."""

    def __init__(self, hooked: frozenset[str]) -> None:
        self.hooked = hooked

    def visit_Assign(self, node: ast.Assign) -> ast.Assign | list[ast.stmt]:
        if module_hooks.called(node) in self.hooked:
            return node
        place = _call(ast.Name(LOOK, ast.Load()), "into", ast.Constant(node.lineno))
        target = node.targets[0]
        if isinstance(target, ast.Subscript):  # a part is written into: the whole is the value
            return [node, ast.Expr(_call(place, "out", target.value))]
        if isinstance(node.value, ast.Name):  # another name for what came in
            return node
        node.value = _call(place, "out", node.value)
        return node

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        self.generic_visit(node)
        lines = [ast.Constant(n) for n in (node.lineno, node.end_lineno)]
        return [ast.Expr(_call(ast.Name(LOOK, ast.Load()), "loop", *lines)), node]


def _call(owner: ast.expr, name: str, *given: ast.expr) -> ast.Call:
    return ast.Call(ast.Attribute(owner, name, ast.Load()), list(given), [])


def instrumented_forwards(
    source: str, look: ActivationRecorder, hooked: Mapping[str, frozenset[str]] = {}
) -> dict[str, Callable[..., Any]]:
    """The forward of every class in the source, by class name, reporting to `look`.

    hooked: by class, names of modules whose calls hooks watch.
    """
    space = {**vars(loaded(source)), LOOK: look}
    forwards_by_class: dict[str, Callable[..., Any]] = {}
    for class_name, code in _rewritten(source, tuple(sorted(hooked.items()))):
        names: dict[str, Any] = {}
        exec(code, space, names)
        forwards_by_class[class_name] = names["forward"]
    return forwards_by_class


@lru_cache(maxsize=16)
def _rewritten(
    source: str, hooked: tuple[tuple[str, frozenset[str]], ...]
) -> tuple[tuple[str, CodeType], ...]:
    """The classes of a source whose forward can be watched, with that forward rewritten."""
    found: list[tuple[str, CodeType]] = []
    for name, forward in _forwards(source):
        rewrite = _Rewrite(dict(hooked).get(name, frozenset()))
        text = ast.fix_missing_locations(ast.Module([rewrite.visit(forward)], []))
        found.append((name, compile(text, f"<watched {name}>", "exec")))
    return tuple(found)


def _forwards(source: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """The forward of every class but own Python, parsed anew each time, as it is rewritten."""
    own = custom_class_names(source)
    for part in audit(source).body:
        if isinstance(part, ast.ClassDef) and part.name not in own:
            methods = [m for m in part.body if isinstance(m, ast.FunctionDef)]
            # without one: an nn.Sequential, watched by hooks on its steps
            yield from ((part.name, m) for m in methods if m.name == "forward")


@lru_cache(maxsize=16)
def _calls(source: str) -> Mapping[str, module_hooks.Calls]:
    """The modules that each class calls in plain statements alone."""
    return {name: module_hooks.plain_calls(forward) for name, forward in _forwards(source)}


@lru_cache(maxsize=16)
def custom_class_names(source: str) -> frozenset[str]:
    """The classes of own Python in a source: their inside is no node of a drawing."""
    return frozenset(part.name for part in own_classes(ast.parse(source), source))


@contextmanager
def recording_activations(
    module: nn.Module,
    source: str,
    lines: Mapping[str, tuple[int, ...]],
    paths: frozenset[str] | None = None,
    look: ActivationRecorder | None = None,
) -> Iterator[ActivationRecorder]:
    """Record all nodes of a module built from `source` inside the context.

    lines: node path to its lines. look: the recorder to use instead of a new one. The module is
    restored at the end.
    """
    look = look or ActivationRecorder(local_ids(lines), paths)
    calls = _calls(source)
    parts = instances(module, calls)
    hooked = {name: module_hooks.hooked(parts[name], of_class) for name, of_class in calls.items()}
    forwards = instrumented_forwards(source, look, hooked)
    chains = _chains(module, "", inner_ids(lines), custom_class_names(source))
    handles = [handle for chain in chains for handle in _steps(chain, look)]
    try:
        for name, those in parts.items():
            for part in those:
                handles += module_hooks.put(part, hooked[name], calls[name], look)
                part.__dict__["forward"] = MethodType(forwards[name], part)
        yield look
    finally:
        for part in (part for those in parts.values() for part in those):
            part.__dict__.pop("forward", None)
        for handle in handles:
            handle.remove()


def instances(module: nn.Module, names: Iterable[str]) -> dict[str, list[nn.Module]]:
    """The modules of each class of a source, by its name."""
    found: dict[str, list[nn.Module]] = {name: [] for name in names}
    for part in module.modules():
        if type(part).__name__ in found and type(part).__module__ == type(module).__module__:
            found[type(part).__name__].append(part)
    return found


def local_ids(lines: Mapping[str, tuple[int, ...]]) -> dict[int, tuple[str, ...]]:
    """The ids, inside their class, of the nodes that each line belongs to, its own node first."""
    result: dict[int, dict[str, None]] = {}
    for path, numbers in lines.items():
        for line in numbers:
            result.setdefault(line, {})[path.rpartition(".")[2]] = None
    return {line: tuple(ids) for line, ids in result.items()}


Chain = tuple[nn.Module, Mapping[str, str]]
"""An nn.Sequential or nn.ModuleList, and the node that each of its numbers stands for."""


def _chains(module: nn.Module, path: str, ids: Ids, own: frozenset[str]) -> Iterator[Chain]:
    """All nn.Sequential and nn.ModuleList inside the module of the node at `path`."""
    if type(module).__name__ in own:
        return
    chain = isinstance(module, nn.Sequential | nn.ModuleList)
    names = step_names(ids.get(path, ()), len(list(module.children()))) if chain else {}
    if chain:
        yield module, names
    for name, child in module.named_children():
        step = names.get(name, name)
        yield from _chains(child, f"{path}.{step}" if path else step, ids, own)


def _steps(chain: Chain, look: ActivationRecorder) -> Iterator[RemovableHandle]:
    """Hooks on the modules of a chain, which are numbered in it."""
    module, names = chain
    for name, step in module.named_children():
        shown = names.get(name, name)

        def enter(_step: nn.Module, _args: Any, name: str = shown) -> None:
            look.stack.append(name)

        def leave(_step: nn.Module, _args: Any, output: Any, name: str = shown) -> None:
            look.out(output)
            if "." in name:  # a repetition: the last one's value is the node's
                look.stack.append(name.partition(".")[0])
                look.out(output)

        yield step.register_forward_pre_hook(enter)
        yield step.register_forward_hook(leave)
