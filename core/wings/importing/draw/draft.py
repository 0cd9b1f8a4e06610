"""Scopes of a trace to drafts: named nodes, wires, and ends named after forward's parameters."""

import re
from dataclasses import dataclass, field
from typing import Any

from torch import nn

from blocks import Block
from core.common.errors import ImportRefused
from core.graph.names import camel_case, check_id, default_base
from core.wings.importing.matching.match import MatchedNode, settings_of
from core.wings.importing.tracing.trace_ir import Step, Trace, TraceScope, values_in

SAYING_LITTLE = frozenset("x out output outputs ret res result input inputs tmp N".split())
"""Names of variables that tell less than the name of the block; N is the batch in every comment."""
CONSTANT = "uses a constant tensor."
"""Of a tensor that is neither a parameter nor a buffer, and too large to be written out."""
End = tuple[str, str]
"""A node and one of its ports."""


@dataclass
class DraftNode:
    """A node of a draft. inner: the draft inside it, for a scope. path: of its module in the model.

    settings: all of the block's but those inferred from the input.
    """

    path: str
    block: Block | None = None
    inner: "Draft | None" = None
    settings: dict[str, Any] = field(default_factory=lambda: {})
    owner: str = ""
    repeat: int = 1
    name: str = ""
    rounds: list["DraftNode"] = field(default_factory=lambda: [])
    frozen: bool = False
    unused: bool = False


@dataclass
class Draft:
    """A graph before its composites are merged. label: its name. wires: (source, target) with
    ports."""

    label: str
    path: str
    nodes: dict[str, DraftNode] = field(default_factory=lambda: {})
    wires: list[tuple[End, End]] = field(default_factory=lambda: [])
    inputs: list[str] = field(default_factory=lambda: [])
    outputs: list[tuple[str, End]] = field(default_factory=lambda: [])
    users: list[DraftNode] = field(default_factory=lambda: [])

    @property
    def is_listed(self) -> bool:
        """Whether its nodes are numbered, not named."""
        return all(name.rpartition("_")[2].isdigit() for name in self.nodes)

    @property
    def height(self) -> int:
        """The depth of nesting from here on."""
        return 1 + max((n.inner.height for n in self.nodes.values() if n.inner), default=0)


