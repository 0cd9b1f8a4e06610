"""Which sizes of its inputs a drawing holds for: the model is recorded again with others.

What a model decides by sizes is drawn as it went. Where another size makes it do anything else, the
drawing is static: its forward refuses other sizes. Without values a run costs little, so sizes are
tried as the comparisons of the model suggest.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from core.importing.tracing.data_dependent import BY_BATCH, sizes_of
from core.importing.tracing.steps import Ref, Step, Trace
from core.importing.tracing.symint import Expression, Size

Shape = tuple[int, ...]
Static = tuple[int | None, ...]
Record = Callable[[Sequence[Shape]], Trace | None]
"""Records the model on inputs of some shapes; None where it cannot be run on them."""
Group = tuple[tuple[int, int], ...]
"""Sizes that are changed together: numbers of inputs and of their dimensions, without the batch."""
Grow = Callable[[int, int], int]
GROWING: tuple[Grow, ...] = (
    lambda n, place: n + 1 + 2 * place,
    lambda n, place: 2 * n,
    lambda n, place: max(n // 2, 1),
    lambda n, place: n + 32 * (1 + place),
)
"""Other sizes than n for each of those that are changed together."""
LARGEST = 1 << 14
"""Beyond this many times a size no threshold is looked for."""
ORDERS = ("<", "<=", ">", ">=")


class Course:
    """What a run does apart from its sizes: its calls, and the answers of its comparisons.

    Values are numbered without those of contiguous: whether it makes one depends on the sizes.
    """

    def __init__(self, trace: Trace) -> None:
        steps = list(trace.root.steps())
        same = {s.makes[0]: s.reads[0] for s in steps if s.name == "contiguous"}
        order = [v for v in sorted(trace.shapes) if v not in same]
        places = {value: place for place, value in enumerate(order)}
        self.places = places | {v: places.get(w, -1) for v, w in _ends(same)}
        self.shapes = {place: trace.shapes[value] for value, place in places.items()}
        self.steps = [self._said(step) for step in steps if step.name != "contiguous"]
        self.compared = [(self.moved(left), sign, self.moved(right), answer)
                         for _, left, sign, right, answer in trace.compared]  # fmt: skip
        self.valueless = trace.valueless
        self.inputs = tuple(places[value] for value in trace.inputs)

    def moved(self, expression: Expression) -> Expression:
        """An expression with the numbers that values have here."""
        kind, *rest = expression
        if kind == "size":
            return kind, self.places.get(rest[0], -1), rest[1]
        return expression if kind == "int" else (kind, *(self.moved(side) for side in rest))

    def is_like(self, other: "Course", burned: Iterable[Expression]) -> bool:
        """Whether both do the same. burned: expressions that are plain numbers in the drawing."""
        if (self.steps, self.compared) != (other.steps, other.compared):
            return False
        return all(self.value(e) == other.value(e) for e in burned)

    def _said(self, step: Step) -> tuple[Any, ...]:
        """A call with what it is given, sizes as what they are calculated from."""
        given = self._plain(step.args), self._plain(dict(step.kwargs))
        return step.name, step.path, *given, len(step.outputs)

    def _plain(self, found: Any) -> Any:
        if isinstance(found, Ref):
            return "value", self.places.get(found.value, -1)
        if isinstance(found, Size):
            return "size", self.moved(found.expression)
        if isinstance(found, Mapping):
            return tuple((key, self._plain(item)) for key, item in found.items())
        if isinstance(found, (tuple, list)):
            return tuple(self._plain(item) for item in found)
        if isinstance(found, slice):
            return self._plain((found.start, found.stop, found.step))
        if isinstance(found, (bool, int, float, str)) or found is None:
            return repr(found)
        return str(found) if type(found).__module__ == "torch" else type(found).__name__

    def value(self, expression: Expression) -> int:
        """What an expression of sizes comes to in this run."""
        kind, *rest = expression
        if kind == "int":
            return rest[0]
        if kind == "size":
            return self.shapes[rest[0]][rest[1]]
        a, b = (self.value(side) for side in rest)
        found = {"+": a + b, "-": a - b, "*": a * b}
        return found[kind] if kind in found else a // b if kind == "//" else a % b


class Statics:
    """Looks for the sizes that a drawing is bound to."""

    def __init__(
        self, course: Course, burned: Sequence[Expression], shapes: Sequence[Shape], record: Record
    ) -> None:
        self.course, self.shapes, self.record = course, shapes, record
        moved = [course.moved(expression) for expression in burned]
        self.burned = [e for e in moved if all(value >= 0 for value, _ in sizes_of(e))]

    def find(self) -> list[Static]:
        """For each input the sizes that it has to have, None where any will do."""
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
            tuple(n if (place, dim) in fixed else None for dim, n in enumerate(shape))
            for place, shape in enumerate(self.shapes)
        ]

    def groups(self) -> Iterator[Group]:
        """Every size for itself; inputs that are as large as each other there change together."""
        seen: set[tuple[int, int]] = set()
        for place, shape in enumerate(self.shapes):
            for dim, size in enumerate(shape):
                if (place, dim) not in seen:
                    alike = [i for i, s in enumerate(self.shapes) if s[dim : dim + 1] == (size,)]
                    seen.update((i, dim) for i in alike)
                    yield tuple((i, dim) for i in alike)

    def is_free(self, group: Group) -> bool:
        """Whether the model does the same with other sizes, as far as it runs with them."""
        asks = bool(self.course.compared or self.burned)
        found: list[Course] = []
        for grow in GROWING if asks and self.course.valueless else GROWING[:1]:
            other = self.run(group, grow)
            if other is not None and not self.course.is_like(other, self.burned):
                return False
            found += [other] if other else []
        if not found:
            whole = asks and len({dim for _, dim in group}) > 1  # nobody knows: it is as drawn
            return not whole and not any(self.names(g, group) for g in self.course.compared)
        for guard in self.course.compared:
            grow = self.turning(guard, found, group)
            other = self.run(group, grow) if grow else None
            if other is not None and not self.course.is_like(other, self.burned):
                return False
        return True

    def run(self, group: Group, grow: Grow) -> Course | None:
        """The course with other sizes; None where the model does not run with them."""
        shapes = [list(shape) for shape in self.shapes]
        for place, dim in group:
            shapes[place][dim] = grow(shapes[place][dim], dim)
        trace = self.record([tuple(shape) for shape in shapes])
        return None if trace is None else Course(trace)

    def names(self, guard: Any, group: Group) -> bool:
        """Whether a comparison asks for one of these sizes itself."""
        asked = {size for side in (guard[0], guard[2]) for size in sizes_of(side)}
        return any((self.course.inputs[place], dim + 1) in asked for place, dim in group)

    def turning(self, guard: Any, found: Sequence[Course], group: Group) -> Grow | None:
        """Sizes with which a comparison with a plain number should come out otherwise."""
        left, sign, right, _ = guard
        plain = [side for side in (left, right) if side[0] == "int"]
        if len(plain) != 1 or plain[0][1] < 1:
            return None
        side, number = right if left[0] == "int" else left, int(plain[0][1])
        here = self.course.value(side)
        if here < 1 or all(other.value(side) == here for other in found):
            return None
        if sign in ORDERS and here > number:
            return lambda n, place: max(n * number // here - 1, 1)
        if sign in ORDERS:
            times = number // here + 1
            return (lambda n, place: n * times) if times < LARGEST else None
        return (lambda n, place: number) if self.names(guard, group) else None


def by_batch(trace: Trace, one: Trace | None) -> dict[str, str]:
    """What a model decides by the size of the batch, by place: otherwise with one sample."""
    if one is None or trace.course.steps == Course(one).steps:
        return {}  # whatever was compared on the way, as torch's own functions do
    pairs = zip(trace.compared, one.compared, strict=False)
    asked = next((a[0] for a, b in pairs if a[1:] != b[1:]), "")
    kind = type(trace.root.module).__name__ if trace.root.module else "The model"
    return {asked or kind: BY_BATCH}


def _ends(same: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """What every value in a chain of copies is a copy of."""
    for value, source in same.items():
        while source in same:
            source = same[source]
        yield value, source
