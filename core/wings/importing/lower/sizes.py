"""Lift parameters, buffers, constants and sizes into steps of their own, which become nodes.

A parameter used without a layer goes into the innermost scope that owns it. A symbolic size in an
argument becomes a size node, arithmetic on it a calculate node.
"""

import itertools
from collections.abc import Iterator
from typing import Any

from core.common.errors import ImportRefused
from core.wings.importing.matching.match import match
from core.wings.importing.tracing.canonicalize import constant
from core.wings.importing.tracing.symint import Expression
from core.wings.importing.tracing.trace_ir import Ref, Step, Trace, TraceScope, values_in


class Lifter:
    """Makes the implicit inputs of steps explicit."""

    def __init__(self, trace: Trace, passed: dict[int, int]) -> None:
        self.trace, self.passed = trace, passed
        self.numbers = itertools.count(len(trace.shapes) + 1)
        self.burned: list[str] = []
        self.plain: list[Expression] = []
        self.homes: dict[int, list[str]] = {}

    def lift(self) -> None:
        """Insert steps for all parameters, constants and sizes of the trace, and match each
        step's block."""
        returned = {self.passed.get(v, v) for v in values_in(self.trace.root.result)}
        self.homes = {value: [""] for value in returned & set(self.trace.attributes)}
        self._find_homes([self.trace.root])
        self._attributes([self.trace.root])
        for value in sorted(returned):
            self._return(value)
        self._match(self.trace.root)

    def _find_homes(self, around: list[TraceScope]) -> None:
        """For each parameter, the modules that own it and contain all its uses, outermost first."""
        for item in around[-1].items:
            if isinstance(item, TraceScope):
                self._find_homes([*around, item])
                continue
            for value in {self.passed.get(v, v) for v in item.reads} & set(self.trace.attributes):
                path = self.trace.attributes[value]
                own = [s.path for s in around if not s.path or path.startswith(f"{s.path}.")]
                before = self.homes.get(value, own)
                self.homes[value] = [home for home in before if home in own]

    def _attributes(self, around: list[TraceScope]) -> None:
        scope = around[-1]
        for item in list(scope.items):
            if isinstance(item, TraceScope):
                self._attributes([*around, item])
                continue
            for value in dict.fromkeys(item.reads):
                real = self.passed.get(value, value)
                if real in self.trace.attributes:
                    self._own(real, around)
                elif real in self.trace.constants:
                    self._write(real, item, scope)

    def _return(self, value: int) -> None:
        """Insert a step for what the model returns but no call made: a parameter or a constant."""
        root = self.trace.root
        if value in set(values_in(root.result)) & set(self.trace.attributes):
            self._own(value, [root])
        elif value in self.trace.constants:
            step = self._constant(value, Ref(self.trace.inputs[0]), root.place)
            if step is not None:
                root.items.append(step)
                root.result = replace_refs(root.result, {value: step.makes[0]}, self.passed)

    def _constant(self, value: int, near: Ref, place: str) -> Step | None:
        """A step with a constant's literal values, if there are few enough."""
        name, args, keywords = constant(self.trace.constant_tensors[value], near)
        if not keywords["data"]:
            return None
        number = next(self.numbers)
        self.trace.shapes[number] = self.trace.shapes[value]
        return Step(name, "", None, args, keywords, place, [((), number)])

    def _write(self, value: int, item: Step, scope: TraceScope) -> None:
        """Insert a constant as a step with literal values, if there are few enough."""
        others = [v for v in item.reads if self.passed.get(v, v) not in self.trace.constants]
        step = self._constant(value, Ref([*others, *self.trace.inputs][0]), item.place)
        if step is None:
            return
        number = step.makes[0]
        for other in scope.items:
            replace_value(other, {value: number}, self.passed)
        scope.items.insert(scope.items.index(item), step)

    def _own(self, value: int, around: list[TraceScope]) -> None:
        """Insert a parameter into the innermost scope that owns it and contains all its uses."""
        path = self.trace.attributes[value]
        owner = [s for s in around if s.path in self.homes[value]][-1]
        number = next(self.numbers)
        step = Step("attribute", path, None, (), {}, owner.path, [((), number)])
        self.trace.shapes[number] = self.trace.shapes[value]
        readers = (i for i, item in enumerate(owner.items) if value in _reads(item, self.passed))
        index = next(readers, len(owner.items))
        if owner is self.trace.root:
            owner.result = replace_refs(owner.result, {value: number}, self.passed)
        for item in owner.items:
            replace_value(item, {value: number}, self.passed)
        owner.items.insert(index, step)

    def _match(self, scope: TraceScope) -> None:
        computed: dict[Expression, int] = {}
        items: list[Step | TraceScope] = []
        for item in scope.items:
            if isinstance(item, TraceScope):
                self._match(item)
            else:
                self._refuse_for_batch(item)
                item.matched = match(item, self.trace)
                self._burn(item)
                for port, expression in item.matched.sizes.items():
                    items += self._size(expression, computed, item.place, scope.path)
                    item.matched.wires[port] = computed[expression]
            items.append(item)
        scope.items = items

    def _burn(self, step: Step) -> None:
        """Collect the sizes of a step that stay plain numbers."""
        for message, expression in step.matched.fixed_sizes.items():
            text = message.removesuffix(f", {step.place}")
            self.plain.append(expression)
            if not self.trace.decisions.record_comparison(step.place, text, expression):
                self.burned.append(message)

    def _size(
        self, expression: Expression, computed: dict[Expression, int], place: str, path: str
    ) -> list[Step]:
        """Steps that compute an expression; none if it was computed before."""
        if expression in computed:
            return []
        variables = (self.trace.sizes.get((path, expression), "_"),)
        if expression[0] == "size":
            args: tuple[Any, ...] = (Ref(expression[1]), expression[2])
            size = Step("size", "", None, args, {}, place, variables=variables)
            return [self._enter(size, expression, computed)]
        leaves = list(dict.fromkeys(size_leaves(expression)))
        steps = [step for leaf in leaves for step in self._size(leaf, computed, place, path)]
        letters = dict(zip(leaves, "abcd", strict=False))
        operands = {letters[leaf]: Ref(computed[leaf]) for leaf in leaves}
        text = {"expression": expression_text(expression, letters)}
        step = Step("calculate", "", None, (), {**operands, **text}, place, variables=variables)
        return [*steps, self._enter(step, expression, computed)]

    def _refuse_for_batch(self, step: Step) -> None:
        """Refuse a constant with one row per sample of the traced batch: another batch has
        others."""
        shape = self.trace.shapes[step.makes[0]] if step.name == "tensor" else ()
        if shape and 1 < self.trace.batch == shape[0]:
            raise ImportRefused(
                step.place,
                f"uses a tensor created outside torch for each of the {shape[0]} samples of this "
                "run.",
                "Create it with torch from the input's size; register a table as a buffer.",
            )

    def _enter(self, step: Step, expression: Expression, computed: dict[Expression, int]) -> Step:
        number = next(self.numbers)
        computed[expression] = number
        step.outputs.append(((), number))
        self.trace.shapes[number] = ()
        step.matched = match(step, self.trace)
        return step