class Drafter:
    """Drafts scopes of a trace. passed: values that are copies, with their sources."""

    def __init__(self, trace: Trace, passed: dict[int, int], root: nn.Module) -> None:
        self.trace, self.passed, self.root = trace, passed, root
        self.readers = _readers(trace, passed)
        self.following = _following(trace)
        self.peers: dict[str, list[TraceScope]] = {}
        for scope in trace.root.scopes():
            self.peers.setdefault(scope.path, []).append(scope)

    def draw(self, scope: TraceScope, label: str, rename: dict[str, str]) -> Draft:
        """Draft a scope and all scopes inside it."""
        draft = Draft(label, scope.path)
        inside = {v for step in scope.steps() for v in step.makes}
        taken: set[str] = set()
        ends: dict[int, End] = {}
        for value, base in self._inputs(scope, inside):
            name = legal(rename.get(base, base), taken, "input")
            draft.inputs.append(name)
            ends[value] = (name, "output")
        reserved = {_last(i.path) for i in scope.items if i.path}
        for item in scope.items:
            self._item(draft, scope, item, ends, taken, reserved)
        for name, value in self._outputs(scope, inside):
            draft.outputs.append((legal(name, taken, "output"), ends[value]))
        return draft

    def _inputs(self, scope: TraceScope, inside: set[int]) -> list[tuple[int, str]]:
        reads = [self.source_of(v) for step in scope.steps() for v in _wired(step)]
        if scope is self.trace.root:
            return [(v, scope.names.get(v, "input")) for v in self.trace.inputs]
        outer = list(dict.fromkeys(v for v in reads if v not in inside))
        for value in outer:
            self._refuse_constant(value)
        names = {self.source_of(v): n for v, n in scope.names.items()}
        order = [v for v in names if v in outer] + [v for v in outer if v not in names]
        return [(v, names.get(v, "input")) for v in order if v not in self.trace.attributes]

    def _refuse_constant(self, value: int) -> None:
        if value in self.trace.attributes:
            raise ImportRefused(
                self.trace.attributes[value], "is a parameter used outside its module."
            )
        if value in self.trace.constants:
            raise ImportRefused(self.trace.constants[value], CONSTANT)

    def _outputs(self, scope: TraceScope, inside: set[int]) -> list[tuple[str, int]]:
        if scope is self.trace.root:
            return [(n, self.source_of(v)) for n, v in named_results(scope.result)]
        made = _made(scope)
        peers = [p for p in self.peers.get(scope.path, [scope]) if len(_made(p)) == len(made)]
        used = {index for peer in peers for index in self._used(peer)}
        out = [v for index, v in enumerate(made) if index in used]
        order = [self.source_of(v) for v in values_in(scope.result)]
        out.sort(key=lambda v: order.index(v) if v in order else len(order))
        if not out and made:
            out = [v for v in order if v in inside][:1] or made[-1:]
        return [("output" if len(out) == 1 else f"output{i + 1}", v) for i, v in enumerate(out)]

    def _used(self, scope: TraceScope) -> list[int]:
        """Indices of the values made in a scope that are read outside it."""
        own_steps = {id(step) for step in scope.steps()}
        return [
            index
            for index, value in enumerate(_made(scope))
            if any(r not in own_steps for r in self.readers.get(value, ()))
        ]

    def source_of(self, value: int) -> int:
        """The value that a copy was made of."""
        return self.passed.get(value, value)

    def _item(
        self,
        draft: Draft,
        scope: TraceScope,
        item: Any,
        ends: dict[int, End],
        taken: set[str],
        reserved: set[str],
    ) -> None:
        rel = item.path.removeprefix(f"{scope.path}.") if scope.path else item.path
        first = next((n for n, d in draft.nodes.items() if rel and d.path == item.path), "")
        if isinstance(item, Step):
            variable_names = {
                name for step in scope.items if isinstance(step, Step) for name in step.variables
            }
            self._step(draft, item, rel, first, ends, (taken, reserved, variable_names))
            return
        inner = self.draw(item, label_of(item.module, item.path, draft.label), {"x": "input"})
        name = node_name(rel, "block", taken, first)
        draft.nodes[name] = DraftNode(item.path, None, inner, owner=first)
        inner.users.append(draft.nodes[name])
        inside = {v for step in item.steps() for v in step.makes}
        arguments = [v for v, _ in self._inputs(item, inside)]
        for value, port in zip(arguments, inner.inputs, strict=True):
            self._wire(draft, value, (name, port), ends)
        for (port, _), (_, value) in zip(inner.outputs, self._outputs(item, inside), strict=True):
            ends[value] = (name, port)

    def _step(
        self,
        draft: Draft,
        step: Step,
        rel: str,
        first: str,
        ends: dict[int, End],
        names: tuple[set[str], set[str], set[str]],
    ) -> None:
        matched: MatchedNode = step.matched
        taken, reserved, variable_names = names
        base = default_base(matched.block.name, matched.block.family)
        name = "" if rel else self._variable(step, reserved)
        if name:
            name = legal(name, taken, base)
        else:
            used = reserved | variable_names
            name = node_name(rel, base, taken, first) if rel else _fresh(base, taken, used)
        settings = {} if first else settings_of(matched.block, matched.settings)
        draft.nodes[name] = DraftNode(step.path, matched.block, None, settings, first)
        for port, value in matched.wires.items():
            self._wire(draft, self.source_of(value), (name, port), ends, step)
        for port, value in matched.outputs.items():
            ends[value] = (name, port)

    def _variable(self, step: Step, reserved: set[str]) -> str:
        """The user's variable name for a function's result, if more than the next statement
        reads it; "" without one. Of several results, their names joined: q_k_v."""
        names = step.variables
        known = [n for n in names if not check_id(n) and n not in SAYING_LITTLE | reserved]
        if step.matched.block.init or len(known) < len(names):
            return ""
        if len(names) != 1:
            joined = ("__" if any("_" in n for n in names) else "_").join(names)
            several = 1 < len(names) == len(step.outputs) and len(joined) <= 38
            return joined if several and joined not in reserved else ""
        after = self.following.get(id(step), set())
        passed_on = all(self.readers.get(value, set()) <= after for value in step.makes)
        block = step.matched.block
        usual = names[0].rstrip("0123456789") == default_base(block.name, block.family)
        return names[0] if step.is_size or usual or not passed_on else ""

    def _wire(
        self, draft: Draft, value: int, target: End, ends: dict[int, End], step: Any = None
    ) -> None:
        if value not in ends:
            self._refuse_constant(value)
            location = step.place if step else draft.path
            raise ImportRefused(location, "uses a tensor that no recorded call made.")
        draft.wires.append((ends[value], target))


