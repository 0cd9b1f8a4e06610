"""Merge the traces in eval and in training mode into one that is right in both.

Layers know both modes. A function with a mode argument becomes a layer or reads `self.training`;
statements of training alone are kept, and a block selects the value by mode. What cannot be
merged stays as in eval mode, and is listed.
"""

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from torch import nn

from core.common.errors import ImportRefused
from core.wings.importing.lower.mode_arguments import DROPOUTS, mode_arguments
from core.wings.importing.matching.match import function_block
from core.wings.importing.tracing.arguments import refs_in
from core.wings.importing.tracing.leaf_modules import leaf_block
from core.wings.importing.tracing.recorder import Run
from core.wings.importing.tracing.run_sample import trace_model
from core.wings.importing.tracing.symint import Size
from core.wings.importing.tracing.trace_ir import Ref, Step, Trace, TraceScope

CHOICE = "in_train_phase"
"""The block that chooses by the mode."""
Item = Step | TraceScope


def trace_both_modes(
    module: nn.Module,
    shapes: Sequence[tuple[int, ...]],
    dtypes: Sequence[str],
    run: Run | None,
    branches: bool = True,
) -> tuple[Trace, list[str]]:
    """Trace a model in eval and in training mode, merged; with what is left out of training.

    branches: keep statements of training alone. Raises ImportRefused.
    """
    usual = trace_model(module, shapes, dtypes, run)
    try:
        trained = trace_model(module, shapes, dtypes, run, training=True)
    except ImportRefused as refused:
        failed = refused.message.startswith("cannot be run on")
        return usual, [] if failed else [f"in training, {refused.place} {refused.message}"]
    if further := _decided(usual, trained):
        return usual, further
    if trained.batch != usual.batch:  # training needs values: both are of one batch then
        usual = trace_model(module, shapes, dtypes, run, values=True)
    return usual, merge_modes(usual, trained, branches)


def _decided(usual: Trace, trained: Trace) -> list[str]:
    """Data-dependent decisions of training alone: the drawing is the eval trace then."""
    read = trained.decisions.read
    further = [place for place in read if place not in usual.decisions.read]
    return [f"in training only, {place} {read[place]}" for place in further]


def merge_modes(usual: Trace, trained: Trace, branches: bool = True) -> list[str]:
    """Merge the training trace into the eval trace, in place.

    branches: keep statements of training alone. Returns what is left out, for people. The training
    trace is used up.
    """
    joined = _ModeMerger(usual, trained, branches)
    joined.scope(usual.root, trained.root)
    joined.prune(usual.root)
    return list(dict.fromkeys(joined.left_out))


