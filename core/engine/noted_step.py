"""The common operations of several engines' steps; numbers in which they differ become tensors.

A step is noted as it is for one compiled step, once for each that has other settings. Where notes
are alike but for numbers (weight decay, momentum, label smoothing), those become inputs, so that
one function makes the step of any of them. Nothing is known here of settings: what differs
otherwise is found in the operations, and named.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._decomp import decomposition_table
from torch.func import functionalize
from torch.fx import GraphModule, Interpreter, Node
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils import _pytree as pytree

from core.engine.random_inputs import Draw, take_out_draws
from core.engine.step_output import StepOutput
from core.engine.traced_step import TracedStep, operations
from core.engine.trainer_state import TrainerState
from core.settings.accelerations import changing

Place = tuple[str, int]
"""A node, and which of its arguments, counted through lists."""
FOREACH = "_foreach_"
BATCH_NORM = torch.ops.aten._native_batch_norm_legit_functional.default
COPY = torch.ops.aten.copy.default  # vmap has no rule for it
COARSE = "rounds coarsely, so that a joint step would lead elsewhere"
FACTORS = ("alpha", "value")
"""Arguments of operations that are numbers even where others may be tensors."""


class Different(RuntimeError):
    """Steps of different kinds; the text gives the difference."""


class NotedStep(TracedStep):
    """A step of an engine, noted and not compiled.

    like: a step that differs in no setting but learning rate and seed, whose notes are taken.
    """

    def __init__(self, engine: TrainerState, size: int, like: "NotedStep | None" = None) -> None:
        """Compared later, by `check`, with what is compiled for all."""
        self.like = like
        self.graph: GraphModule
        self.draws: list[Draw]
        super().__init__(engine, size, compare=False)

    def refuse(self) -> None:
        """Raises RuntimeError where it is known that steps made at once are not those of each."""
        super().refuse()
        if why := changing(self.engine.training):
            raise RuntimeError(why)
        if self.engine.computing.dtype:
            raise RuntimeError(f"{self.engine.training['precision']} {COARSE}")

    def make_play(self) -> Callable[[], None]:
        """Note a step; nothing plays it until `check`."""
        self.calculate()  # makes what optimisers keep
        self.tensors = self.lasting_tensors()
        if self.like:
            self.graph, self.draws = self.like.graph, self.like.draws
        else:
            self._forget_places()  # what the average looked up would be no input
            self.graph = operations(self.traced, self.tensors)
            self._forget_places()
            self.draws = take_out_draws(self.graph)
        self.buffers = [torch.empty_like(draw.buffer) for draw in self.draws]
        self.tensors += self.buffers
        self.moved = [weight for weight in self.weights if weight.grad is not None]
        self.whole = self.out
        return lambda: None

    def _forget_places(self) -> None:
        if self.engine.average:
            self.engine.average.forget_places()

    def check(self, play: Callable[[], None], before: dict[str, Any]) -> None:
        """Raises RuntimeError where steps that are played end elsewhere than calculated ones."""
        self.play = play
        self.compare(before)

    def draw(self, generator: torch.Generator | None) -> None:
        """Draw the random numbers of the next step."""
        for draw, buffer in zip(self.draws, self.buffers, strict=True):
            draw.fill(buffer, generator)

    def output_of(self, made: Sequence[Tensor]) -> StepOutput:
        """The output of its step, of the tensors that the compiled one returns for it."""
        return self.output_from(iter(made), self.whole)


def differing(graphs: Sequence[GraphModule]) -> dict[Place, list[float]]:
    """The numbers in which notes differ, one of each. Raises Different for anything else."""
    first, found = graphs[0], dict[Place, list[float]]()
    for other in graphs[1:]:
        if len(other.graph.nodes) != len(first.graph.nodes):
            raise Different("their steps have different numbers of operations")
    for nodes in zip(*(graph.graph.nodes for graph in graphs), strict=True):
        if any((n.op, str(n.target)) != (nodes[0].op, str(nodes[0].target)) for n in nodes):
            raise Different(f"only some of their steps call {_name(nodes[0])}")
        if nodes[0].op == "get_attr":
            _same_constant(graphs, nodes[0].name, [str(node.target) for node in nodes])
        flat = [pytree.tree_leaves((node.args, node.kwargs)) for node in nodes]
        if len({len(leaves) for leaves in flat}) > 1:
            raise Different(f"{_name(nodes[0])} is called with different arguments")
        for at, values in enumerate(zip(*flat, strict=True)):
            if isinstance(values[0], Node):
                if any(not isinstance(v, Node) or v.name != values[0].name for v in values):
                    raise Different(f"{_name(nodes[0])} takes different inputs")
            elif any(type(v) is not type(values[0]) or v != values[0] for v in values):
                if not all(type(v) in (int, float) for v in values):
                    raise Different(f"{_name(nodes[0])} takes {values[0]} and {_other(values)}")
                found[nodes[0].name, at] = [float(v) for v in values]
    return found


def _other(values: Sequence[Any]) -> Any:
    return next(value for value in values if value != values[0])


def _name(node: Node) -> str:
    packet = getattr(node.target, "overloadpacket", None)
    return packet.__name__ if packet else str(node.target)


def _same_constant(graphs: Sequence[GraphModule], name: str, targets: Sequence[str]) -> None:
    values = [getattr(g, target) for g, target in zip(graphs, targets, strict=True)]
    if not all(isinstance(v, Tensor) and torch.equal(v, values[0]) for v in values):
        raise Different(f"they have different values of {name.strip('_')}")


class OneByOne(Interpreter):
    """Makes what was noted, each operation on a list of tensors as one on each of them.

    numbers: those that are inputs, by place. vmap has no rule for lists, nor for numbers.
    """

    def __init__(self, graph: GraphModule, numbers: dict[Place, Tensor]) -> None:
        super().__init__(graph)
        self.numbers = numbers

    def run_node(self, n: Node) -> Any:
        """Make an operation, with its numbers; calls to profilers are left out."""
        operation: Any = n.target
        if str(operation).startswith("profiler."):
            return None
        if not hasattr(operation, "overloadpacket"):
            return super().run_node(n)
        leaves, spec = pytree.tree_flatten((n.args, n.kwargs))
        lifted = any((n.name, at) in self.numbers for at in range(len(leaves)))
        values = [self.env[leaf] if isinstance(leaf, Node) else leaf for leaf in leaves]
        values = [self.numbers.get((n.name, at), value) for at, value in enumerate(values)]
        args, kwargs = pytree.tree_unflatten(values, spec)
        name = operation.overloadpacket.__name__
        names = [argument.name for argument in operation._schema.arguments]
        named = dict(zip(names, args, strict=False)) | kwargs
        if name == "native_batch_norm" and named["training"]:
            operation = _telling(named)
        if name.startswith(FOREACH):
            each_name = name.removeprefix(FOREACH)
            return [_called_by_name(each_name, each) for each in _one_by_one(named)]
        return _called(operation.overloadpacket, named) if lifted else operation(*args, **kwargs)


def _telling(named: Mapping[str, Any]) -> Any:
    """BatchNorm that declares which tensors it changes, where it changes some."""
    silent = torch.ops.aten.native_batch_norm.default
    return (
        silent if named["running_mean"] is None else torch.ops.aten._native_batch_norm_legit.default
    )


def _one_by_one(named: dict[str, Any]) -> list[dict[str, Any]]:
    """Arguments of each operation that an operation on lists stands for."""
    lists = [value for value in named.values() if isinstance(value, list | tuple)]
    return [
        {k: v[at] if isinstance(v, list | tuple) else v for k, v in named.items()}
        for at in range(len(lists[0]))
    ]


def _called_by_name(name: str, named: dict[str, Any]) -> Any:
    """Call an operation on one tensor of lists; maximum_ has that form for lists only."""
    if name != "maximum_":
        return _called(getattr(torch.ops.aten, name), named)
    into, other = named.values()
    of_two = torch.ops.aten.maximum if isinstance(other, Tensor) else torch.ops.aten.clamp_min
    return into.copy_(of_two(into, other))


def _called(packet: Any, named: dict[str, Any]) -> Any:
    """Call an operation whose factors may be tensors where it takes numbers only."""
    factors = {name: named.pop(name) for name in FACTORS if name in named}
    plain = {name: value for name, value in factors.items() if not isinstance(value, Tensor)}
    rest = list(named.values())
    if plain == factors:
        return packet(*rest, **factors)
    (factor,) = (value for value in factors.values() if isinstance(value, Tensor))
    name = packet.__name__.rstrip("_")
    terms = {
        "add": lambda: rest[1] * factor,
        "sub": lambda: -(rest[1] * factor),
        "addcmul": lambda: factor * rest[1] * rest[2],
        "addcdiv": lambda: factor * rest[1] / rest[2],
    }
    if name not in terms:
        raise Different(f"{name} cannot take a different number for each run")
    term = terms[name]()
    return rest[0].add_(term) if packet.__name__.endswith("_") else rest[0] + term


def _copied(into: Tensor, value: Tensor, non_blocking: bool = False) -> Tensor:
    return value.to(into.dtype).expand_as(into).clone()


def masked(graph: GraphModule, places: Sequence[Place], examples: Sequence[Tensor]) -> GraphModule:
    """A step without side effects but for one: what it changes is put back where it is wanted.

    Its inputs: whether the step is to be made, (); the numbers of `places`; the tensors of the
    notes. examples: all of them.
    """
    many = len(places)

    def step(_: Tensor, *given: Tensor) -> Any:
        numbers = dict(zip(places, given[:many], strict=True))
        return OneByOne(graph, numbers).run(*given[many:])

    copies = [example.detach().clone() for example in examples]
    written: Any = functionalize(step, remove="mutations_and_views")
    in_others = {BATCH_NORM: decomposition_table[BATCH_NORM], COPY: _copied}
    made = make_fx(written, in_others)(*copies)
    active = next(iter(made.graph.nodes))
    for node in list(made.graph.nodes):
        if node.target is torch.ops.aten.copy_.default and node.args[0].op == "placeholder":
            into, new = node.args[:2]
            with made.graph.inserting_before(node):
                kept = made.graph.call_function(torch.ops.aten.where.self, (active, new, into))
            node.args = (into, kept, *node.args[2:])
    made.recompile()
    return made