def _readers(trace: Trace, passed: dict[int, int]) -> dict[int, set[int]]:
    """Ids of the steps that read each value; 0 stands for the model's result."""
    result: dict[int, set[int]] = {}
    for step in trace.root.steps():
        for value in _wired(step):
            result.setdefault(passed.get(value, value), set()).add(id(step))
    for value in values_in(trace.root.result):
        result.setdefault(passed.get(value, value), set()).add(0)
    return result


def _following(trace: Trace) -> dict[int, set[int]]:
    """For each step, the steps of the next item, without those that are written inline."""
    result: dict[int, set[int]] = {}
    for scope in (trace.root, *trace.root.scopes()):
        after: set[int] = set()
        for item in reversed(scope.items):
            if isinstance(item, TraceScope):
                # what all layers of a list read is read in more than the next line
                first = item.items[0] if item.module is None else item
                after = {
                    id(step) for step in ([first] if isinstance(first, Step) else first.steps())
                }
                continue
            result[id(item)] = after
            if not item.is_size:
                after = {id(item)}
    return result


def _made(scope: TraceScope) -> list[int]:
    return [v for step in scope.steps() for v in step.makes]


def _wired(step: Step) -> list[int]:
    return list(step.matched.wires.values())


def named_results(result: Any) -> list[tuple[str, int]]:
    """Name the model's results: by the key of its dictionary, else output, output2."""
    if isinstance(result, dict):
        return [entry for key, item in result.items() for entry in _named(str(key), item)]
    numbers = list(values_in(result))
    return [("output" if i == 0 else f"output{i + 1}", v) for i, v in enumerate(numbers)]


def _named(name: str, item: Any) -> list[tuple[str, int]]:
    """Name the values of one result: by the keys of dictionaries in it, else by number."""
    if isinstance(item, dict):
        return [entry for key, part in item.items() for entry in _named(f"{name}_{key}", part)]
    numbers = list(values_in(item))
    return [(name if len(numbers) == 1 else f"{name}_{i}", v) for i, v in enumerate(numbers)]


def label_of(module: nn.Module | None, path: str, outer: str) -> str:
    """What to call the composite of a module: its class, or for torch's containers its path."""
    kind = type(module)
    if module is not None and not kind.__module__.startswith("torch.nn"):
        return camel_case(kind.__name__.strip("_"))
    words = path.split(".")
    named = [w for w in words if not w.isdigit()][-1:]
    number = words[-1:] * (words[-1].isdigit() and bool(named))
    return camel_case("_".join(named + number) if path else outer)


def _last(path: str) -> str:
    return path.rpartition(".")[2]


def node_name(rel: str, base: str, taken: set[str], first: str = "") -> str:
    """Make the id of a layer of its path. first: the id of its first use, for a further one."""
    if first:
        number = 2
        while f"{first}{number}" in taken:
            number += 1
        return legal(f"{first}{number}", taken, base)
    return legal(f"{base}_{rel}" if rel.isdigit() else rel.replace(".", "_"), taken, base)


def legal(name: str, taken: set[str], base: str) -> str:
    """Make a name a free node id."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", name).strip("_")[-38:].lstrip("_0123456789") or base
    candidate, number = name, 1
    while candidate in taken or check_id(candidate):
        number += 1
        candidate = f"{name}{number}" if number < 1000 else f"{base}{number}"
    taken.add(candidate)
    return candidate


def _fresh(base: str, taken: set[str], reserved: set[str]) -> str:
    number = 1
    while f"{base}{number}" in taken | reserved or check_id(f"{base}{number}"):
        number += 1
    taken.add(f"{base}{number}")
    return f"{base}{number}"
