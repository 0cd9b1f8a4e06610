"""An ONNX file as a live module: its operations as torch layers and functions, in its modules."""

import inspect
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from core.common.errors import ImportRefused
from core.wings.importing.onnx.call import BuildPlan, NodeCall, legal
from core.wings.importing.onnx.module_names import label
from core.wings.importing.onnx.module_tree import Tree, tree_of
from core.wings.importing.onnx.ops.registry import OPERATIONS, reason_of
from core.wings.importing.onnx.reader import OnnxFile
from core.wings.importing.onnx.result_sizes import too_many
from core.wings.importing.onnx.shape_values import calculate, objects
from core.wings.importing.tracing.run_sample import RebuiltModule
from core.wings.importing.tracing.symint import NODES, Size
from core.wings.importing.verify.compare_tensors import first_line

BATCH = 2
"""Samples that a file is run on, where it does not state another number."""


class ScopeModule(nn.Module):
    """A module of the file. reads, makes: the values that cross its border."""

    def __init__(self, plan: BuildPlan, tree: Tree, reads: list[str], makes: list[str]) -> None:
        super().__init__()
        self.plan, self.path, self.reads, self.makes = plan, tree.path, reads, makes
        self.items = [i.path if isinstance(i, Tree) else i for i in tree.items]

    def values(self, inputs: Sequence[Any]) -> dict[str, Any]:
        """Run all items; returns every value by its name."""
        env = dict(zip(self.reads, inputs, strict=True))
        for item in self.items:
            if isinstance(item, str):
                inner = self.plan.root.get_submodule(item)
                outputs = inner(*(env[name] for name in inner.reads))
                env |= zip(inner.makes, outputs if len(inner.makes) > 1 else [outputs], strict=True)
            else:
                self._node(item, env)
        return env

    def _node(self, number: int, env: dict[str, Any]) -> None:
        node, constants = self.plan.nodes[number], self.plan.file.constants
        inputs = [env[n] if n in env else constants[n] if n else None for n in node.inputs]
        results = run(NodeCall(self.plan, number, self.path, inputs))
        self._check_sizes(node, results)
        env |= {n: r for n, r in zip(node.outputs, results, strict=False) if n}

    def _check_sizes(self, node: Any, results: Sequence[Any]) -> None:
        """Refuse what could not be inferred before. Raises ImportRefused."""
        file = self.plan.file
        with torch._C.DisableTorchFunction():  # a trace would take this for a decision of the model
            largest = max((r.numel() for r in results if isinstance(r, Tensor)), default=0)
        if largest > BATCH * file.most:
            raise ImportRefused(file.name, too_many(node.place, largest, file.most))


def run(call: NodeCall) -> Sequence[Any]:
    """Run one node on tensors, or evaluate it on sizes."""
    node = call.node
    if node.op == "Shape" and isinstance(call.given[0], Tensor):
        return [sizes_of(call)[call.get("start", 0) : call.get("end")]]
    if not any(isinstance(g, Tensor) for g in call.given) and not _fills(call):
        sizes = calculate(node, call.given)
        if sizes is not None:
            return [sizes]
    operation = OPERATIONS.get(node.op)
    if operation is None:
        raise node.refuse(f"is an operation ({node.op}) that {reason_of(node.op)}.")
    NODES.append(node.place)
    try:
        sizes = operation(call)
    finally:
        NODES.pop()
    return [sizes] if isinstance(sizes, Tensor) else sizes


def sizes_of(call: NodeCall) -> Any:
    """The symbolic sizes of a tensor."""
    shape = list(call.given[0].shape)
    tracked = (
        n if isinstance(n, Size) else Size.of(n, ("size", 0, i)) for i, n in enumerate(shape)
    )
    return objects(list(tracked))


def _fills(call: NodeCall) -> bool:
    """Whether constants are expanded to sizes of the data, so that a tensor results."""
    if call.node.op not in ("ConstantOfShape", "Expand", "Range", "Tile"):
        return False
    present = [g for g in call.given if g is not None]
    return any(isinstance(n, Size) for g in present for n in objects(g).reshape(-1).tolist())


class Root(ScopeModule, RebuiltModule):
    """The whole file."""

    def forward(self, *inputs: Tensor) -> Any:
        self.plan.root, self.plan.anchor = self, inputs[0]
        env = self.values(inputs)
        found: dict[str, Any] = {}
        for name in self.makes:
            value = env[name] if name in env else self.plan.file.constants[name]
            if not isinstance(value, Tensor):
                raise ImportRefused(name, "is a result that does not depend on the data.")
            own = legal(name, "output")
            own = f"{own}{len(found) + 1}" if own in found else own
            found[own] = value
        named = len(found) > 1 or not _is_made_up(self.makes[0])
        return found if named else next(iter(found.values()))


