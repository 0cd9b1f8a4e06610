"""Integers that remember being sizes of tensors, so that arithmetic on sizes can be traced.

`torch.Size` keeps the subclass and torch's own functions accept it. What leaves the subclass
(int(n), len, range) is a plain number from there on; the verdicts with other sizes show it.
"""

from collections.abc import Callable
from typing import Any

Expression = tuple[Any, ...]
"""("size", value, dim), ("int", number), or (operator, left, right)."""

GUARDS: list[tuple[str, Expression, str, Expression, bool | float]] = []
"""Comparisons and fractions of sizes in the running model: where, left, operator, right, answer."""
WHERE: list[Callable[[], str]] = []
"""How to tell the line of the user's model that is running; the recorder enters it."""
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
        return Size.of(result, (sign, expression(sides[0]), expression(sides[1])))

    return method


def _compare(name: str, sign: str) -> Callable[[Size, Any], Any]:
    plain: Callable[[int, Any], Any] = getattr(int, name)

    def method(self: Size, other: Any) -> Any:
        result = plain(int(self), other)
        if result is not NotImplemented and isinstance(other, int) and WHERE:
            entry = (WHERE[-1](), self.expression, sign, expression(other), bool(result))
            GUARDS.append(entry)
        return result

    return method


def _divide(self: Size, other: Any) -> Any:
    """Divide to a fraction, which is a plain number from there on."""
    result = int.__truediv__(int(self), other)
    if isinstance(other, int) and WHERE:
        GUARDS.append((WHERE[-1](), self.expression, "/", expression(other), result))
    return result


def _negate(self: Size) -> Size:
    return Size.of(-int(self), ("-", ("int", 0), self.expression))


for _method in (_divide, _negate):
    setattr(Size, {"_divide": "__truediv__", "_negate": "__neg__"}[_method.__name__], _method)
for _name, _sign in {"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%"}.items():
    setattr(Size, f"__{_name}__", _calculate(f"__{_name}__", _sign, False))
    setattr(Size, f"__r{_name}__", _calculate(f"__r{_name}__", _sign, True))
for _name, _sign in {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}.items():
    setattr(Size, f"__{_name}__", _compare(f"__{_name}__", _sign))


def told(guard: Any) -> str:
    """Write a comparison of sizes for people."""
    place, left, sign, right, answer = guard
    return f"{show(left)} {sign} {show(right)} is {answer}, {place}"


def show(expression: Any) -> str:
    """Write an expression of sizes: size(12, 2) // 2."""
    kind, *rest = expression
    if kind == "int":
        return str(rest[0])
    if kind == "size":
        return f"size {rest[1]} of value {rest[0]}"
    return f"({show(rest[0])} {kind} {show(rest[1])})"