def size_leaves(expression: Expression) -> Iterator[Expression]:
    """The sizes an expression is computed from."""
    if expression[0] == "size":
        yield expression
    elif expression[0] != "int":
        yield from size_leaves(expression[1])
        yield from size_leaves(expression[2])


def expression_text(expression: Expression, letters: dict[Expression, str]) -> str:
    """An expression with letters for its sizes."""
    if expression in letters:
        return letters[expression]
    if expression[0] == "int":
        return str(expression[1])
    sides = [expression_text(side, letters) for side in expression[1:]]
    sides = [
        f"({text})" if side[0] not in ("int", "size") else text
        for side, text in zip(expression[1:], sides, strict=True)
    ]
    return f"{sides[0]} {expression[0]} {sides[1]}"


def _reads(item: Step | TraceScope, passed: dict[int, int]) -> set[int]:
    steps = [item] if isinstance(item, Step) else list(item.steps())
    return {passed.get(v, v) for step in steps for v in step.reads}


def replace_value(item: Step | TraceScope, new: dict[int, int], passed: dict[int, int]) -> None:
    """Let an item read another value instead."""
    if isinstance(item, TraceScope):
        for inner in item.items:
            replace_value(inner, new, passed)
        item.names = {new.get(passed.get(v, v), v): n for v, n in item.names.items()}
        item.result = replace_refs(item.result, new, passed)
    else:
        item.args = replace_refs(item.args, new, passed)
        item.kwargs = replace_refs(dict(item.kwargs), new, passed)


def replace_refs(nested: Any, new: dict[int, int], passed: dict[int, int]) -> Any:
    """Replace values in a nested argument."""
    if isinstance(nested, Ref):
        real = passed.get(nested.value, nested.value)
        return Ref(new[real]) if real in new else nested
    if isinstance(nested, dict):
        return {k: replace_refs(v, new, passed) for k, v in nested.items()}
    if isinstance(nested, tuple):
        return tuple(replace_refs(v, new, passed) for v in nested)
    return nested