def _is_made_up(name: str) -> bool:
    return name.isdigit() or name in ("output", "y", "Y") or "::" in name


def build_module(file: OnnxFile, samples: Sequence[Tensor]) -> Root:
    """Build the module of a file by a first run on samples. Raises ImportRefused."""
    tree, hints = _lifted(tree_of(file.nodes))
    first = file.inputs[0].sizes[0] if file.inputs[0].sizes else None
    plan = BuildPlan(file, file.nodes, hints, first if isinstance(first, int) else None)
    names = [legal(e.name, f"input{i + 1}") for i, e in enumerate(file.inputs)]
    kind = _kind(file.name, "onnx_file", Root, names)
    root = kind(plan, tree, [e.name for e in file.inputs], list(file.outputs))
    plan.root = root
    _enter(root, tree, plan)
    root.eval()
    with torch.no_grad():
        _build(root, samples)
    plan.building = False
    return root


FAILURES = (
    RuntimeError,
    ValueError,
    TypeError,
    IndexError,
    AssertionError,
    KeyError,
    NotImplementedError,
)


def _build(root: Root, samples: Sequence[Tensor]) -> None:
    try:
        root(*samples)
    except FAILURES as error:
        sizes = ", ".join(str(tuple(s.shape)) for s in samples)
        message = f"cannot be run on {sizes}: {first_line(error)}"
        raise ImportRefused(root.plan.file.name, message) from error


def _kind(name: str, home: str, base: type[ScopeModule], names: Sequence[str]) -> Any:
    """A class of its own for each module of the file, after which its composite is named."""
    star = inspect.Parameter.VAR_POSITIONAL
    usual = inspect.Parameter.POSITIONAL_OR_KEYWORD
    given = [inspect.Parameter(n, usual) for n in dict.fromkeys(["self", *names])]
    given += [] if names else [inspect.Parameter("input", star)]

    def forward(self: Any, *inputs: Any) -> Any:
        if base is Root:
            return Root.forward(self, *inputs)
        env = self.values(inputs)
        found = [env[name] for name in self.makes]
        return tuple(found) if len(found) > 1 else found[0]

    forward.__signature__ = inspect.Signature(given)  # type: ignore[attr-defined]
    return type(name, (base,), {"forward": forward, "__module__": home})


def _lifted(tree: Tree) -> tuple[Tree, dict[int, tuple[str, str]]]:
    """Replace modules of a single operation by that operation, with its path."""
    hints: dict[int, tuple[str, str]] = {}

    def lift(inner: Tree) -> Tree | int:
        items = [lift(i) if isinstance(i, Tree) else i for i in inner.items]
        own = inner.kind and not inner.kind.startswith("torch.")
        if inner.path and len(items) == 1 and isinstance(items[0], int) and not own:
            hints.setdefault(items[0], (inner.path, inner.kind))
            return items[0]
        return Tree(inner.path, inner.kind, items)

    found = lift(tree)
    return (found if isinstance(found, Tree) else Tree("", "", [found])), hints


def _enter(root: Root, tree: Tree, plan: BuildPlan) -> None:
    """Register a ScopeModule for every module of the tree."""
    for item in tree.items:
        if not isinstance(item, Tree):
            continue
        reads, makes = _border(item, plan)
        name = label(item.path, item.kind)
        home = "onnx_file" if name else "torch.nn.onnx"
        part = _kind(name or "Sequential", home, ScopeModule, ())(plan, item, reads, makes)
        _put(root, item.path, part)
        _enter(root, item, plan)


def _put(root: Root, path: str, part: ScopeModule) -> None:
    holder: Any = root
    *heads, last = path.split(".")
    for word in heads:
        if word not in holder._modules:
            holder.add_module(word, nn.Module())
        holder = holder.get_submodule(word)
    holder.add_module(last, part)


def _border(tree: Tree, plan: BuildPlan) -> tuple[list[str], list[str]]:
    inside = set(tree.numbers())
    made = [v for n in tree.numbers() for v in plan.nodes[n].outputs if v]
    reads = dict.fromkeys(v for n in tree.numbers() for v in plan.nodes[n].inputs if v)
    outside = {v for i, node in enumerate(plan.nodes) if i not in inside for v in node.inputs}
    outside |= set(plan.file.outputs)
    constants = plan.file.constants
    return [v for v in reads if v not in made and v not in constants], [
        v for v in made if v in outside
    ]
