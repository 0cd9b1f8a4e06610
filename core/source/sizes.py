"""Limits on how often a source may repeat: Python's integers and lists have no end of their own."""

import ast

LARGEST_COUNT = 10_000_000
"""Of items in a list, a text or a range, where the source itself says how many."""


def too_large(node: ast.expr) -> str:
    """What part of an expression repeats more than LARGEST_COUNT times; "" for none."""
    match node:
        case ast.BinOp(left, ast.Mult(), right):
            count = _product(right if _is_sequence(left) else left)
            if (_is_sequence(left) or _is_sequence(right)) and count and count > LARGEST_COUNT:
                return f"a list or text repeated {count:,.0f} times"
        case ast.Call(ast.Name("range"), arguments, _):
            counts = [count for part in arguments if (count := _product(part)) is not None]
            if any(abs(count) > LARGEST_COUNT for count in counts):
                return f"a range of more than {LARGEST_COUNT:,}"
        case _:
            pass
    return ""


def _is_sequence(node: ast.expr) -> bool:
    text = isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    return text or isinstance(node, ast.List | ast.Tuple | ast.ListComp)


def _product(node: ast.expr) -> float | None:
    """A number, or a product of numbers; None for anything else."""
    match node:
        case ast.Constant(int(value) | float(value)):
            return value
        case ast.UnaryOp(ast.USub(), inner):
            value = _product(inner)
            return None if value is None else -value
        case ast.BinOp(left, ast.Mult(), right):
            factors = _product(left), _product(right)
            return None if None in factors else factors[0] * factors[1]  # type: ignore[operator]
        case _:
            return None
