"""Static shapes: the input sizes for which a drawing is valid, by tracing again at other sizes.

If the model does anything else at another size, the Input gets a static shape there, and forward
refuses other sizes. Tracing on the meta device is cheap, so sizes are tried as the model's own
comparisons (guards) suggest.
"""

import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import add, eq, floordiv, ge, gt, le, lt, mod, mul, ne, sub
from typing import Any

from core.graph.python_sizes import sizes_named_in
from core.wings.importing.tracing.data_dependent import BY_BATCH, sizes_of
from core.wings.importing.tracing.symint import Expression, Size
from core.wings.importing.tracing.trace_ir import Ref, Step, Trace
from core.wings.importing.tracing.user_frame import is_library_file

Shape = tuple[int, ...]
StaticShape = tuple[int | None, ...]
Record = Callable[[Sequence[Shape]], Trace | None]
"""Records the model on inputs of some shapes; None where it cannot be run on them."""
Group = tuple[tuple[int, int], ...]
"""Sizes that are changed together: numbers of inputs and of their dimensions, without the batch."""
Grow = Callable[[int, int], int]
GROWING: tuple[Grow, ...] = (
    lambda n, dim: n + 1 + 2 * dim,
    lambda n, dim: 2 * n,
    lambda n, dim: max(n // 2, 1),
    lambda n, dim: n + 32 * (1 + dim),
)
"""Other sizes than n for each of those that are changed together."""
LARGEST = 1 << 14
"""Beyond this many times a size no threshold is looked for."""
LARGEST_BATCH, MOST_BATCHES = 4096, 6
"""Up to which batch size, and at how many of them, a model is traced again."""
BY_CALL = {
    "squeeze": ": squeeze() without a dimension drops that of the batch, too, when it holds one "
    "sample",
    "linalg_cross": ": torch.cross without a dimension takes the first of size 3, and so that of "
    "a batch of three samples",
}
"""Functions of torch that look at all dimensions, the batch among them."""
ATTENTION = "scaled_dot_product_attention"
ORDERS = ("<", "<=", ">", ">=")
COMPARED: Mapping[str, Callable[[int, int], bool]] = {
    "<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne,
}  # fmt: skip
CALCULATED: Mapping[str, Callable[[int, int], int]] = {
    "+": add, "-": sub, "*": mul, "//": floordiv, "%": mod,
}  # fmt: skip
Guard = tuple[str, Expression, str, Expression, bool | float]


class TraceSignature:
    """What a trace does apart from its sizes: its calls, and the results of its comparisons.

    uncaused: numbers of calls for which a causal mask hides nothing.
    Values are numbered without those of contiguous: whether it copies depends on the sizes.
    """

    def __init__(self, trace: Trace) -> None:
        steps = list(trace.root.steps())
        same = {s.makes[0]: s.reads[0] for s in steps if s.name == "contiguous"}
        order = [v for v in sorted(trace.shapes) if v not in same]
        numbers = {value: number for number, value in enumerate(order)}
        self.numbers = numbers | {v: numbers.get(w, -1) for v, w in _ends(same)}
        self.shapes = {number: trace.shapes[value] for value, number in numbers.items()}
        kept = [step for step in steps if step.name != "contiguous"]
        self.steps = [self._call(step) for step in kept]
        self.uncaused = {n for n, step in enumerate(kept) if _attends_once(step, trace)}
        self.result = self._argument(trace.root.result)
        self.compared = [
            (self.renumbered(left), sign, self.renumbered(right), answer)
            for _, left, sign, right, answer in trace.comparisons
        ]
        self.valueless = trace.valueless
        self.inputs = tuple(numbers[value] for value in trace.inputs)

    def renumbered(self, expression: Expression) -> Expression:
        """An expression with the value numbers of this signature."""
        kind, *rest = expression
        if kind == "size":
            return kind, self.numbers.get(rest[0], -1), rest[1]
        return expression if kind == "int" else (kind, *(self.renumbered(side) for side in rest))

    def matches(self, other: "TraceSignature", burned: Iterable[Expression]) -> bool:
        """Whether two traces do the same: their calls and results, whatever was compared on the
        way. burned: expressions that are plain numbers in the drawing."""
        if len(self.steps) != len(other.steps) or self.result != other.result:
            return False
        uncaused = self.uncaused | other.uncaused
        for number, (one, another) in enumerate(zip(self.steps, other.steps, strict=True)):
            cut = number in uncaused
            if one != another and not (cut and _without_causal(one) == _without_causal(another)):
                return False
        return all(self.evaluate(e) == other.evaluate(e) for e in burned)

    def _call(self, step: Step) -> tuple[Any, ...]:
        """A call with its arguments, sizes as expressions."""
        arguments = self._argument(step.args), self._argument(dict(step.kwargs))
        return step.name, step.path, *arguments, len(step.outputs)

    def _argument(self, nested: Any) -> Any:
        if isinstance(nested, Ref):
            return "value", self.numbers.get(nested.value, -1)
        if isinstance(nested, Size):
            return "size", self.renumbered(nested.expression)
        if isinstance(nested, Mapping):
            return tuple((key, self._argument(item)) for key, item in nested.items())
        if isinstance(nested, (tuple, list)):
            return tuple(self._argument(item) for item in nested)
        if isinstance(nested, slice):
            return self._argument((nested.start, nested.stop, nested.step))
        if isinstance(nested, (bool, int, float, str)) or nested is None:
            return repr(nested)
        return str(nested) if type(nested).__module__ == "torch" else type(nested).__name__

    def evaluate(self, expression: Expression) -> int:
        """The value of an expression of sizes in this trace."""
        kind, *rest = expression
        if kind == "int":
            return rest[0]
        if kind == "size":
            return self.shapes[rest[0]][rest[1]]
        a, b = (self.evaluate(side) for side in rest)
        results = {"+": a + b, "-": a - b, "*": a * b}
        return results[kind] if kind in results else a // b if kind == "//" else a % b


class StaticShapeSearch:
    """Searches for the input sizes that a drawing is specialised to."""

    def __init__(
        self,
        course: TraceSignature,
        burned: Sequence[Expression],
        shapes: Sequence[Shape],
        record: Record,
        agrees: Callable[[Sequence[Shape]], bool] = lambda shapes: False,
    ) -> None:
        """agrees: whether the drawing gives the same at sizes at which other calls are made."""
        self.signature, self.shapes, self.record = course, shapes, record
        self.agrees = agrees
        moved = [course.renumbered(expression) for expression in burned]
        self.burned = [e for e in moved if all(value >= 0 for value, _ in sizes_of(e))]

    def find(self) -> list[StaticShape]:
        """For each input its shape with None where any size is valid."""
        sides = tuple(
            (i, d) for i, s in enumerate(self.shapes) if len(s) in (3, 4) for d in range(1, len(s))
        )
        fixed: set[tuple[int, int]] = set()
        free = set(sides) if sides and self.is_free(sides) else set[tuple[int, int]]()
        for group in self.groups():
            if not free.issuperset(group) and not self.is_free(group):
                fixed.update(group)
        if sides and not free and not fixed.intersection(sides):
            fixed.update(sides)
        return [
            tuple(n if (index, dim) in fixed else None for dim, n in enumerate(shape))
            for index, shape in enumerate(self.shapes)
        ]

    def groups(self) -> Iterator[Group]:
        """Dimensions to vary together: each by itself, with equal sizes of other inputs."""
        seen: set[tuple[int, int]] = set()
        for index, shape in enumerate(self.shapes):
            for dim, size in enumerate(shape):
                if (index, dim) not in seen:
                    alike = [i for i, s in enumerate(self.shapes) if s[dim : dim + 1] == (size,)]
                    seen.update((i, dim) for i in alike)
                    yield tuple((i, dim) for i in alike)

    def is_free(self, group: Group) -> bool:
        """Whether the model does the same at other sizes, as far as it runs with them."""
        asks = bool(self.signature.compared or self.burned)
        others: list[TraceSignature] = []
        for grow in GROWING if asks and self.signature.valueless else GROWING[:1]:
            other = self.trace_with(group, grow)
            if other is None:
                continue
            if self.signature.matches(other, self.burned):
                others.append(other)
            elif not self.agrees(self.shapes_with(group, grow)):
                return False
        if not others:
            whole = asks and len({dim for _, dim in group}) > 1  # undecided: as it is drawn
            return not whole and not any(self.compares(g, group) for g in self.signature.compared)
        for guard in self.signature.compared:
            grow = self.flipping(guard, others, group)
            other = self.trace_with(group, grow) if grow else None
            if grow is None or other is None or self.signature.matches(other, self.burned):
                continue
            if not self.agrees(self.shapes_with(group, grow)):
                return False
        return True

    def trace_with(self, group: Group, grow: Grow) -> TraceSignature | None:
        """The signature at other sizes; None if the model does not run with them."""
        trace = self.record(self.shapes_with(group, grow))
        return None if trace is None else TraceSignature(trace)

    def shapes_with(self, group: Group, grow: Grow) -> list[Shape]:
        """The shapes with these dimensions at other sizes."""
        shapes = [list(shape) for shape in self.shapes]
        for index, dim in group:
            shapes[index][dim] = grow(shapes[index][dim], dim)
        return [tuple(shape) for shape in shapes]

    def compares(self, guard: Any, group: Group) -> bool:
        """Whether a guard compares one of these dimensions itself."""
        compared_sizes = {size for side in (guard[0], guard[2]) for size in sizes_of(side)}
        return any(
            (self.signature.inputs[index], dim + 1) in compared_sizes for index, dim in group
        )

    def flipping(self, guard: Any, others: Sequence[TraceSignature], group: Group) -> Grow | None:
        """Sizes at which a comparison with a constant should give the other result."""
        left, sign, right, _ = guard
        plain = [side for side in (left, right) if side[0] == "int"]
        if len(plain) != 1 or plain[0][1] < 1:
            return None
        side, number = right if left[0] == "int" else left, int(plain[0][1])
        current = self.signature.evaluate(side)
        if current < 1 or all(other.evaluate(side) == current for other in others):
            return None
        if sign in ORDERS and current > number:
            return lambda n, dim: max(n * number // current - 1, 1)
        if sign in ORDERS:
            times = number // current + 1
            return (lambda n, dim: n * times) if times < LARGEST else None
        return (lambda n, dim: number) if self.compares(guard, group) else None


def batch_decisions(trace: Trace, other: Trace | None) -> dict[str, str]:
    """What a model decides by its batch size, by place. other: its trace with another batch."""
    if other is None or trace.signature.steps == TraceSignature(other).steps:
        return {}  # whatever was compared on the way, as torch's own functions do
    pairs = zip(trace.comparisons, other.comparisons, strict=False)
    location = next((a[0] for a, b in pairs if a[1:] != b[1:]), "")
    kind = type(trace.root.module).__name__ if trace.root.module else "The model"
    calls = [step.name for step in other.root.steps() if step.place == location]
    reason = next((BY_CALL[name] for name in calls if name in BY_CALL), "")
    return {location or kind: BY_BATCH + reason}


def compared_batches(trace: Trace) -> list[int]:
    """Other batch sizes at which a comparison has the other result, then those that the classes of
    the model name in what decides by a size: len() gives no size that is followed."""
    turning = (_turning(trace, guard) for guard in trace.comparisons)
    sizes = dict.fromkeys(size for size in turning if size)
    sizes |= dict.fromkeys(_named_in_classes(trace))
    return [size for size in sizes if size > 1][:MOST_BATCHES]


def _named_in_classes(trace: Trace) -> Iterator[int]:
    parts = trace.root.module.modules() if trace.root.module else ()
    for kind in dict.fromkeys(type(part) for part in parts):
        try:
            if not is_library_file(inspect.getfile(kind)):
                yield from sizes_named_in(textwrap.dedent(inspect.getsource(kind)))
        except (OSError, TypeError):
            continue  # a class without a file


def _turning(trace: Trace, guard: Guard) -> int:
    """The smallest batch at which a comparison has the other result, 0 for none."""
    _, left, sign, right, answer = guard
    if sign not in COMPARED or not _of_batch(trace, left) | _of_batch(trace, right):
        return 0
    named = [n for size in (*_numbers(left), *_numbers(right)) for n in (size - 1, size, size + 1)]
    largest = LARGEST if trace.valueless else LARGEST_BATCH
    for batch in (*range(2, LARGEST_BATCH), *(n for n in named if 1 < n < largest)):
        sides = (_value(trace, side, batch) for side in (left, right))
        try:
            if COMPARED[sign](*sides) != answer:
                return batch
        except ZeroDivisionError:
            continue  # there it would fail, and so decides nothing
    return 0


def _of_batch(trace: Trace, side: Expression) -> bool:
    kind, *rest = side
    if kind == "size":
        return trace.shapes[rest[0]][rest[1]] % trace.batch == 0
    return kind != "int" and any(_of_batch(trace, part) for part in rest)


def _numbers(side: Expression) -> Iterator[int]:
    kind, *rest = side
    if kind == "int":
        yield int(rest[0])
    elif kind != "size":
        yield from (number for part in rest for number in _numbers(part))


def _value(trace: Trace, side: Expression, batch: int) -> int:
    """An expression of sizes for another batch."""
    kind, *rest = side
    if kind == "int":
        return int(rest[0])
    if kind == "size":
        size = int(trace.shapes[rest[0]][rest[1]])
        return size // trace.batch * batch if size % trace.batch == 0 else size
    return CALCULATED[kind](*(_value(trace, part, batch) for part in rest))


def _attends_once(step: Step, trace: Trace) -> bool:
    """Whether a call is an attention of one step to one step, where is_causal hides nothing."""
    if step.name != ATTENTION or len(step.args) < 2:
        return False
    shapes = [trace.shapes[ref.value] for ref in step.args[:2] if isinstance(ref, Ref)]
    return len(shapes) == 2 and all(len(s) > 1 and int(s[-2]) == 1 for s in shapes)


def _without_causal(call: tuple[Any, ...]) -> tuple[Any, ...]:
    name, path, args, words, count = call
    return name, path, args, tuple(word for word in words if word[0] != "is_causal"), count


def _ends(same: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """The source of every value in a chain of copies."""
    for value, source in same.items():
        while source in same:
            source = same[source]
        yield value, source