class _ModeMerger:
    """values: of the training trace, by those of the eval trace. alike: a value to its value in
    eval mode. further: steps of training alone, by id."""

    def __init__(self, usual: Trace, trained: Trace, branches: bool) -> None:
        self.usual, self.trained, self.branches = usual, trained, branches
        self.values = dict(zip(trained.inputs, usual.inputs, strict=True))
        self.alike: dict[int, int] = {}
        self.chosen: dict[tuple[int, int], int] = {}
        self.further: set[int] = set()
        self.changed: set[int] = set()
        self.counted: set[str] = set()
        self.left_out: list[str] = []
        self.usual.attributes = dict(usual.attributes)
        self.usual.constants, self.usual.constant_tensors = (
            dict(usual.constants),
            dict(usual.constant_tensors),
        )
        known = {path: value for value, path in usual.attributes.items()}
        for value, path in trained.attributes.items():
            if path not in known:
                known[path] = self._fresh(value)
                self.usual.attributes[known[path]] = path
            self.values[value] = known[path]

    def _fresh(self, value: int) -> int:
        number = len(self.usual.shapes)
        self.usual.shapes[number] = self.trained.shapes[value]
        return number

    def scope(self, usual: TraceScope, trained: TraceScope) -> None:
        """Merge two calls of one module."""
        items: list[Item] = []
        for kind, one, other in _aligned(usual.items, trained.items):
            if kind == "both":
                items += self._both(one, other)
            elif one:
                items.append(one)
            elif other and self._enter(other):
                items.append(other)
        usual.items = items
        _without_placeholders(usual)
        usual.result = self._refs(usual, usual.result, trained.result, usual.place)

    def _both(self, one: Item, other: Item) -> list[Item]:
        """The merged form of a statement of both traces."""
        around = TraceScope("", None)
        if isinstance(one, TraceScope) and isinstance(other, TraceScope):
            self._names(around, one, other)
            self.scope(one, other)
            return [*around.items, one]
        assert isinstance(one, Step)
        assert isinstance(other, Step)
        arguments = mode_arguments(one, other, self.usual, self.counted)
        if arguments is None:
            arguments = (one.args, dict(one.kwargs)), (other.args, dict(other.kwargs))
            if not _is_same_call(*arguments):
                return [one, *([other] if self._enter(other) else [])]
        one.args, one.kwargs = self._refs(around, *arguments, one.place)
        for (_, mine), (_, theirs) in zip(one.outputs, other.outputs, strict=False):
            self.values[theirs] = mine
        return [*around.items, one]

    def _names(self, around: TraceScope, one: TraceScope, other: TraceScope) -> None:
        """Merge the arguments that a module receives in each mode."""
        if list(one.names.values()) != list(other.names.values()):
            return
        pairs = zip(list(one.names.items()), list(other.names), strict=True)
        one.names = {self._value(around, e, t, one.place): name for (e, name), t in pairs}

    def _refs(self, scope: TraceScope, usual: Any, trained: Any, place: str) -> Any:
        """Replace tensors by those selected by mode, where the nesting is alike."""
        if isinstance(usual, Ref):
            return (
                Ref(self._value(scope, usual.value, trained.value, place))
                if isinstance(trained, Ref)
                else usual
            )
        if isinstance(usual, Mapping) and isinstance(trained, Mapping):
            return {k: self._refs(scope, v, trained.get(k), place) for k, v in usual.items()}
        if type(usual) is tuple and isinstance(trained, tuple) and len(usual) == len(trained):
            pairs = zip(usual, trained, strict=True)
            return tuple(self._refs(scope, a, b, place) for a, b in pairs)
        if isinstance(usual, slice) and isinstance(trained, slice):
            pairs = ((getattr(usual, end), getattr(trained, end)) for end in ENDS)
            return slice(*(self._refs(scope, a, b, place) for a, b in pairs))
        return usual

    def _value(self, scope: TraceScope, usual: int, trained: int, place: str) -> int:
        """The value that is `usual` in eval mode and `trained` in training."""
        now = self.values.get(trained)
        both_fixed = usual in self.usual.constants and trained in self.trained.constants
        if now is None or now == usual or both_fixed:
            return usual
        if self.alike.get(now) == usual or not self.branches:
            return now if self.alike.get(now) == usual else usual
        if (now, usual) not in self.chosen:
            self._choose(scope, now, usual, place)
        return self.chosen[now, usual]

    def _choose(self, scope: TraceScope, trained: int, usual: int, place: str) -> None:
        number = len(self.usual.shapes)
        self.usual.shapes[number] = self.usual.shapes[usual]
        self.chosen[trained, usual], self.alike[number] = number, usual
        step = Step(CHOICE, "", None, (Ref(trained), Ref(usual)), {}, place, [((), number)])
        step.result = Ref(number)
        self.further.add(id(step))
        scope.items.append(step)

    def _enter(self, item: Item) -> bool:
        """Add a statement of training alone; returns whether it can be kept."""
        if isinstance(item, TraceScope):
            item.items = [inner for inner in item.items if self._enter(inner)]
            item.names = {self.values[t]: n for t, n in item.names.items() if t in self.values}
            item.result = self._mapped(item.result)
            return bool(item.items)
        if not self._is_joinable(item):
            return False
        item.args, item.kwargs = self._mapped(item.args), self._mapped(dict(item.kwargs))
        drops = item.name in DROPOUTS or leaf_block(item.module or nn.Identity()) in RANDOM
        source = item.reads[0] if drops else None
        if item.name in DROPOUTS:
            item.args, item.kwargs = DROPOUTS[item.name](item)
        item.outputs = [(path, self._made(value)) for path, value in item.outputs]
        if source is not None:
            self.alike[item.makes[0]] = self.alike.get(source, source)
        self.further.add(id(item))
        return True

    def _made(self, value: int) -> int:
        self.values[value] = self._fresh(value)
        return self.values[value]

    def _is_joinable(self, step: Step) -> bool:
        """Whether a statement can be drawn; one that changes the model in place cannot."""
        read = [*step.reads, *step.sizes_read()]
        changes = step.name.endswith("_") and not step.name.startswith("__")
        path = self.trained.attributes.get(step.reads[0], "") if step.reads else ""
        if changes and (path or (step.reads[:1] and step.reads[0] in self.changed)):
            self.changed |= set(step.makes)
            if path.endswith(".num_batches_tracked"):
                self.counted.add(path.removesuffix(".num_batches_tracked"))
            elif path:
                self.left_out.append(
                    f"in training, the original changes {path} in place, {step.place}; the "
                    "drawing does not change it"
                )
            return False
        self._fixed(read)
        known = step.module is not None or function_block(step.name) is not None
        known = known or step.name in ("__getitem__", "__setitem__")
        if self.branches and known and all(value in self.values for value in read):
            return True
        if not self.changed & set(read):
            self.left_out.append(
                f"in training, the original calls {step.label}, too; drawn as in evaluation"
            )
        return False

    def _fixed(self, read: list[int]) -> None:
        """Copy the constants that a statement reads."""
        for value in read:
            if value in self.trained.constants and value not in self.values:
                number = self.values[value] = self._fresh(value)
                self.usual.constants = {
                    **self.usual.constants,
                    number: self.trained.constants[value],
                }
                self.usual.constant_tensors = {
                    **self.usual.constant_tensors,
                    number: self.trained.constant_tensors[value],
                }

    def _mapped(self, nested: Any) -> Any:
        if isinstance(nested, Ref):
            return Ref(self.values.get(nested.value, nested.value))
        if isinstance(nested, Size):
            return Size.of(int(nested), _renamed(nested.expression, self.values))
        if isinstance(nested, Mapping):
            return {key: self._mapped(item) for key, item in nested.items()}
        if isinstance(nested, tuple):
            return tuple(self._mapped(item) for item in nested)
        if isinstance(nested, slice):
            return slice(*(self._mapped(e) for e in (nested.start, nested.stop, nested.step)))
        return nested

    def prune(self, root: TraceScope) -> None:
        """Drop statements of training alone that nothing reads."""
        needed = {ref.value for ref in refs_in(root.result)}

        def keep(item: Item) -> bool:
            if isinstance(item, TraceScope):
                item.items = [i for i in reversed(item.items) if keep(i)][::-1]
                return True
            if id(item) in self.further and not needed.intersection(item.makes):
                return False
            needed.update([*item.reads, *item.sizes_read()])
            return True

        root.items = [i for i in reversed(root.items) if keep(i)][::-1]


