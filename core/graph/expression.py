"""Expressions in a composite, such as "=channels * 2": read by a parser of our own, never by eval.

Only names, integers, + - * // and parentheses exist; anything else is refused with the reason.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

LONGEST = 200
DEEPEST = 20
LARGEST = 2**63 - 1

Tree = int | str | tuple[str, "Tree", "Tree"]
"""An integer, a name, or an operator with its two sides; -a is 0 - a."""

TOKEN = re.compile(
    r" *(?:(?P<number>[0-9]+)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<sign>//|[-+*()]))"
)


class ExpressionError(ValueError):
    """An expression that cannot be read or has no value; the message gives the reason."""


def is_expression(value: Any) -> bool:
    """Whether a setting's value is an expression: text that starts with "="."""
    return isinstance(value, str) and value.startswith("=")


def parse(text: str) -> Tree:
    """Read an expression, with or without its "=". Raises ExpressionError."""
    body = text.removeprefix("=")
    if len(body) > LONGEST:
        raise ExpressionError(f"is longer than {LONGEST} characters")
    tokens = [*_tokens(body), ""]
    tree, rest = _sum(tokens, 0, 0)
    if tokens[rest]:
        raise ExpressionError(f"has an unexpected {tokens[rest]!r}")
    return tree


def names(tree: Tree) -> frozenset[str]:
    """All names an expression uses."""
    if isinstance(tree, tuple):
        return names(tree[1]) | names(tree[2])
    return frozenset({tree}) if isinstance(tree, str) else frozenset()


def evaluate(text: str, env: Mapping[str, Any]) -> Any:
    """Evaluate an expression: an integer, or for a bare name its value in `env`.

    Raises ExpressionError if it cannot be read, uses a name not in `env`, calculates with
    something other than integers, divides by zero or leaves the range of 64 bits.
    """
    tree = parse(text)
    if isinstance(tree, str):
        return _look_up(tree, env)
    return _value(tree, env)


def _tokens(body: str) -> Iterator[str]:
    offset = 0
    while body[offset:].strip(" "):
        match = TOKEN.match(body, offset)
        if not match:
            rest = body[offset:].lstrip(" ")
            raise ExpressionError(
                f"contains {rest[0]!r}; only names, integers, + - * // and ( ) are allowed"
            )
        yield match[0].lstrip(" ")
        offset = match.end()


def _sum(tokens: list[str], index: int, depth: int) -> tuple[Tree, int]:
    tree, index = _product(tokens, index, depth)
    while tokens[index] in ("+", "-"):
        sign = tokens[index]
        right, index = _product(tokens, index + 1, depth)
        tree = (sign, tree, right)
    return tree, index


def _product(tokens: list[str], index: int, depth: int) -> tuple[Tree, int]:
    tree, index = _atom(tokens, index, depth)
    while tokens[index] in ("*", "//"):
        sign = tokens[index]
        right, index = _atom(tokens, index + 1, depth)
        tree = (sign, tree, right)
    return tree, index


def _atom(tokens: list[str], index: int, depth: int) -> tuple[Tree, int]:
    token = tokens[index]
    if depth > DEEPEST:
        raise ExpressionError(f"is nested more than {DEEPEST} levels deep")
    if token == "(":
        tree, index = _sum(tokens, index + 1, depth + 1)
        if tokens[index] != ")":
            raise ExpressionError('is missing a ")"')
        return tree, index + 1
    if token == "-":
        tree, index = _atom(tokens, index + 1, depth + 1)
        return ("-", 0, tree), index
    if token[:1].isdigit():
        return _range(int(token)), index + 1
    if token and token not in "+*//)":
        return token, index + 1
    where = f"before {token!r}" if token else "at its end"
    raise ExpressionError(f"is missing a name or an integer {where}")


def _look_up(name: str, env: Mapping[str, Any]) -> Any:
    if name not in env:
        known = ", ".join(sorted(env)) or "none"
        raise ExpressionError(
            f"uses {name}, which is not a setting of the composite (settings: {known})"
        )
    return env[name]


def _value(tree: Tree, env: Mapping[str, Any]) -> int:
    if isinstance(tree, int):
        return tree
    if isinstance(tree, str):
        value = _look_up(tree, env)
        if type(value) is not int:
            raise ExpressionError(f"calculates with {tree}, which is not an integer")
        return _range(value)
    sign, left, right = tree[0], _value(tree[1], env), _value(tree[2], env)
    if sign == "//":
        if right == 0:
            raise ExpressionError("divides by zero")
        return left // right
    return _range(left + right if sign == "+" else left - right if sign == "-" else left * right)


def _range(value: int) -> int:
    if abs(value) > LARGEST:
        raise ExpressionError("exceeds the range of 64-bit integers")
    return value
