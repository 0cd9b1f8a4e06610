"""Symbolic integers (torch's SymInt): sizes that keep the expression they were computed from.

torch's own functions accept the subclass of int. What leaves it (len, range) is a plain number
from there on; comparisons at other sizes reveal it.
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
"""Receives every size that is read or computed, to keep the user's name for it."""
NODES: list[str] = []
"""The node of a file that is running, where the model was made of a file."""


class Size(int):
    """A size of a recorded tensor, or an expression of sizes."""

    expression: Expression

    @classmethod
    def of(cls, number: int, expression: Expression) -> "Size":
        """Make a symbolic integer."""
        made = cls(number)
        made.expression = expression
        return made

    def __hash__(self) -> int:
        return hash(int(self))


class Sizes(tuple[int, ...]):
    """The shape of a recorded tensor: a torch.Size of symbolic sizes, numel included."""

    def numel(self) -> int:
        """The symbolic number of elements."""
        return reduce(mul, self) if self else 1

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return Sizes(super().__getitem__(index))
        item = super().__getitem__(index)
        return name_size(item) if isinstance(item, Size) else item

    def __add__(self, other: Any) -> "Sizes":
        return Sizes(tuple(self) + tuple(other))

    def __radd__(self, other: Any) -> "Sizes":
        return Sizes(tuple(other) + tuple(self))


def name_size(size: Size) -> Size:
    """Keep the user's variable name for a size that was just read or computed."""
    if NAMING:
        NAMING[-1](size.expression)
    return size


def expression(number: Any) -> Expression:
    """The expression of an integer; a literal one for a plain number."""
    return number.expression if isinstance(number, Size) else ("int", int(number))


def _calculate(name: str, sign: str, swapped: bool) -> Callable[[Size, Any], Any]:
    plain: Callable[[int, Any], Any] = getattr(int, name)

    def method(self: Size, other: Any) -> Any:
        result = plain(int(self), other)
        if result is NotImplemented or not isinstance(other, int):
            return result
        sides = (other, self) if swapped else (self, other)
        return name_size(Size.of(result, (sign, expression(sides[0]), expression(sides[1]))))

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


class SizeRatio(float):
    """A fraction of sizes, above / below: int, floor and ceil make a symbolic size of it again.

    Used as a float it is a plain one, and a guard records so.
    """

    above: Any
    below: Any
    entry: Any

    @classmethod
    def of(cls, above: Any, below: Any) -> "SizeRatio":
        """Make a ratio of two integers, and record its guard."""
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
        return SizeRatio.of(self.above * ratio[1], self.below * ratio[0])

    def __mul__(self, other: Any) -> float:
        ratio = _ratio(other)
        if ratio is None:
            return float(self) * other
        self._settle()
        return SizeRatio.of(self.above * ratio[0], self.below * ratio[1])

    __rmul__ = __mul__

    def __floor__(self) -> int:
        self._settle()
        return self.above // self.below

    def __ceil__(self) -> int:
        self._settle()
        return (self.above + self.below - 1) // self.below

    def _settle(self) -> None:
        """Remove its guard: a symbolic size was made of it."""
        GUARDS[:] = [guard for guard in GUARDS if guard is not self.entry]


def _ratio(number: Any) -> tuple[Any, Any] | None:
    """A number as (numerator, denominator); None if it is not a simple fraction."""
    if isinstance(number, SizeRatio):
        number._settle()
        return number.above, number.below
    if isinstance(number, int):
        return number, 1
    ratio = number.as_integer_ratio() if isinstance(number, float) and isfinite(number) else (0, 0)
    return ratio if 0 < ratio[1] <= FINEST else None


FINEST = 64
"""Below a fraction that a size is multiplied by: a half, an eighth."""


def _divide(self: Size, other: Any) -> Any:
    """True division, to a ratio."""
    ratio = _ratio(other)
    if ratio is None or not ratio[0]:
        return int.__truediv__(int(self), other)
    return SizeRatio.of(self * ratio[1] if ratio[1] != 1 else self, ratio[0])


def _times(self: Size, other: Any) -> Any:
    """Multiplication; by a simple fraction, to a ratio."""
    ratio = _ratio(other) if isinstance(other, float) else None
    return SizeRatio.of(self * ratio[0], ratio[1]) if ratio else _multiply(self, other)


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


def describe_guard(guard: Any, names: Mapping[int, str]) -> str:
    """A comparison of sizes for people. names: labels of all values but unnamed inputs."""
    location, left, sign, right, answer = guard
    sides = [describe_expression(side, names) for side in (left, right)]
    return f"{sides[0]} {sign} {sides[1]} is {answer}, {location}"


def describe_expression(expression: Any, names: Mapping[int, str]) -> str:
    """An expression of sizes for people: (size 2 of the input x // 2)."""
    kind, *rest = expression
    if kind == "int":
        return str(rest[0])
    if kind == "size":
        return f"size {rest[1]} of {names.get(rest[0]) or f'input {rest[0] + 1}'}"
    if expression[:2] == ("+", ("int", 0)):
        return describe_expression(rest[1], names)  # Python's sum begins with 0
    return f"({describe_expression(rest[0], names)} {kind} {describe_expression(rest[1], names)})"