RANDOM = frozenset(
    "nn.Dropout nn.Dropout1d nn.Dropout2d nn.Dropout3d nn.AlphaDropout "
    "nn.FeatureAlphaDropout nn.StochasticDepth".split()
)
"""Layers that give back what they are given in evaluation."""


def _without_placeholders(scope: TraceScope) -> None:
    """Turn an nn.Identity beside a norm that is drawn as two layers into an alias."""
    steps = [item for item in scope.items if isinstance(item, Step) and item.module]
    if any(step.path == scope.path for step in steps):
        for step in steps:
            if type(step.module) is nn.Identity:
                step.name, step.path, step.module = "alias", "", None


def _aligned(usual: list[Item], trained: list[Item]) -> Iterator[tuple[str, Any, Any]]:
    """Statements of both traces, of one, or of the other, aligned by difflib."""
    one, other = [_key(item) for item in usual], [_key(item) for item in trained]
    if one == other:
        yield from (("both", a, b) for a, b in zip(usual, trained, strict=True))
        return
    for kind, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind == "equal":
            pairs = zip(usual[a:b], trained[c:d], strict=True)
            yield from (("both", first, second) for first, second in pairs)
        else:
            yield from (("usual", item, None) for item in usual[a:b])
            yield from (("trained", None, item) for item in trained[c:d])


def _key(item: Item) -> tuple[str, str, str]:
    if isinstance(item, TraceScope):
        return "", item.path, ""
    return item.name, item.path, item.place


def _is_same_call(one: Any, other: Any) -> bool:
    """Whether two calls are equal apart from their tensors."""
    if isinstance(one, Ref) or isinstance(other, Ref):
        return isinstance(one, Ref) and isinstance(other, Ref)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_is_same_call(one[k], other[k]) for k in one)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_is_same_call, one, other))
    if isinstance(one, slice) and isinstance(other, slice):
        return all(_is_same_call(getattr(one, n), getattr(other, n)) for n in ENDS)
    if isinstance(one, int) and isinstance(other, int):
        return int(one) == int(other)
    return one is other or repr(one) == repr(other)


ENDS = ("start", "stop", "step")


def _renamed(expression: Any, values: Mapping[int, int]) -> Any:
    if expression[0] == "size":
        return ("size", values.get(expression[1], expression[1]), expression[2])
    if expression[0] == "int":
        return expression
    return (expression[0], *(_renamed(part, values) for part in expression[1:]))
