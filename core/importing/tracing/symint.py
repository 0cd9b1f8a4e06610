"""Integers that remember being sizes of tensors, so that arithmetic on sizes can be traced.

Torch's own functions accept the subclass. What leaves it (len, range) is a plain number from
there on; the verdicts with other sizes show it.
"""

from collections.abc import Callable, Mapping
from functools import reduce
from math import isfinite
from operator import mul
from typing import Any

Expression = tuple[Any, ...]
"""("size", value, dim), ("int", number), or (operator, left, right)."""

GUARDS: list[tuple[str, Expression, str, Expression, bool | float]] = []
"""Comparisons and fractions of sizes in the running model: where, left, operator, right, answer."""
WHERE: list[Callable[[], str]] = []
"""How to tell the line of the user's model that is running; the recorder enters it."""
NAMING: list[Callable[[Expression], None]] = []
"""Told every size that is taken or calculated, to keep the user's name for it."""
NODES: list[str] = []
"""The node of a file that is running, where the model was made of a file."""


class Size(int):
    """A size of a recorded tensor, or what was calculated from sizes."""

    expression: Expression

    @classmethod
    def of(cls, number: int, expression: Expression) -> "Size":
        """Make a tracked integer."""
        made = cls(number)
        made.expression = expression
        return made

    def __hash__(self) -> int:
        return hash(int(self))


class Sizes(tuple[int, ...]):
    """The sizes of a recorded tensor: a torch.Size whose count of values is tracked, too."""

    def numel(self) -> int:
        """How many values there are."""
        return reduce(mul, self) if self else 1

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return Sizes(super().__getitem__(index))
        found = super().__getitem__(index)
        return named(found) if isinstance(found, Size) else found

    def __add__(self, other: Any) -> "Sizes":
        return Sizes(tuple(self) + tuple(other))

    def __radd__(self, other: Any) -> "Sizes":
        return Sizes(tuple(other) + tuple(self))


def named(size: Size) -> Size:
    """Keep the user's name for a size that was just taken or calculated."""
    if NAMING:
        NAMING[-1](size.expression)
    return size


def expression(number: Any) -> Expression:
    """The expression behind an integer; a literal one for a plain number."""
    return number.expression if isinstance(number, Size) else ("int", int(number))


def _calculate(name: str, sign: str, swapped: bool) -> Callable[[Size, Any], Any]:
    plain: Callable[[int, Any], Any] = getattr(int, name)

    def method(self: Size, other: Any) -> Any:
        result = plain(int(self), other)
        if result is NotImplemented or not isinstance(other, int):
            return result
        sides = (other, self) if swapped else (self, other)
        return named(Size.of(result, (sign, expression(sides[0]), expression(sides[1]))))

    return method


def _compare(name: str, sign: str) -> Callable[[Size, Any], Any]:
    plain: Callable[[int, Any], Any] = getattr(int, name)

    def method(self: Size, other: Any) -> Any:
        result = plain(int(self), other)
        if result is NotImplemented or not isinstance(other, int) or not WHERE:
            return result
        other = expression(other)
        if other != self.expression:  # a size is as large as itself for every input
            GUARDS.append((WHERE[-1](), self.expression, sign, other, bool(result)))
        return result

    return method


class Part(float):
    """A fraction of sizes, above over below: int, floor and ceil make a tracked size of it again.

    Used as a number it is a plain one: until then its entry among the guards says so.
    """

    above: Any
    below: Any
    entry: Any

    @classmethod
    def of(cls, above: Any, below: Any) -> "Part":
        """Make a fraction of two integers and note it."""
        made = cls(int(above) / int(below))
        made.above, made.below = above, below
        made.entry = None
        if WHERE:
            made.entry = (WHERE[-1](), expression(above), "/", expression(below), float(made))
            GUARDS.append(made.entry)
        return made

    def __truediv__(self, other: Any) -> float:
        ratio = _ratio(other)
        if ratio is None or not ratio[0]:
            return float(self) / other
        self._settle()
        return Part.of(self.above * ratio[1], self.below * ratio[0])

    def __mul__(self, other: Any) -> float:
        ratio = _ratio(other)
        if ratio is None:
            return float(self) * other
        self._settle()
        return Part.of(self.above * ratio[0], self.below * ratio[1])

    __rmul__ = __mul__

    def __floor__(self) -> int:
        self._settle()
        return self.above // self.below

    def __ceil__(self) -> int:
        self._settle()
        return (self.above + self.below - 1) // self.below

    def _settle(self) -> None:
        """Take the note back: what was made of it says more."""
        GUARDS[:] = [guard for guard in GUARDS if guard is not self.entry]


def _ratio(number: Any) -> tuple[Any, Any] | None:
    """A number as a fraction of integers, None for one that people would not write as such."""
    if isinstance(number, Part):
        number._settle()
        return number.above, number.below
    if isinstance(number, int):
        return number, 1
    ratio = number.as_integer_ratio() if isinstance(number, float) and isfinite(number) else (0, 0)
    return ratio if 0 < ratio[1] <= FINEST else None


FINEST = 64
"""Below a fraction that a size is multiplied by: a half, an eighth."""


def _divide(self: Size, other: Any) -> Any:
    """Divide to a fraction."""
    ratio = _ratio(other)
    if ratio is None or not ratio[0]:
        return int.__truediv__(int(self), other)
    return Part.of(self * ratio[1] if ratio[1] != 1 else self, ratio[0])


def _times(self: Size, other: Any) -> Any:
    """Multiply; with a half or so, to a fraction."""
    ratio = _ratio(other) if isinstance(other, float) else None
    return Part.of(self * ratio[0], ratio[1]) if ratio else _multiply(self, other)


def _negate(self: Size) -> Size:
    return Size.of(-int(self), ("-", ("int", 0), self.expression))


_multiply = _calculate("__mul__", "*", False)
for _name, _sign in {"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%"}.items():
    setattr(Size, f"__{_name}__", _calculate(f"__{_name}__", _sign, False))
    setattr(Size, f"__r{_name}__", _calculate(f"__r{_name}__", _sign, True))
for _name, _sign in {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}.items():
    setattr(Size, f"__{_name}__", _compare(f"__{_name}__", _sign))
Size.__truediv__, Size.__neg__ = _divide, _negate  # type: ignore[method-assign]
Size.__mul__ = Size.__rmul__ = _times  # type: ignore[method-assign]


def told(guard: Any, names: Mapping[int, str]) -> str:
    """Write a comparison of sizes for people. names: of all values but nameless inputs."""
    place, left, sign, right, answer = guard
    return f"{show(left, names)} {sign} {show(right, names)} is {answer}, {place}"


def show(expression: Any, names: Mapping[int, str]) -> str:
    """Write an expression of sizes: (size 2 of the input x // 2)."""
    kind, *rest = expression
    if kind == "int":
        return str(rest[0])
    if kind == "size":
        return f"size {rest[1]} of {names.get(rest[0]) or f'input {rest[0] + 1}'}"
    if expression[:2] == ("+", ("int", 0)):
        return show(rest[1], names)  # Python's sum begins with 0
    return f"({show(rest[0], names)} {kind} {show(rest[1], names)})"
